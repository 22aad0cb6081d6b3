import { isJsonObject, type JsonObject } from '@winnow/registry';
import type { AgentServer } from './agent-server.ts';

/** An entry as most agents write it, or the reason that it cannot be imported. */
export type ReadEntry =
  | { readonly ok: true; readonly server: AgentServer }
  | { readonly ok: false; readonly reason: string };

/** Reads the texts of an entry: a variable in the agent's own form becomes `${NAME}`. */
export type Expand = (text: string) => string;

/** Reads an entry `{ command, args, env, cwd }` or `{ url, headers }`, regardless of `type`. */
export function readEntry(name: string, entry: unknown, expand: Expand): ReadEntry {
  if (!isJsonObject(entry)) return refuse('it is not an object');
  const { type, command, url } = entry;
  if (isOwn(entry)) return refuse('it is this front door');
  if (type === 'sse') return refuse('it uses the old SSE transport; ask its author for streamable HTTP');
  const common = {
    name,
    isEnabled: entry.enabled !== false && entry.disabled !== true,
    include: textsOf(entry.tools)?.includes('*') ? undefined : textsOf(entry.tools),
    exclude: undefined,
  };
  if (typeof command === 'string' && command !== '') {
    const args = textsOf(entry.args ?? []);
    const env = valuesOf(entry.env ?? {}, expand);
    if (args === undefined || env === undefined) return refuse('its args or env are not strings');
    return {
      ok: true,
      server: {
        ...common,
        type: 'stdio',
        command: expand(command),
        args: args.map(expand),
        env,
        cwd: typeof entry.cwd === 'string' ? expand(entry.cwd) : undefined,
      },
    };
  }
  const address = typeof url === 'string' ? url : entry.serverUrl;
  if (typeof address !== 'string') return refuse('it has neither a command nor a url');
  const headers = valuesOf(entry.headers ?? {}, expand);
  if (headers === undefined) return refuse('its headers are not strings');
  return { ok: true, server: { ...common, type: 'http', url: expand(address), headers } };
}

function refuse(reason: string): { readonly ok: false; readonly reason: string } {
  return { ok: false, reason };
}

/** Entries that this program has created: a front door behind itself would never end. */
function isOwn({ command, args }: JsonObject): boolean {
  const words = [command, ...(Array.isArray(args) ? args : [])].filter((word) => typeof word === 'string');
  return (
    words.some((word) => /winnow/.test(word)) && words.some((word) => /(^|\/)mcp(-main\.ts)?$/.test(word))
  );
}

/** Returns a list of strings; undefined for anything else. */
export function textsOf(value: unknown): readonly string[] | undefined {
  return Array.isArray(value) && value.every((one) => typeof one === 'string') ? value : undefined;
}

/** Texts by name; numbers and truth values are written out, as agents do. */
export function valuesOf(value: unknown, expand: Expand): Readonly<Record<string, string>> | undefined {
  if (!isJsonObject(value)) return undefined;
  const entries = Object.entries(value);
  if (entries.some(([, one]) => !['string', 'number', 'boolean'].includes(typeof one))) return undefined;
  return Object.fromEntries(entries.map(([name, one]) => [name, expand(String(one))]));
}
