/** Instructions to run an agent with tool search of its own, without a terminal. */
export interface DeferringTrial {
  /** Its npm package. */
  readonly package: string;
  /** Its command in `node_modules/.bin`. */
  readonly command: string;
  /** A query by which its search finds the 37th tool. */
  readonly query: string;
  readonly prepare: (place: DeferringPlace) => {
    /** Settings files to write, by path relative to the home directory. */
    readonly files: Readonly<Record<string, string>>;
    readonly env: Readonly<Record<string, string>>;
    readonly args: readonly string[];
  };
}

/** The environment of such an agent. */
interface DeferringPlace {
  /** An empty home directory for this agent. */
  readonly home: string;
  /** The proxy's address, without a path. */
  readonly url: string;
  /** The command that starts its MCP server. */
  readonly server: { readonly command: string; readonly args: readonly string[] };
  readonly wish: string;
}

/** https://developers.openai.com/codex/noninteractive */
const CODEX: DeferringTrial = {
  package: '@openai/codex@0.169.0',
  command: 'codex',
  query: 'number 37 of the shop',
  prepare: ({ url, server, wish }) => ({
    files: {
      '.codex/config.toml': [
        'model = "gpt-5.5"',
        'model_provider = "winnow"',
        'approval_policy = "never"',
        'sandbox_mode = "danger-full-access"',
        '[model_providers.winnow]',
        'name = "winnow"',
        `base_url = ${JSON.stringify(`${url}/v1`)}`,
        'env_key = "OPENAI_API_KEY"',
        'wire_api = "responses"',
        '[mcp_servers.shop]',
        `command = ${JSON.stringify(server.command)}`,
        `args = ${JSON.stringify(server.args)}`,
        'startup_timeout_sec = 60',
        'required = true',
      ].join('\n'),
    },
    env: { OPENAI_API_KEY: 'any' },
    args: ['exec', '--skip-git-repo-check', '--json', wish],
  }),
};

/** https://code.claude.com/docs/en/headless. With a custom base URL, its tool search is off by default. */
const CLAUDE_CODE: DeferringTrial = {
  package: '@anthropic-ai/claude-code@2.1.329',
  command: 'claude',
  query: 'select:mcp__shop__tool_37',
  prepare: ({ home, url, server, wish }) => ({
    files: { 'mcp.json': JSON.stringify({ mcpServers: { shop: server } }) },
    env: {
      ANTHROPIC_BASE_URL: url,
      ANTHROPIC_API_KEY: 'any',
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      DISABLE_AUTOUPDATER: '1',
      ENABLE_TOOL_SEARCH: 'true',
    },
    args: [
      ...['-p', wish, '--mcp-config', `${home}/mcp.json`, '--strict-mcp-config'],
      ...['--allowedTools', 'mcp__shop', '--model', 'claude-opus-4-8'],
    ],
  }),
};

/** All agents that are tried with their own search. */
export const DEFERRING_TRIALS: readonly DeferringTrial[] = [CODEX, CLAUDE_CODE];
