// biome-ignore-all lint/suspicious/noTemplateCurlyInString: that is how agents write variables.

import { isJsonObject, type JsonObject } from '@winnow/registry';
import { readDocument } from '@winnow/service';
import { parse as parseToml, stringify as writeToml } from 'smol-toml';
import { switchedOffIn } from '../servers/config/agent-keys.ts';
import type { AgentServer, ReadServers } from './read-entry.ts';
import { type Expand, readEntry, textsOf, valuesOf } from './read-entry.ts';

/** The command that starts the front door. */
export interface DoorCommand {
  readonly command: string;
  readonly args: readonly string[];
  /** Environment variables that its servers need. */
  readonly variables: readonly string[];
}

/** The location of a settings file. */
interface SettingsPlace {
  /** The folder of the project that the file belongs to, if it does. */
  readonly workspace: string;
}

/** The settings of one agent: how they are read, and how the one entry for the front door is written. */
export interface Agent {
  readonly id: string;
  readonly title: string;
  /** The files that list its servers. */
  readonly files: string;
  /** The documentation of these files. */
  readonly source: string;
  /** Whether a path is one of this agent's files. */
  readonly isPath: (path: string) => boolean;
  /** Undefined when the text is of another form. Throws when it is neither JSON nor TOML. */
  readonly read: (text: string, place: SettingsPlace) => ReadServers | undefined;
  /** The entry in the form of such a file. */
  readonly write: (command: DoorCommand) => string;
  /** Further advice about the entry. */
  readonly note?: string;
}

/** The name of the entry. */
const DOOR = 'winnow';

const asIs: Expand = (text) => text;

const NOTHING_OFF = switchedOffIn({});

/** `${env:NAME}`, `${userHome}` and `${workspaceFolder}`, as in VS Code and its derivatives. */
function expandEditor({ workspace }: SettingsPlace): Expand {
  return (text) =>
    text
      .replace(/\$\{env:(\w+)\}/g, '${$1}')
      .replaceAll('${userHome}', '${HOME}')
      .replaceAll('${workspaceFolder}', workspace)
      .replace(/\$\{input:([\w-]+)\}/g, (_, id: string) => `\${${variableOf(id)}}`);
}

/** Returns the environment variable that replaces an input of VS Code. */
function variableOf(input: string): string {
  return input.replace(/\W/g, '_').toUpperCase();
}

function readAll(entries: unknown, expand: Expand, off = NOTHING_OFF): ReadServers | undefined {
  if (!isJsonObject(entries)) return undefined;
  const servers: AgentServer[] = [];
  const leftOut: { name: string; reason: string }[] = [];
  const dropped: { key: string; remedy: string }[] = [...off.dropped];
  for (const [name, entry] of Object.entries(entries)) {
    const read = readEntry(name, entry, expand, off);
    if (!read.ok) {
      leftOut.push({ name, reason: read.reason });
      continue;
    }
    servers.push(read.server);
    for (const { key, remedy } of read.dropped) dropped.push({ key: `${name}.${key}`, remedy });
  }
  return { servers, leftOut, dropped };
}

function merge(...parts: readonly (ReadServers | undefined)[]): ReadServers | undefined {
  const there = parts.filter((part) => part !== undefined);
  if (there.length === 0) return undefined;
  const servers = new Map<string, AgentServer>();
  const leftOut = there.flatMap((part) => part.leftOut);
  for (const server of there.flatMap((part) => part.servers)) {
    // The nearer of two servers with one name was read first.
    if (!servers.has(server.name)) servers.set(server.name, server);
    else leftOut.push({ name: server.name, reason: 'another project has a server of that name' });
  }
  const dropped = new Map(there.flatMap((part) => part.dropped).map((one) => [one.key, one]));
  return { servers: [...servers.values()], leftOut, dropped: [...dropped.values()] };
}

function objectIn(text: string): JsonObject {
  const value = parseJsonc(text);
  return isJsonObject(value) ? value : {};
}

function writeJson(value: unknown): string {
  return JSON.stringify(value, null, 2);
}

/** The front door as an entry; `write` gives the agent's form of a variable. */
function entryOf({ command, args, variables }: DoorCommand, write: (name: string) => string) {
  const env = Object.fromEntries(variables.map((name) => [name, write(name)]));
  return { command, args, ...(variables.length > 0 && { env }) };
}

/** An entry under `mcpServers`, as most agents have it. */
function writeServers(command: DoorCommand, write: (name: string) => string): string {
  return writeJson({ mcpServers: { [DOOR]: entryOf(command, write) } });
}

const braces = (name: string) => `\${${name}}`;

const CLAUDE_CODE: Agent = {
  id: 'claude-code',
  title: 'Claude Code',
  files: '.mcp.json of a project, or ~/.claude.json',
  source: 'https://code.claude.com/docs/en/mcp',
  isPath: (path) => /(^|[\\/])(\.mcp|\.claude)\.json$/.test(path),
  read: (text) => {
    const document = objectIn(text);
    const { mcpServers, projects } = document;
    const off = switchedOffIn(document);
    const local = isJsonObject(projects) ? Object.values(projects) : [];
    const ofProjects = local.map((project) =>
      isJsonObject(project) ? readAll(project.mcpServers, asIs, off) : undefined,
    );
    return merge(readAll(mcpServers, asIs, off), ...ofProjects);
  },
  write: (command) => writeServers(command, braces),
};

const CLAUDE_DESKTOP: Agent = {
  id: 'claude-desktop',
  title: 'Claude Desktop',
  files: 'claude_desktop_config.json (Settings, Developer, Edit Config)',
  source: 'https://modelcontextprotocol.io/docs/develop/connect-local-servers',
  isPath: (path) => /claude_desktop_config\.json$/.test(path),
  read: (text) => readAll(objectIn(text).mcpServers, asIs),
  write: (command) => writeServers(command, (name) => `VALUE OF ${name}`),
  note: 'Claude Desktop does not expand variables: write the values instead.',
};

const CURSOR: Agent = {
  id: 'cursor',
  title: 'Cursor',
  files: '~/.cursor/mcp.json, or .cursor/mcp.json of a project',
  source: 'https://cursor.com/docs/mcp',
  isPath: (path) => /\.cursor[\\/]mcp\.json$/.test(path),
  read: (text, place) => readAll(objectIn(text).mcpServers, expandEditor(place)),
  write: (command) => writeServers(command, (name) => `\${env:${name}}`),
};

const VS_CODE: Agent = {
  id: 'vscode',
  title: 'VS Code',
  files: '.vscode/mcp.json of a project, or mcp.json of your profile (MCP: Open User Configuration)',
  source: 'https://code.visualstudio.com/docs/copilot/reference/mcp-configuration',
  isPath: (path) => /\.vscode[\\/]mcp\.json$|[\\/]User[\\/](profiles[\\/][^\\/]+[\\/])?mcp\.json$/.test(path),
  read: (text, place) => readAll(objectIn(text).servers, expandEditor(place)),
  write: (command) => {
    const entry = entryOf(command, (name) => `\${env:${name}}`);
    return writeJson({ servers: { [DOOR]: { type: 'stdio', ...entry } } });
  },
  note: 'The values that VS Code asked for (inputs) now come from environment variables of the same name in capitals.',
};

const CODEX: Agent = {
  id: 'codex',
  title: 'Codex',
  files: '~/.codex/config.toml, or .codex/config.toml of a project',
  source: 'https://developers.openai.com/codex/mcp',
  isPath: (path) => /\.toml$/.test(path),
  read: (text) => {
    const { mcp_servers: tables } = parseToml(text) as JsonObject;
    if (!isJsonObject(tables)) return undefined;
    const entries = Object.entries(tables).map(([name, table]) => [name, fromCodex(table)] as const);
    return readAll(Object.fromEntries(entries), asIs);
  },
  write: ({ command, args, variables }) =>
    writeToml({
      mcp_servers: {
        [DOOR]: { command, args: [...args], ...(variables.length > 0 && { env_vars: [...variables] }) },
      },
    }).trim(),
};

/** Codex names variables, where others have their values written. */
function fromCodex(table: unknown): unknown {
  if (!isJsonObject(table)) return table;
  // Each is a name, or an object with one.
  const named = (names: unknown) =>
    Object.fromEntries(
      (Array.isArray(names) ? names : [])
        .map((one) => (isJsonObject(one) ? one.name : one))
        .filter((name) => typeof name === 'string')
        .map((name) => [name, braces(name)]),
    );
  const ofHeaders = valuesOf(table.env_http_headers ?? {}, braces) ?? {};
  const { bearer_token_env_var: bearer } = table;
  return {
    ...table,
    env: { ...named(table.env_vars), ...(isJsonObject(table.env) ? table.env : {}) },
    headers: {
      ...(isJsonObject(table.http_headers) ? table.http_headers : {}),
      ...ofHeaders,
      ...(typeof bearer === 'string' && { Authorization: `Bearer ${braces(bearer)}` }),
    },
  };
}

const OPENCODE: Agent = {
  id: 'opencode',
  title: 'opencode',
  files: '~/.config/opencode/opencode.json, or opencode.json of a project',
  source: 'https://opencode.ai/docs/mcp-servers',
  isPath: (path) => /opencode\.jsonc?$/.test(path),
  read: (text) => {
    const document = objectIn(text);
    const { mcp } = document;
    if (!isJsonObject(mcp)) return undefined;
    // Its second version has them one level deeper.
    const entries = isJsonObject(mcp.servers) && mcp.servers.type === undefined ? mcp.servers : mcp;
    const read = Object.entries(entries).map(([name, entry]) => [name, fromOpencode(entry)] as const);
    const expand: Expand = (one) =>
      one.replace(/\{env:(\w+)\}/g, '${$1}').replace(/\{file:([^}]+)\}/g, '${file:$1}');
    return readAll(Object.fromEntries(read), expand, switchedOffIn(document));
  },
  write: (door) => {
    const { command, args, env: environment } = entryOf(door, (name) => `{env:${name}}`);
    return writeJson({ mcp: { [DOOR]: { type: 'local', command: [command, ...args], environment } } });
  },
};

function fromOpencode(entry: unknown): unknown {
  if (!isJsonObject(entry)) return entry;
  const [command, ...args] = textsOf(entry.command) ?? [];
  return { ...entry, ...(command !== undefined && { command, args }), env: entry.environment ?? {} };
}

const COPILOT_CLI: Agent = {
  id: 'copilot-cli',
  title: 'GitHub Copilot CLI',
  files: '~/.copilot/mcp-config.json',
  source: 'https://docs.github.com/en/copilot/how-tos/copilot-cli/customize-copilot/add-mcp-servers',
  isPath: (path) => /mcp-config\.json$/.test(path),
  read: (text) => readAll(objectIn(text).mcpServers, asIs),
  write: (command) => {
    const entry = { type: 'local', ...entryOf(command, braces), tools: ['*'] };
    return writeJson({ mcpServers: { [DOOR]: entry } });
  },
};

/** Gemini CLI, and Qwen Code, which is made from it. */
const GEMINI_CLI: Agent = {
  id: 'gemini-cli',
  title: 'Gemini CLI',
  files: '~/.gemini/settings.json, or .gemini/settings.json of a project; .qwen/settings.json of Qwen Code',
  source: 'https://geminicli.com/docs/tools/mcp-server/',
  isPath: (path) => /\.(gemini|qwen)[\\/]settings\.json$/.test(path),
  read: (text) => {
    const document = objectIn(text);
    const expand: Expand = (one) => one.replace(/\$(\w+)/g, '${$1}');
    return readAll(document.mcpServers, expand, switchedOffIn(document));
  },
  write: (command) => writeServers(command, (name) => `$${name}`),
};

const WINDSURF: Agent = {
  id: 'windsurf',
  title: 'Windsurf',
  files: '~/.codeium/windsurf/mcp_config.json',
  source: 'https://docs.windsurf.com/windsurf/cascade/mcp',
  isPath: (path) => /mcp_config\.json$/.test(path),
  read: (text, place) => readAll(objectIn(text).mcpServers, expandEditor(place)),
  write: (command) => writeServers(command, (name) => `\${env:${name}}`),
};

const CLINE: Agent = {
  id: 'cline',
  title: 'Cline',
  files: 'cline_mcp_settings.json (MCP Servers, Configure)',
  source: 'https://docs.cline.bot/mcp/adding-and-configuring-servers',
  isPath: (path) => /cline_mcp_settings\.json$/.test(path),
  read: (text, place) => readAll(objectIn(text).mcpServers, expandEditor(place)),
  write: (command) => writeServers(command, (name) => `\${env:${name}}`),
};

const CONTINUE: Agent = {
  id: 'continue',
  title: 'Continue',
  files: '.continue/mcpServers/*.yaml of a project, or ~/.continue/config.yaml',
  source: 'https://docs.continue.dev/customize/deep-dives/mcp',
  isPath: (path) => /\.continue[\\/].*\.(ya?ml|json)$/.test(path),
  read: (text) => {
    const document = readDocument(text);
    const value: unknown = document.ok ? document.value : undefined;
    const { mcpServers } = isJsonObject(value) ? value : {};
    if (!Array.isArray(mcpServers)) return readAll(mcpServers, asIs);
    const listed = mcpServers.filter(isJsonObject);
    if (listed.length === 0) return undefined;
    const entries = listed.map((entry) => [String(entry.name), fromContinue(entry)] as const);
    const expand: Expand = (one) => one.replace(/\$\{\{\s*(?:secrets|inputs)\.(\w+)\s*\}\}/g, '${$1}');
    return readAll(Object.fromEntries(entries), expand);
  },
  // YAML has JSON in it.
  write: (command) =>
    writeJson({ mcpServers: [{ name: DOOR, ...entryOf(command, (name) => `\${{ secrets.${name} }}`) }] }),
};

function fromContinue({ requestOptions, ...entry }: JsonObject): JsonObject {
  const { headers, ...others } = isJsonObject(requestOptions) ? requestOptions : {};
  return {
    ...entry,
    ...(headers !== undefined && { headers }),
    ...(Object.keys(others).length > 0 && { requestOptions: others }),
  };
}

const ZED: Agent = {
  id: 'zed',
  title: 'Zed',
  files: '~/.config/zed/settings.json, or .zed/settings.json of a project',
  source: 'https://zed.dev/docs/ai/mcp',
  isPath: (path) => /[\\/]\.?zed[\\/]settings\.json$/.test(path),
  read: (text) => {
    const document = objectIn(text);
    const { context_servers: servers } = document;
    if (!isJsonObject(servers)) return undefined;
    const entries = Object.entries(servers).map(([name, entry]) => [name, fromZed(entry)] as const);
    return readAll(Object.fromEntries(entries), asIs, switchedOffIn({ agent: document.agent ?? null }));
  },
  write: (command) =>
    writeJson({ context_servers: { [DOOR]: entryOf(command, (name) => `VALUE OF ${name}`) } }),
  note: 'Zed does not expand variables: write the values instead.',
};

/** Earlier versions have the command as an object. */
function fromZed(entry: unknown): unknown {
  if (!isJsonObject(entry) || !isJsonObject(entry.command)) return entry;
  const { path, ...rest } = entry.command;
  return { ...entry, ...rest, ...(path !== undefined && { command: path }) };
}

/** Every agent whose settings can be read. */
export const AGENTS: readonly Agent[] = [
  CLAUDE_CODE,
  CLAUDE_DESKTOP,
  CURSOR,
  VS_CODE,
  CODEX,
  OPENCODE,
  COPILOT_CLI,
  GEMINI_CLI,
  WINDSURF,
  CLINE,
  CONTINUE,
  ZED,
];

/**
 * Parses JSON with comments and trailing commas, as several agents write their settings. Throws like
 * `JSON.parse`.
 */
export function parseJsonc(text: string): unknown {
  // Strings are kept whole; comments become blanks, so that places in error messages stay right.
  const bare = text
    .replace(/^\ufeff/, '')
    .replace(PIECES, (piece) => (piece.startsWith('"') ? piece : piece.replace(/[^\n]/g, ' ')));
  return JSON.parse(bare.replace(TRAILING_COMMAS, (piece, end) => (end === undefined ? piece : ` ${end}`)));
}

const PIECES = /"(?:[^"\\\n]|\\.)*"|\/\/[^\n]*|\/\*[\s\S]*?\*\//g;
const TRAILING_COMMAS = /"(?:[^"\\\n]|\\.)*"|,(\s*[}\]])/g;
