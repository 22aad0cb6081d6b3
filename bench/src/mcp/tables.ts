import type { Figure, Mark } from '../marks.ts';
import { figure, type Table } from '../table.ts';
import type { CallTimes } from './measure-calls.ts';
import type { ContextTokens } from './measure-tokens.ts';

const whole = (value: number) => Math.round(value).toLocaleString('en-US');

/** Returns a table of the tokens in a model's context. */
export function tokensTable(measured: readonly ContextTokens[]): Table {
  return {
    title: "A client's context, in tokens (o200k_base)",
    header: [
      'servers',
      'tools',
      'all servers directly',
      'front door',
      'front door and three searches',
      'of the direct one',
      'one search',
      'one search, structured',
      'front door, per_namespace',
    ],
    rows: measured.map(({ servers, tools, direct, door, doorPerNamespace, search, structuredSearch }) => [
      String(servers),
      whole(tools),
      whole(direct),
      whole(door),
      whole(door + 3 * search),
      `${((100 * (door + 3 * search)) / direct).toFixed(1)} %`,
      whole(search),
      whole(structuredSearch),
      whole(doorPerNamespace),
    ]),
    labels: 0,
  };
}

/** Returns the tokens in a model's context, by number of servers. */
export function contextFigures(measured: readonly ContextTokens[]): readonly Figure[] {
  return measured.map(({ servers, tools, direct, door, search }) => ({
    what: `tokens (o200k_base) of ${servers} servers with ${whole(tools)} tools: directly; front door; front door and three searches`,
    measured: [direct, door, door + 3 * search].map(whole).join('; '),
  }));
}

/** Returns a table of the duration of calls. */
export function callsTable(measured: readonly CallTimes[]): Table {
  const cells = ({ p50, p95, p99, max }: CallTimes['direct']) =>
    [p50, p95, p99, max].map((ms) => figure(ms, 2));
  return {
    title: 'One call at a time, directly and through the front door in turn, in milliseconds',
    header: ['server and client', 'call', 'calls', 'p50', 'p95', 'p99', 'longest'],
    rows: measured.flatMap(({ era, direct, through }) => [
      [era, 'direct', String(direct.count), ...cells(direct)],
      [era, 'through the front door', String(through.count), ...cells(through)],
    ]),
    labels: 2,
  };
}

/** Returns the requirements. */
export function mcpMarks(calls: readonly CallTimes[]): readonly Mark[] {
  return calls.map(({ era, added }) => ({
    what: `added to a call by the front door, ${era} server and client, p50`,
    mark: 'at most 3 ms',
    measured: `${figure(added, 2)} ms`,
    isMet: added <= 3,
  }));
}
