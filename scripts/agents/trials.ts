import type { AgentTrial, TrialPlace } from './agent-trial.ts';

const json = (value: unknown) => JSON.stringify(value, null, 2);

const mcpServers = ({ door }: TrialPlace, more: object = {}) => ({
  mcpServers: { winnow: { ...more, ...door } },
});

/** https://developers.openai.com/codex/noninteractive, https://developers.openai.com/codex/mcp */
const CODEX: AgentTrial = {
  id: 'codex',
  package: '@openai/codex@0.169.0',
  command: 'codex',
  prepare: ({ modelUrl, door, wish }) => ({
    files: {
      '.codex/config.toml': [
        'model = "gpt-5"',
        'model_provider = "scripted"',
        'approval_policy = "never"',
        'sandbox_mode = "danger-full-access"',
        '[model_providers.scripted]',
        'name = "scripted"',
        `base_url = ${JSON.stringify(`${modelUrl}/v1`)}`,
        'env_key = "OPENAI_API_KEY"',
        'wire_api = "responses"',
        '[mcp_servers.winnow]',
        `command = ${JSON.stringify(door.command)}`,
        `args = ${JSON.stringify(door.args)}`,
        'startup_timeout_sec = 60',
        'required = true',
      ].join('\n'),
    },
    env: { OPENAI_API_KEY: 'any' },
    args: ['exec', '--skip-git-repo-check', '--json', wish],
  }),
};

/** https://opencode.ai/docs/cli, https://opencode.ai/docs/mcp-servers */
const OPENCODE: AgentTrial = {
  id: 'opencode',
  package: 'opencode-ai@1.18.33',
  command: 'opencode',
  prepare: ({ modelUrl, door, wish }) => ({
    files: {
      '.config/opencode/opencode.json': json({
        provider: {
          scripted: {
            npm: '@ai-sdk/openai-compatible',
            options: { baseURL: `${modelUrl}/v1`, apiKey: 'any' },
            models: { model: {} },
          },
        },
        mcp: { winnow: { type: 'local', command: [door.command, ...door.args], timeout: 60_000 } },
      }),
    },
    env: {},
    args: ['run', '--auto', '-m', 'scripted/model', wish],
  }),
};

/** https://docs.github.com/en/copilot/concepts/agents/about-copilot-cli; `copilot help providers` */
const COPILOT_CLI: AgentTrial = {
  id: 'copilot',
  package: '@github/copilot@1.0.102',
  command: 'copilot',
  prepare: (place) => ({
    files: { '.copilot/mcp-config.json': json(mcpServers(place, { type: 'local', tools: ['*'] })) },
    env: {
      COPILOT_PROVIDER_BASE_URL: `${place.modelUrl}/v1`,
      COPILOT_PROVIDER_API_KEY: 'any',
      COPILOT_MODEL: 'gpt-4.1',
    },
    args: ['-p', place.wish, '--allow-all-tools', '--disable-builtin-mcps'],
  }),
};

/** https://code.claude.com/docs/en/headless, https://code.claude.com/docs/en/mcp */
const CLAUDE_CODE: AgentTrial = {
  id: 'claude',
  package: '@anthropic-ai/claude-code@2.1.330',
  command: 'claude',
  prepare: (place) => ({
    files: { 'mcp.json': json(mcpServers(place)) },
    env: {
      ANTHROPIC_BASE_URL: place.modelUrl,
      ANTHROPIC_API_KEY: 'any',
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      DISABLE_AUTOUPDATER: '1',
    },
    args: [
      ...['-p', place.wish, '--mcp-config', `${place.home}/mcp.json`, '--strict-mcp-config'],
      ...[
        '--allowedTools',
        'mcp__winnow__search_tools,mcp__winnow__call_tool',
        '--model',
        'claude-sonnet-4-5',
      ],
    ],
  }),
};

/** All agents that can be tried. */
export const TRIALS: readonly AgentTrial[] = [CLAUDE_CODE, CODEX, OPENCODE, COPILOT_CLI];
