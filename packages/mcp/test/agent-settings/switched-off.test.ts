import { describe, expect, test } from 'vitest';
import { importSettings } from '../../src/index.ts';
import { readServers } from '../../src/servers/config/read-servers.ts';
import { refuseCall } from '../../src/servers/take-over-list.ts';

const json = (value: object) => JSON.stringify(value);
const x = { command: 'x' };

/** Settings with a server `x` whose tool `danger` is off, and whether `safe` is as well. */
const SETTINGS: readonly [agent: string, path: string, text: string, isAllOff?: true][] = [
  ['Claude Code', '/p/.mcp.json', json({ mcpServers: { x }, disabledMcpServers: ['x'] }), true],
  [
    'Claude Code, of a project',
    '/h/.claude.json',
    json({ projects: { '/p': { mcpServers: { x }, disabledMcpServers: ['x'] } } }),
    true,
  ],
  [
    'Claude Code, permissions',
    '/p/.mcp.json',
    json({ mcpServers: { x }, permissions: { deny: ['mcp__x__danger'] } }),
  ],
  [
    'Claude Desktop',
    '/h/claude_desktop_config.json',
    json({ mcpServers: { x: { ...x, disabled: true } } }),
    true,
  ],
  ['Cursor', '/h/.cursor/mcp.json', json({ mcpServers: { x: { ...x, disabledTools: ['danger'] } } })],
  ['VS Code', '/h/.vscode/mcp.json', json({ servers: { x: { ...x, tools: ['safe'] } } })],
  ['Codex', '/h/config.toml', '[mcp_servers.x]\ncommand = "x"\ndisabled_tools = ["danger"]'],
  ['Codex, allowed', '/h/config.toml', '[mcp_servers.x]\ncommand = "x"\nenabled_tools = ["safe"]'],
  ['Codex, off', '/h/config.toml', '[mcp_servers.x]\ncommand = "x"\nenabled = false', true],
  [
    'opencode',
    '/h/opencode.json',
    json({ mcp: { x: { type: 'local', command: ['x'] } }, tools: { x_danger: false } }),
  ],
  [
    'opencode, all',
    '/h/opencode.json',
    json({ mcp: { x: { type: 'local', command: ['x'] } }, tools: { 'x_*': false } }),
    true,
  ],
  [
    'opencode, by the end of a name',
    '/h/opencode.json',
    json({ mcp: { x: { type: 'local', command: ['x'] } }, tools: { '*_danger': false } }),
  ],
  ['Copilot CLI', '/h/mcp-config.json', json({ mcpServers: { x: { ...x, tools: ['safe'] } } })],
  ['Copilot CLI, none', '/h/mcp-config.json', json({ mcpServers: { x: { ...x, tools: [] } } }), true],
  ['Gemini CLI', '/h/.gemini/settings.json', json({ mcpServers: { x: { ...x, excludeTools: ['danger'] } } })],
  [
    'Gemini CLI, two lists',
    '/h/.gemini/settings.json',
    json({ mcpServers: { x: { ...x, includeTools: ['safe', 'danger'], excludeTools: ['danger'] } } }),
  ],
  [
    'Gemini CLI, excluded',
    '/h/.gemini/settings.json',
    json({ mcpServers: { x }, mcp: { excluded: ['x'] } }),
    true,
  ],
  [
    'Gemini CLI, allowed',
    '/h/.gemini/settings.json',
    json({ mcpServers: { x }, mcp: { allowed: ['y'] } }),
    true,
  ],
  [
    'opencode, on again',
    '/h/opencode.json',
    json({ mcp: { x: { type: 'local', command: ['x'] } }, tools: { 'x_*': false, x_safe: true } }),
  ],
  [
    'opencode, off again',
    '/h/opencode.json',
    json({
      mcp: { x: { type: 'local', command: ['x'] } },
      permission: { '*': 'allow', 'x_*': 'ask', x_danger: 'deny' },
    }),
  ],
  [
    'Claude Code, of administrators',
    '/p/.mcp.json',
    json({ mcpServers: { x }, deniedMcpServers: [{ serverName: 'x' }] }),
    true,
  ],
  [
    'Gemini CLI, by qualified names',
    '/h/.gemini/settings.json',
    json({ mcpServers: { x }, tools: { exclude: ['mcp_x_danger'] } }),
  ],
  [
    'Gemini CLI, by names',
    '/h/.gemini/settings.json',
    json({ mcpServers: { x }, excludeTools: ['x__danger'] }),
  ],
  [
    'Gemini CLI, of administrators',
    '/h/.gemini/settings.json',
    json({ mcpServers: { x }, admin: { mcp: { enabled: false } } }),
    true,
  ],
  [
    'Qwen Code, by a glob',
    '/h/.qwen/settings.json',
    json({ mcpServers: { x }, mcp: { excluded: ['?'] } }),
    true,
  ],
  [
    'Codex, with approvals',
    '/h/config.toml',
    '[mcp_servers.x]\ncommand = "x"\ndisabled_tools = ["danger"]\n[mcp_servers.x.tools.safe]\napproval_mode = "prompt"',
  ],
  [
    'Continue',
    '/p/.continue/mcpServers/a.yaml',
    'mcpServers: [{ name: x, command: x, disabled: true }]',
    true,
  ],
  ['Zed', '/h/.config/zed/settings.json', json({ context_servers: { x: { ...x, enabled: false } } }), true],
  ['Windsurf', '/h/mcp_config.json', json({ mcpServers: { x: { ...x, disabledTools: ['danger'] } } })],
  ['Cline', '/h/cline_mcp_settings.json', json({ mcpServers: { x: { ...x, disabled: true } } }), true],
  [
    'a list that cannot be read',
    '/h/cline_mcp_settings.json',
    json({ mcpServers: { x: { ...x, disabledTools: { danger: true } } } }),
    true,
  ],
];

/** Whether a tool can be called after a configuration is read. */
function isCallable(configuration: string, tool: string): boolean {
  const { entries } = readServers(configuration, {});
  const [entry] = entries;
  if (entry === undefined || !entry.isEnabled) return false;
  return refuseCall({ namespace: entry.namespace, name: tool }, entry, undefined) === undefined;
}

describe('tools and servers that an agent has switched off', () => {
  test.each(SETTINGS)('cannot be called after an import: %s', (_, path, text, isAllOff) => {
    const outcome = importSettings({ path, text });
    if (!outcome.ok) throw new Error(outcome.problem);
    const { configuration } = outcome.imported;
    expect(isCallable(configuration, 'danger')).toBe(false);
    if (isAllOff === undefined) expect(isCallable(configuration, 'safe')).toBe(true);
  });

  const documents = SETTINGS.filter(
    ([, , text]) => /"(mcpServers|servers)"/.test(text) && !/"projects"/.test(text),
  );
  test.each(documents)(
    'cannot be called from the same file as a configuration: %s',
    (_, __, text, isAllOff) => {
      expect(isCallable(text, 'danger')).toBe(false);
      if (isAllOff === undefined) expect(isCallable(text, 'safe')).toBe(true);
    },
  );

  test('and what else is dropped is named, with a remedy', () => {
    const entry = {
      ...x,
      envFile: '.env',
      timeout: 5,
      autoApprove: ['safe'],
      headersHelper: 'h',
      oauth: {},
      odd: 1,
    };
    const outcome = importSettings({ path: '/p/.mcp.json', text: json({ mcpServers: { x: entry } }) });
    if (!outcome.ok) throw new Error(outcome.problem);
    const keys = ['envFile', 'timeout', 'autoApprove', 'headersHelper', 'oauth', 'odd'];
    expect(outcome.imported.dropped.map(({ key }) => key)).toEqual(keys.map((key) => `x.${key}`));
    for (const { remedy } of outcome.imported.dropped) expect(remedy).not.toBe('');
    const { odd: _, ...known } = entry;
    expect(readServers(json({ mcpServers: { x: known } }), {}).notices).toHaveLength(5);
  });

  test('rules for one agent only are named', () => {
    const mcp = { x: { type: 'local', command: ['x'] } };
    const text = json({ mcp, tools: { 'x_*': false }, agent: { build: { tools: { 'x_*': true } } } });
    expect(importSettings({ path: '/h/opencode.json', text })).toMatchObject({
      imported: { dropped: [{ key: 'agent.build.tools' }], servers: [{ include: [] }] },
    });
    const profiles = { ask: { tools: {}, context_servers: { x: { tools: { danger: false } } } } };
    const zed = json({ context_servers: { x }, agent: { profiles } });
    expect(importSettings({ path: '/h/.zed/settings.json', text: zed })).toMatchObject({
      imported: { dropped: [{ key: 'profiles.ask.tools' }, { key: 'profiles.ask.context_servers' }] },
    });
  });

  test('an empty name in a list that restricts is refused', () => {
    const text = json({ mcpServers: { x: { ...x, exclude: [''] } } });
    expect(readServers(text, {}).problems).toEqual(['mcpServers.x.exclude.0 must not be empty.']);
  });

  /** Documented keys of each agent beyond those that are kept, from its program or documentation (AGENTS say where). */
  const KEYS = {
    'claude-code': 'timeout alwaysLoad headersHelper oauth',
    cursor: 'envFile auth',
    vscode: 'envFile sandbox sandboxEnabled dev gallery version',
    codex:
      'experimental_environment startup_timeout_sec startup_timeout_ms tool_timeout_sec required supports_parallel_tool_calls default_tools_approval_mode scopes oauth oauth_resource name',
    opencode: 'timeout oauth',
    'copilot-cli': 'timeout',
    'gemini-cli':
      'timeout trust description extension oauth authProviderType targetAudience targetServiceAccount discoveryTimeoutMs versionNegotiation',
    windsurf: 'alwaysAllow',
    cline: 'autoApprove timeout networkTimeout transportType',
    continue: 'serverName faviconUrl sourceFile connectionTimeout requestOptions',
    zed: 'source remote timeout',
  };

  test.each(Object.entries(KEYS))('documented keys of %s are named, with a remedy', (id, keys) => {
    const more = Object.fromEntries(
      keys
        .split(' ')
        .map((key) => [
          key,
          key === 'trust' ? true : key === 'auth' || key === 'requestOptions' ? { CLIENT_ID: 'a' } : 1,
        ]),
    );
    const entry = { ...x, ...more };
    const text =
      id === 'codex'
        ? `[mcp_servers.x]\n${Object.entries(entry)
            .map(([key, value]) => `${key} = ${JSON.stringify(value)}`)
            .join('\n')}`
        : json(
            id === 'continue'
              ? { mcpServers: [{ ...entry, name: 'x' }] }
              : {
                  [id === 'vscode'
                    ? 'servers'
                    : id === 'opencode'
                      ? 'mcp'
                      : id === 'zed'
                        ? 'context_servers'
                        : 'mcpServers']: { x: { ...entry, ...(id === 'opencode' && { command: ['x'] }) } },
                },
          );
    const outcome = importSettings({ path: '/x', text }, id);
    if (!outcome.ok) throw new Error(outcome.problem);
    const named = outcome.imported.dropped.map(({ key }) => key.slice('x.'.length));
    expect(named.filter((key) => key !== 'name').sort()).toEqual(
      keys
        .split(' ')
        .filter((key) => key !== 'name')
        .sort(),
    );
    for (const { remedy } of outcome.imported.dropped) expect(remedy).not.toBe('it is not known here');
  });

  test('a second server of one name is named', () => {
    const projects = { '/p': { mcpServers: { x } }, '/q': { mcpServers: { x: { command: 'other' } } } };
    const outcome = importSettings({ path: '/h/.claude.json', text: json({ projects }) });
    expect(outcome).toMatchObject({ ok: true, imported: { leftOut: [{ name: 'x' }] } });
  });
});
