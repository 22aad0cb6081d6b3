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

  test('a second server of one name is named', () => {
    const projects = { '/p': { mcpServers: { x } }, '/q': { mcpServers: { x: { command: 'other' } } } };
    const outcome = importSettings({ path: '/h/.claude.json', text: json({ projects }) });
    expect(outcome).toMatchObject({ ok: true, imported: { leftOut: [{ name: 'x' }] } });
  });
});
