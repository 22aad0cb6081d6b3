// biome-ignore-all lint/suspicious/noTemplateCurlyInString: that is how agents write variables.
import { parse as parseToml } from 'smol-toml';
import { describe, expect, test } from 'vitest';
import { AGENTS, parseJsonc } from '../../src/agent-settings/agents.ts';
import { importSettings, writeDoorEntry } from '../../src/index.ts';

const DOOR = {
  command: 'npx',
  args: ['-y', 'winnow-tools', 'mcp', '--config', '/home/me/.config/winnow/mcp.json'],
};

function imported(path: string, text: string, agent?: string) {
  const outcome = importSettings({ path, text }, agent);
  if (!outcome.ok) throw new Error(outcome.problem);
  const { configuration, ...rest } = outcome.imported;
  return { ...rest, configuration: JSON.parse(configuration), entry: writeDoorEntry(outcome.imported, DOOR) };
}

// Each is of the form that the agent's own documentation shows (AGENTS say where).
describe('settings of agents', () => {
  test('Claude Code: .mcp.json, with variables and defaults', () => {
    const { agent, configuration, variables, entry } = imported(
      '/home/me/shop/.mcp.json',
      JSON.stringify({
        mcpServers: {
          github: {
            type: 'http',
            url: 'https://api.example.com/mcp',
            headers: { Authorization: 'Bearer ${GH_TOKEN}' },
          },
          db: {
            command: 'npx',
            args: ['-y', 'db-mcp', '${DB_URL:-postgres://localhost}'],
            env: { DEBUG: '1' },
          },
        },
      }),
    );
    expect(agent.title).toBe('Claude Code');
    expect(configuration).toEqual({
      mcpServers: {
        github: {
          type: 'http',
          url: 'https://api.example.com/mcp',
          headers: { Authorization: 'Bearer ${GH_TOKEN}' },
        },
        db: {
          type: 'stdio',
          command: 'npx',
          args: ['-y', 'db-mcp', '${DB_URL:-postgres://localhost}'],
          env: { DEBUG: '1' },
        },
      },
    });
    expect(variables).toEqual(['GH_TOKEN']);
    expect(JSON.parse(entry)).toEqual({
      mcpServers: { winnow: { ...DOOR, env: { GH_TOKEN: '${GH_TOKEN}' } } },
    });
  });

  test("Claude Code: ~/.claude.json, with the user's servers and those of projects", () => {
    const { configuration } = imported(
      '/home/me/.claude.json',
      JSON.stringify({
        numStartups: 7,
        mcpServers: { a: { command: 'a' } },
        projects: {
          '/x': { mcpServers: { a: { command: 'other' }, b: { command: 'b' } } },
          '/y': { history: [] },
        },
      }),
    );
    expect(configuration.mcpServers).toMatchObject({ a: { command: 'a' }, b: { command: 'b' } });
  });

  test('Claude Desktop: without variables', () => {
    const { agent, entry } = imported(
      '/Users/me/Library/Application Support/Claude/claude_desktop_config.json',
      '{"mcpServers":{"fs":{"command":"npx","args":["fs"],"env":{"KEY":"${KEY}"}}}}',
    );
    expect(agent.title).toBe('Claude Desktop');
    expect(JSON.parse(entry).mcpServers.winnow.env).toEqual({ KEY: 'VALUE OF KEY' });
    expect(agent.note).toContain('write the values');
  });

  test('Cursor: its variables, in and out', () => {
    const { configuration, variables, entry } = imported(
      '/home/me/shop/.cursor/mcp.json',
      JSON.stringify({
        mcpServers: {
          local: {
            command: '${userHome}/bin/s',
            args: ['${workspaceFolder}/data'],
            env: { K: '${env:API_KEY}' },
          },
          remote: { url: 'https://e.com/mcp', headers: { X: '${env:API_KEY}' } },
        },
      }),
    );
    expect(configuration.mcpServers).toEqual({
      local: {
        type: 'stdio',
        command: '${HOME}/bin/s',
        args: ['/home/me/shop/data'],
        env: { K: '${API_KEY}' },
      },
      remote: { type: 'http', url: 'https://e.com/mcp', headers: { X: '${API_KEY}' } },
    });
    expect(variables).toEqual(['API_KEY']);
    expect(JSON.parse(entry).mcpServers.winnow.env).toEqual({ API_KEY: '${env:API_KEY}' });
  });

  test('VS Code: comments, inputs, and its own name for the list', () => {
    const { agent, configuration, entry } = imported(
      '/home/me/shop/.vscode/mcp.json',
      `{
        // asked for once
        "inputs": [{ "type": "promptString", "id": "api-key", "password": true }],
        "servers": {
          "s": { "type": "stdio", "command": "s", "env": { "KEY": "\${input:api-key}" }, }, /* last */
        },
      }`,
    );
    expect(configuration.mcpServers).toEqual({
      s: { type: 'stdio', command: 's', args: [], env: { KEY: '${API_KEY}' } },
    });
    expect(JSON.parse(entry)).toEqual({
      servers: { winnow: { type: 'stdio', ...DOOR, env: { API_KEY: '${env:API_KEY}' } } },
    });
    expect(agent.note).toContain('inputs');
  });

  test('Codex: TOML, with variables by name and lists of tools', () => {
    const { configuration, variables, entry } = imported(
      '/home/me/.codex/config.toml',
      `model = "x"
[mcp_servers.docs]
command = "npx"
args = ["-y", "docs-mcp"]
env_vars = ["DOCS_KEY"]
enabled_tools = ["search"]
disabled_tools = ["delete"]
[mcp_servers.docs.env]
MODE = "fast"
[mcp_servers.remote]
url = "https://e.com/mcp"
bearer_token_env_var = "E_TOKEN"
http_headers = { "X-Region" = "eu" }
env_http_headers = { "X-Team" = "TEAM" }
enabled = false
`,
    );
    expect(configuration.mcpServers).toEqual({
      docs: {
        type: 'stdio',
        command: 'npx',
        args: ['-y', 'docs-mcp'],
        env: { DOCS_KEY: '${DOCS_KEY}', MODE: 'fast' },
        include: ['search'],
        exclude: ['delete'],
      },
      remote: {
        type: 'http',
        url: 'https://e.com/mcp',
        headers: { 'X-Region': 'eu', 'X-Team': '${TEAM}', Authorization: 'Bearer ${E_TOKEN}' },
        enabled: false,
      },
    });
    expect(variables).toEqual(['DOCS_KEY']);
    expect(parseToml(entry)).toEqual({ mcp_servers: { winnow: { ...DOOR, env_vars: ['DOCS_KEY'] } } });
  });

  test.each(['flat', 'one level deeper'])('opencode: servers that stand %s', (where) => {
    const servers = {
      l: { type: 'local', command: ['bun', 'x', 'm'], environment: { K: '{env:KEY}' }, enabled: true },
      r: { type: 'remote', url: 'https://e.com', headers: { A: 'Bearer {env:T}' }, enabled: false },
    };
    const { configuration, entry } = imported(
      '/home/me/.config/opencode/opencode.jsonc',
      JSON.stringify({ mcp: where === 'flat' ? servers : { servers } }),
    );
    expect(configuration.mcpServers).toEqual({
      l: { type: 'stdio', command: 'bun', args: ['x', 'm'], env: { K: '${KEY}' } },
      r: { type: 'http', url: 'https://e.com', headers: { A: 'Bearer ${T}' }, enabled: false },
    });
    expect(JSON.parse(entry)).toEqual({
      mcp: { winnow: { type: 'local', command: ['npx', ...DOOR.args], environment: { KEY: '{env:KEY}' } } },
    });
  });

  test('Copilot CLI: a list of tools for each', () => {
    const { configuration, entry } = imported(
      '/home/me/.copilot/mcp-config.json',
      JSON.stringify({
        mcpServers: {
          all: { type: 'local', command: 'a', args: [], tools: ['*'] },
          some: { type: 'http', url: 'https://e.com', tools: ['get'] },
        },
      }),
    );
    expect(configuration.mcpServers).toEqual({
      all: { type: 'stdio', command: 'a', args: [], env: {} },
      some: { type: 'http', url: 'https://e.com', headers: {}, include: ['get'] },
    });
    expect(JSON.parse(entry)).toEqual({ mcpServers: { winnow: { type: 'local', ...DOOR, tools: ['*'] } } });
  });
});

describe('importing', () => {
  test('leaves out what cannot be taken over, and says why without a value of it', () => {
    const { servers, leftOut } = imported(
      '/x/.mcp.json',
      JSON.stringify({
        mcpServers: {
          old: { type: 'sse', url: 'https://secret.example' },
          none: {},
          odd: 7,
          numbers: { command: 'x', args: [1] },
          nested: { command: 'x', env: { K: { secret: 1 } } },
          winnow: { command: 'npx', args: ['-y', 'winnow-tools', 'mcp', '--config', 'x'] },
        },
      }),
    );
    expect(servers).toEqual([]);
    expect(leftOut.map(({ name }) => name)).toEqual(['old', 'none', 'odd', 'numbers', 'nested', 'winnow']);
    expect(leftOut.at(-1)!.reason).toBe('it is this front door');
    expect(JSON.stringify(leftOut)).not.toContain('secret');
  });

  test.each(AGENTS.map((agent) => [agent.id, agent] as const))(
    'the entry for %s is one that is read again, and taken for this front door',
    (id, agent) => {
      const path = { codex: 'c.toml', opencode: 'opencode.json' }[id] ?? 'x.json';
      const outcome = importSettings({ path, text: agent.write({ ...DOOR, variables: ['K'] }) }, id);
      expect(outcome).toMatchObject({ ok: true, imported: { servers: [], leftOut: [{ name: 'winnow' }] } });
    },
  );

  test('a file of another name is known by its form, and an agent can be named', () => {
    expect(imported('/x/settings.json', '{"servers":{"a":{"command":"a"}}}').agent.id).toBe('vscode');
    expect(imported('/x/settings.json', '{"mcpServers":{"a":{"command":"a"}}}', 'cursor').agent.id).toBe(
      'cursor',
    );
    expect(importSettings({ path: '/x', text: '' }, 'emacs')).toMatchObject({
      ok: false,
      problem: expect.stringContaining('There is no agent emacs'),
    });
  });

  test.each(['', '{', 'secret = ', '[]', 'null', '{"a":1}', '{"mcpServers":[]}'])(
    'of %j nothing is read, and nothing is quoted',
    (text) => {
      for (const path of ['/x/.mcp.json', '/x/config.toml', '/x/y.json']) {
        const outcome = importSettings({ path, text });
        expect(outcome).toMatchObject({ ok: false });
        expect(JSON.stringify(outcome)).not.toContain('secret');
      }
    },
  );

  test('comments and trailing commas are passed over, and strings are not touched', () => {
    expect(parseJsonc('\ufeff{"a": "// no /* comment */ ,}", /* x */ "b": [1, 2, ], // end\n}')).toEqual({
      a: '// no /* comment */ ,}',
      b: [1, 2],
    });
    expect(() => parseJsonc('{"a": 1,, }')).toThrow();
  });
});
