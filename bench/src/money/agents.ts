import type { ClientName } from './clients.ts';

/** A tool of an agent. */
export interface AgentTool {
  readonly name: string;
  readonly description: string;
  readonly parameters: object;
}

/** An agent whose requests are played: its own tools, those of MCP servers, and its system prompt. */
export interface PlayedAgent {
  readonly name: string;
  readonly client: ClientName;
  readonly model: string;
  readonly system: string;
  /** A tool of its own that its model calls in most requests. */
  readonly reads: string;
  readonly tools: readonly AgentTool[];
  /** Names of the tools of MCP servers among them. */
  readonly ofServers: readonly string[];
}

/** The shape of an agent's requests, as seen in captures of its public releases. */
interface Shape {
  readonly name: string;
  readonly client: ClientName;
  readonly model: string;
  readonly systemTokens: number;
  /** Own tools by name, with the tokens of their definitions; the first one reads files. */
  readonly own: Readonly<Record<string, number>>;
  readonly servers: number;
  /** Returns the agent's name for a tool of a server. */
  readonly nameOf: (server: string, tool: string) => string;
}

const SHAPES: readonly Shape[] = [
  {
    ...{ name: 'Claude Code', client: 'messages', model: 'claude-opus-5', systemTokens: 6_000, servers: 4 },
    own: {
      ...{ Read: 450, Bash: 1_600, Edit: 400, Write: 300, Glob: 200, Grep: 600, NotebookEdit: 300 },
      ...{ Task: 1_300, TodoWrite: 2_200, WebFetch: 400, WebSearch: 350, ExitPlanMode: 350, Skill: 400 },
    },
    nameOf: (server, tool) => `mcp__${server}__${tool}`,
  },
  {
    ...{ name: 'Codex', client: 'responses', model: 'gpt-5.4', systemTokens: 5_000, servers: 6 },
    own: { shell: 500, apply_patch: 700, update_plan: 350, view_image: 120, web_search_preview: 60 },
    nameOf: (server, tool) => `mcp__${server}__${tool}`,
  },
  {
    ...{ name: 'Copilot', client: 'chat', model: 'gpt-5.4', systemTokens: 7_000, servers: 5 },
    own: {
      ...{ read_file: 300, run_in_terminal: 700, apply_patch: 500, grep_search: 350, file_search: 200 },
      ...{ list_dir: 120, semantic_search: 150, get_errors: 200, fetch_webpage: 150, manage_todo_list: 900 },
      ...{ create_file: 200, get_changed_files: 150, run_tests: 300, test_search: 120 },
    },
    nameOf: (server, tool) => `mcp_${server}_${tool}`,
  },
  {
    ...{ name: 'Gemini CLI', client: 'gemini', model: 'gemini-3.5-flash', systemTokens: 5_500, servers: 5 },
    own: {
      ...{ read_file: 350, run_shell_command: 600, replace: 900, write_file: 250, glob: 300 },
      ...{ search_file_content: 250, list_directory: 250, web_fetch: 200, google_web_search: 150 },
      ...{ save_memory: 500, read_many_files: 800, write_todos: 1_000 },
    },
    nameOf: (_, tool) => tool,
  },
  {
    ...{ name: 'opencode', client: 'messages', model: 'claude-sonnet-5', systemTokens: 3_000, servers: 5 },
    own: {
      ...{ read: 350, bash: 1_900, edit: 400, write: 250, glob: 200, grep: 250, list: 150 },
      ...{ todowrite: 1_800, todoread: 200, task: 800, webfetch: 250 },
    },
    nameOf: (server, tool) => `${server}_${tool}`,
  },
  {
    ...{ name: 'Cline', client: 'chat', model: 'gpt-5.4', systemTokens: 4_000, servers: 4 },
    own: {
      ...{ read_file: 250, execute_command: 400, write_to_file: 300, replace_in_file: 600, list_files: 200 },
      ...{ search_files: 250, ask_followup_question: 200, attempt_completion: 300, browser_action: 700 },
    },
    nameOf: (server, tool) => `${server}0mcp0${tool}`,
  },
  {
    ...{ name: 'Continue', client: 'chat', model: 'gpt-5.4', systemTokens: 1_500, servers: 4 },
    own: {
      ...{ read_file: 120, run_terminal_command: 250, edit_existing_file: 250, create_new_file: 120 },
      ...{ grep_search: 150, file_glob_search: 100, view_diff: 60, fetch_url_content: 120 },
    },
    nameOf: (server, tool) => `${server}_${tool}`,
  },
];

const SERVERS = ['tracker', 'chat', 'calendar', 'database', 'storefront', 'warehouse'];
const VERBS = [
  'create',
  'list',
  'update',
  'delete',
  'search',
  'export',
  'share',
  'archive',
  'assign',
  'count',
];
const THINGS = ['ticket', 'channel', 'meeting', 'table', 'order', 'parcel'];
/** Tokens of a server's tool: some 300, as public MCP servers have on average. */
const SERVER_TOOL_TOKENS = 300;

const WORDS =
  'It takes every field of the record, checks it against the rules of the workspace, and says what has changed. ';

/** Returns a tool whose definition has about this many tokens, at four bytes each. */
function toolOf(name: string, says: string, tokens: number): AgentTool {
  const parameters = {
    type: 'object',
    properties: { path: { type: 'string' }, text: { type: 'string' } },
    required: ['path'],
  };
  const chars = Math.max(0, 4 * tokens - JSON.stringify(parameters).length - name.length - 40);
  return { name, description: `${says} ${WORDS.repeat(40)}`.slice(0, chars), parameters };
}

/** The agents that are played. Their texts are of the bench's own writing. */
export const AGENTS: readonly PlayedAgent[] = SHAPES.map(
  ({ name, client, model, systemTokens, own, servers, nameOf }) => {
    const ofServers = SERVERS.slice(0, servers).flatMap((server, at) =>
      VERBS.map((verb) => {
        const tool = `${verb}_${THINGS[at]}`;
        const says = `${verb} a ${THINGS[at]} of the ${server}.`;
        return toolOf(nameOf(server, tool), says, SERVER_TOOL_TOKENS);
      }),
    );
    const tools = Object.entries(own).map(([one, tokens]) => toolOf(one, `${one} of the agent.`, tokens));
    const sentence =
      'Work step by step, check every result twice, and ask before anything is changed for good. ';
    return {
      ...{ name, client, model, reads: tools[0]!.name, tools: [...tools, ...ofServers] },
      system: sentence.repeat(Math.ceil((4 * systemTokens) / sentence.length)).slice(0, 4 * systemTokens),
      ofServers: ofServers.map((tool) => tool.name),
    };
  },
);
