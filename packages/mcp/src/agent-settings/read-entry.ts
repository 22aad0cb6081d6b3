import { isJsonObject, type JsonObject } from '@winnow/registry';
import { bothOf, type PlainEntry, type SwitchedOff, toPlainEntry } from '../servers/config/agent-keys.ts';

/** An MCP server as an agent has it in its settings, in one form for all of them. */
export type AgentServer = {
  readonly name: string;
  readonly isEnabled: boolean;
  /** The server's own names of tools that may be used; undefined for all. */
  readonly include: readonly string[] | undefined;
  readonly exclude: readonly string[] | undefined;
} & (
  | {
      readonly type: 'stdio';
      readonly command: string;
      readonly args: readonly string[];
      readonly env: Readonly<Record<string, string>>;
      readonly cwd: string | undefined;
    }
  | { readonly type: 'http'; readonly url: string; readonly headers: Readonly<Record<string, string>> }
);

/** The servers in an agent's settings. `${NAME}` in strings is an environment variable. */
export interface ReadServers {
  readonly servers: readonly AgentServer[];
  /** Skipped servers, with reasons. Holds no value of the settings. */
  readonly leftOut: readonly { readonly name: string; readonly reason: string }[];
  /** Keys that were not taken over, such as `github.envFile`, each with a remedy. */
  readonly dropped: readonly { readonly key: string; readonly remedy: string }[];
}

/** An entry as most agents write it, or the reason that it cannot be imported. */
export type ReadEntry =
  | { readonly ok: true; readonly server: AgentServer; readonly dropped: PlainEntry['dropped'] }
  | { readonly ok: false; readonly reason: string };

/** Reads the texts of an entry: a variable in the agent's own form becomes `${NAME}`. */
export type Expand = (text: string) => string;

/** Keys that are kept. */
const KEPT = ['type', 'command', 'args', 'env', 'cwd', 'url', 'headers', 'enabled', 'include', 'exclude'];

/** Reads an entry `{ command, args, env, cwd }` or `{ url, headers }`, regardless of `type`. */
export function readEntry(name: string, written: unknown, expand: Expand, off: SwitchedOff): ReadEntry {
  if (!isJsonObject(written)) return refuse('it is not an object');
  const { entry, dropped: known } = toPlainEntry(written);
  const unknown = Object.keys(entry).filter((key) => !KEPT.includes(key) && !CONVERTED.includes(key));
  const dropped = [...known, ...unknown.map((key) => ({ key, remedy: 'it is not known here' }))];
  const { type, command, url } = entry;
  if (isOwn(entry)) return refuse('it is this front door');
  if (type === 'sse') return refuse('it uses the old SSE transport; ask its author for streamable HTTP');
  const tools = off.toolsOf(name);
  const excluded = [...(textsOf(entry.exclude) ?? []), ...tools.exclude];
  const common = {
    name,
    isEnabled: entry.enabled !== false && entry.disabled === undefined && !off.isOff(name),
    include: bothOf(textsOf(entry.include), tools.include),
    exclude: excluded.length === 0 ? undefined : excluded,
  };
  if (typeof command === 'string' && command !== '') {
    const args = textsOf(entry.args ?? []);
    const env = valuesOf(entry.env ?? {}, expand);
    if (args === undefined || env === undefined) return refuse('its args or env are not strings');
    return {
      ok: true,
      dropped,
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
  if (typeof url !== 'string') return refuse('it has neither a command nor a url');
  const headers = valuesOf(entry.headers ?? {}, expand);
  if (headers === undefined) return refuse('its headers are not strings');
  return { ok: true, dropped, server: { ...common, type: 'http', url: expand(url), headers } };
}

/** Keys of Codex and opencode whose values are read into others. */
const CONVERTED = ['environment', 'env_vars', 'http_headers', 'env_http_headers', 'bearer_token_env_var'];

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
