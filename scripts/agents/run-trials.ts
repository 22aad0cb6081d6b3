import { fileURLToPath } from 'node:url';

/** The place of an agent in a trial of `winnow run`. */
interface RunPlace {
  /** An empty home directory for this agent. */
  readonly home: string;
  /** Its working directory. */
  readonly workspace: string;
  /** The scripted provider's address, without a path: a company's gateway. */
  readonly gateway: string;
  /** The command that starts its MCP server. */
  readonly server: { readonly command: string; readonly args: readonly string[] };
  readonly wish: string;
}

/** Instructions to run an agent without a terminal, with one MCP server and a gateway in its environment. */
export interface RunTrial {
  readonly id: string;
  /** Its package in npm; undefined if the program must be in the path. */
  readonly package?: string;
  readonly command: string;
  /** Whether the agent has no tools but the ones that it writes into its prompt. */
  readonly hasNoTools?: true;
  readonly prepare: (place: RunPlace) => {
    /** Settings files to write, by path relative to the home directory. */
    readonly files: Readonly<Record<string, string>>;
    readonly env: Readonly<Record<string, string>>;
    readonly args: readonly string[];
  };
}

const json = (value: unknown) => JSON.stringify(value, null, 2);

/** https://code.claude.com/docs/en/headless; a gateway in the environment, and one in the settings. */
const CLAUDE_CODE = (id: string, isInSettings: boolean): RunTrial => ({
  id,
  package: '@anthropic-ai/claude-code@2.1.330',
  command: 'claude',
  prepare: ({ home, gateway, server, wish }) => ({
    files: {
      'mcp.json': json({ mcpServers: { shop: server } }),
      ...(isInSettings && {
        '.claude/settings.json': json({ env: { ANTHROPIC_BASE_URL: gateway } }),
      }),
    },
    env: {
      ...(!isInSettings && { ANTHROPIC_BASE_URL: gateway }),
      ANTHROPIC_API_KEY: 'any',
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      DISABLE_AUTOUPDATER: '1',
    },
    args: [
      ...['-p', wish, '--mcp-config', `${home}/mcp.json`, '--strict-mcp-config'],
      ...['--allowedTools', 'mcp__shop', '--model', 'claude-opus-4-5'],
    ],
  }),
});

/** https://developers.openai.com/codex/noninteractive; the built-in provider, and one of the settings. */
const CODEX = (id: string, isOwnProvider: boolean): RunTrial => ({
  id,
  package: '@openai/codex@0.169.0',
  command: 'codex',
  prepare: ({ gateway, server, wish }) => ({
    files: {
      '.codex/auth.json': json({ auth_mode: 'apikey', OPENAI_API_KEY: 'any' }),
      '.codex/config.toml': [
        'model = "gpt-5"',
        'approval_policy = "never"',
        'sandbox_mode = "danger-full-access"',
        ...(isOwnProvider
          ? ['model_provider = "gateway"']
          : [`openai_base_url = ${JSON.stringify(`${gateway}/v1`)}`]),
        ...(isOwnProvider
          ? [
              '[model_providers.gateway]',
              'name = "gateway"',
              `base_url = ${JSON.stringify(`${gateway}/v1`)}`,
              'env_key = "OPENAI_API_KEY"',
              'wire_api = "responses"',
            ]
          : []),
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
});

/** https://geminicli.com/docs/get-started/authentication */
const GEMINI_CLI: RunTrial = {
  id: 'gemini',
  package: '@google/gemini-cli@0.61.0',
  command: 'gemini',
  prepare: ({ gateway, server, wish }) => ({
    files: {
      '.gemini/settings.json': json({
        mcpServers: { shop: { ...server, trust: true } },
        security: { auth: { selectedType: 'gemini-api-key' } },
      }),
    },
    env: {
      GEMINI_API_KEY: 'any',
      GOOGLE_GEMINI_BASE_URL: gateway,
      GEMINI_CLI_TRUST_WORKSPACE: 'true',
    },
    args: ['-m', 'gemini-2.5-pro', '--yolo', '-p', wish],
  }),
};

/** https://opencode.ai/docs/cli; providers that read the variables of the AI SDK. */
const OPENCODE = (id: string, model: string, env: (gateway: string) => Record<string, string>): RunTrial => ({
  id,
  package: 'opencode-ai@1.18.33',
  command: 'opencode',
  prepare: ({ gateway, server, wish }) => ({
    files: {
      '.config/opencode/opencode.json': json({
        mcp: { shop: { type: 'local', command: [server.command, ...server.args], timeout: 60_000 } },
      }),
    },
    env: { ...env(gateway), OPENCODE_DISABLE_AUTOUPDATE: '1' },
    args: ['run', '--auto', '-m', model, wish],
  }),
});

/** `copilot help providers` */
const COPILOT_CLI: RunTrial = {
  id: 'copilot',
  package: '@github/copilot@1.0.102',
  command: 'copilot',
  prepare: ({ gateway, server, wish }) => ({
    files: {
      '.copilot/mcp-config.json': json({ mcpServers: { shop: { type: 'local', tools: ['*'], ...server } } }),
    },
    env: {
      COPILOT_PROVIDER_BASE_URL: `${gateway}/v1`,
      COPILOT_PROVIDER_API_KEY: 'any',
      COPILOT_MODEL: 'gpt-4.1',
    },
    args: ['-p', wish, '--allow-all-tools', '--disable-builtin-mcps'],
  }),
};

/** https://qwenlm.github.io/qwen-code-docs/en/users/configuration/auth */
const QWEN_CODE: RunTrial = {
  id: 'qwen',
  package: '@qwen-code/qwen-code@0.24.4',
  command: 'qwen',
  prepare: ({ gateway, server, wish }) => ({
    files: { '.qwen/settings.json': json({ mcpServers: { shop: { ...server, trust: true } } }) },
    env: { OPENAI_API_KEY: 'any', OPENAI_BASE_URL: `${gateway}/v1`, OPENAI_MODEL: 'gpt-4.1' },
    args: ['--yolo', '-p', wish],
  }),
};

/** https://aider.chat/docs/scripting.html: it calls no tools, so that nothing can be held back. */
const AIDER: RunTrial = {
  id: 'aider',
  command: 'aider',
  hasNoTools: true,
  prepare: ({ gateway, wish }) => ({
    files: {},
    env: { OPENAI_API_KEY: 'any', OPENAI_API_BASE: `${gateway}/v1` },
    args: [
      ...['--model', 'openai/gpt-4.1', '--no-git', '--yes-always', '--no-check-update', '--no-stream'],
      ...['--no-show-model-warnings', '--analytics-disable', '--message', wish],
    ],
  }),
};

/** https://block.github.io/goose/docs/guides/running-tasks */
const GOOSE: RunTrial = {
  id: 'goose',
  command: 'goose',
  prepare: ({ gateway, server, wish }) => ({
    files: {
      '.config/goose/config.yaml': json({
        extensions: {
          shop: { enabled: true, type: 'stdio', name: 'shop', cmd: server.command, args: server.args },
        },
      }),
    },
    env: {
      GOOSE_PROVIDER: 'openai',
      GOOSE_MODEL: 'gpt-4.1',
      OPENAI_API_KEY: 'any',
      OPENAI_HOST: gateway,
      GOOSE_DISABLE_KEYRING: '1',
    },
    args: ['run', '--no-session', '-t', wish],
  }),
};

/** A program by a provider's SDK for Python, which must be installed for the `python` in the path. */
const PYTHON = (sdk: string, env: (gateway: string) => Record<string, string>): RunTrial => ({
  id: `python-${sdk}`,
  command: 'python',
  prepare: ({ gateway }) => ({
    files: {},
    env: env(gateway),
    args: [fileURLToPath(new URL('agent.py', import.meta.url)), sdk],
  }),
});

/** All agents that can be tried. */
export const RUN_TRIALS: readonly RunTrial[] = [
  CLAUDE_CODE('claude', false),
  CLAUDE_CODE('claude-settings', true),
  CODEX('codex', false),
  CODEX('codex-provider', true),
  GEMINI_CLI,
  OPENCODE('opencode-anthropic', 'anthropic/claude-opus-4-5', (gateway) => ({
    ANTHROPIC_API_KEY: 'any',
    ANTHROPIC_BASE_URL: `${gateway}/v1`,
  })),
  OPENCODE('opencode-openai', 'openai/gpt-5', (gateway) => ({
    OPENAI_API_KEY: 'any',
    OPENAI_BASE_URL: `${gateway}/v1`,
  })),
  COPILOT_CLI,
  QWEN_CODE,
  AIDER,
  GOOSE,
  PYTHON('openai', (gateway) => ({ OPENAI_API_KEY: 'any', OPENAI_BASE_URL: `${gateway}/v1` })),
  PYTHON('anthropic', (gateway) => ({ ANTHROPIC_API_KEY: 'any', ANTHROPIC_BASE_URL: gateway })),
  PYTHON('google-genai', (gateway) => ({ GEMINI_API_KEY: 'any', GOOGLE_GEMINI_BASE_URL: gateway })),
  PYTHON('ollama', (gateway) => ({ OLLAMA_HOST: gateway })),
  PYTHON('boto3', (gateway) => ({
    AWS_REGION: 'us-east-1',
    AWS_DEFAULT_REGION: 'us-east-1',
    AWS_ACCESS_KEY_ID: 'any',
    AWS_SECRET_ACCESS_KEY: 'any',
    AWS_ENDPOINT_URL_BEDROCK_RUNTIME: gateway,
  })),
];
