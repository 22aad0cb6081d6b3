import { isJsonObject } from '@winnow/registry';
import { readDocument } from '@winnow/service';
import type { ServerEntry } from '../server-entry.ts';
import { type SwitchedOff, switchedOffIn } from './agent-keys.ts';
import { filesIn, variablesIn } from './expand-variables.ts';
import { type ConfigProblem, readEntry } from './read-entry.ts';

export interface ServersFile {
  readonly entries: readonly ServerEntry[];
  /** All problems, one sentence each, with their places in the file. Without problems, all entries are present. */
  readonly problems: readonly string[];
  /** Ignored keys of other programs. */
  readonly notices: readonly string[];
  /** Environment variables that the file refers to. */
  readonly variables: readonly string[];
  /** Files that the file refers to. */
  readonly files: readonly string[];
}

/** Keys under which agents and editors keep servers: Claude, Cursor, Windsurf, Gemini CLI; VS Code. */
const ROOTS = ['mcpServers', 'servers'] as const;

/** Most servers of one file. */
const MAX_SERVERS = 1_000;

/**
 * Reads a file of MCP servers as agents write it, JSON (with comments) or YAML: `mcpServers`, or `servers` as VS Code has it, with a name for
 * each. Whatever else the file holds is left to the program that it belongs to. No problem quotes a value. Never throws.
 */
export function readServers(
  text: string,
  environment: Readonly<Record<string, string | undefined>>,
): ServersFile {
  const nothing = { entries: [], notices: [], variables: [], files: [] };
  const document = readDocument(text);
  if (!document.ok) return { ...nothing, problems: document.problems };
  const { value } = document;
  if (!isJsonObject(value))
    return { ...nothing, problems: ['The file must hold an object with mcpServers.'] };
  const root = ROOTS.find((key) => Object.hasOwn(value, key));
  if (root === undefined) return { ...nothing, problems: [missingRoot(Object.keys(value))] };
  const { [root]: servers } = value;
  if (!isJsonObject(servers))
    return { ...nothing, problems: [`${root} must be an object with a name for each server.`] };
  const named = Object.entries(servers);
  const off = switchedOffIn(value);
  if (named.length > MAX_SERVERS)
    return { ...nothing, problems: [`${root} has more than ${MAX_SERVERS} servers.`] };
  const reading = { environment, allowsCommands: true, tenant: undefined };
  const outcomes = named.map(
    ([name, entry]) => [name, readEntry(name, entry, `${root}.${name}`, reading)] as const,
  );
  return {
    entries: outcomes.flatMap(([name, outcome]) =>
      outcome.ok ? [withoutOff(name, outcome.entry, off)] : [],
    ),
    problems: outcomes.flatMap(([, outcome]) => (outcome.ok ? [] : outcome.problems.map(toSentence))),
    notices: outcomes.flatMap(([name, outcome]) =>
      outcome.ok
        ? outcome.dropped.map(({ key, remedy }) => `${root}.${name}.${key} has no effect here: ${remedy}.`)
        : [],
    ),
    variables: variablesIn(text),
    files: filesIn(text),
  };
}

/** Keeps out of use what the document switches off outside of its entries. */
function withoutOff(name: string, entry: ServerEntry, off: SwitchedOff): ServerEntry {
  const exclude = [...entry.exclude, ...off.excludedOf(name)];
  return { ...entry, exclude, isEnabled: entry.isEnabled && !off.isOff(name) };
}

function toSentence({ path, message }: ConfigProblem): string {
  return `${path} ${message}.`;
}

function missingRoot(keys: readonly string[]): string {
  const close = keys.find((key) => /mcp|server/i.test(key));
  const meant = close === undefined ? '' : ` (is it meant by ${close}?)`;
  return `The file has no mcpServers${meant}: an object with a name for each server, and its command or url.`;
}
