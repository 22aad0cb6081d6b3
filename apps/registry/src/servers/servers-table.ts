import { alignTable, printable, type ServerResponse } from '@winnow/core';

const HEAD = [
  'server',
  'state',
  'over',
  'era',
  'tools',
  'read',
  'stale',
  'to approve',
  'what is wrong',
] as const;

/** Formats the state of servers as a table for a terminal. */
export function serversTable(servers: readonly ServerResponse[], now: number): string {
  if (servers.length === 0)
    return 'There are no MCP servers: name them in a file, and start with --config FILE.\n';
  return `${alignTable([HEAD, ...servers.map((server) => rowOf(server, now))]).join('\n')}\n`;
}

function rowOf(server: ServerResponse, now: number): readonly string[] {
  const {
    last_refresh: read,
    stale_since: stale,
    pending,
    last_error: error,
    left_out: leftOut,
    diverged,
  } = server;
  const wrong = [
    ...(error ? [`${error.code}: ${error.message}`] : []),
    ...(leftOut.length > 0
      ? [`${leftOut.length} left out (${leftOut[0]!.tool}: ${leftOut[0]!.reason})`]
      : []),
    ...(diverged.length > 0 ? [`${diverged.length} defined otherwise elsewhere`] : []),
  ];
  return [
    server.name,
    server.state,
    server.transport,
    server.protocol_version ?? '-',
    String(server.tools),
    ageOf(read, now),
    ageOf(stale, now),
    pending.length === 0 ? '-' : String(pending.length),
    // Servers write their own names of tools.
    wrong.length === 0 ? '-' : printable(wrong.join('; ')),
  ];
}

const UNITS = [
  [86_400, 'd'],
  [3_600, 'h'],
  [60, 'min'],
  [1, 's'],
] as const;

/** Returns the age of a time in its largest unit; `-` for none. */
function ageOf(time: string | undefined, now: number): string {
  if (time === undefined) return '-';
  const seconds = Math.max(0, Math.round((now - Date.parse(time)) / 1_000));
  const [size, unit] = UNITS.find(([least]) => seconds >= least) ?? [1, 's'];
  return `${Math.floor(seconds / size)} ${unit}`;
}
