import { describe, expect, inject, test } from 'vitest';
import { readServers } from '../src/servers/config/read-servers.ts';

const read = (value: unknown, environment = {}) => readServers(JSON.stringify(value), environment);
const one = (entry: unknown, environment = {}) => {
  const { entries, problems } = read({ mcpServers: { github: entry } }, environment);
  if (problems.length > 0) throw new Error(problems.join('\n'));
  return entries[0]!;
};
const problemsOf = (entry: unknown, environment = {}) =>
  read({ mcpServers: { github: entry } }, environment).problems;

const STDIO = { command: 'npx', args: ['-y', 'server'], env: { KEY: 'value' } };

describe('what agents write', () => {
  test('is read as Claude Desktop, Claude Code and Cursor have it', () => {
    expect(one(STDIO)).toEqual({
      name: 'github',
      transport: {
        type: 'stdio',
        command: 'npx',
        args: ['-y', 'server'],
        env: { KEY: 'value' },
        network: {},
        cwd: undefined,
      },
      tenant: 'default',
      namespace: 'github',
      prefix: undefined,
      sharedWith: [],
      isolation: undefined,
      maxProcesses: 16,
      tags: [],
      include: undefined,
      exclude: [],
      isEnabled: true,
      trustsAnnotations: false,
      isPinned: false,
      refresh: { minMs: 30_000, maxMs: 3_600_000 },
      timeouts: { connectMs: 30_000, listMs: 60_000, callMs: 120_000 },
      dropAfterMs: 86_400_000,
    });
    expect(one({ type: 'http', url: 'https://h.test/mcp', headers: { 'X-Key': 'k' } }).transport).toEqual({
      type: 'http',
      url: 'https://h.test/mcp',
      headers: { 'X-Key': 'k' },
      auth: undefined,
      deniesPrivate: false,
    });
  });

  test('is read as VS Code has it, with comments and commas', () => {
    const text = `{
      // the servers
      "inputs": [],
      "servers": {
        "a": { "type": "stdio", "command": "run", "env": { "U": "http://x//y" }, }, /* one */
\t\t"b": { "url": "https://h.test/mcp" },
      },
    }`;
    const { entries, problems } = readServers(text, {});
    expect(problems).toEqual([]);
    expect(entries.map(({ name }) => name)).toEqual(['a', 'b']);
    expect(entries[0]!.transport).toMatchObject({ env: { U: 'http://x//y' } });
  });

  test('is read as YAML', () => {
    const { entries, problems } = readServers('mcpServers:\n  a:\n    url: https://h.test/mcp # here\n', {});
    expect(problems).toEqual([]);
    expect(entries[0]!.transport).toMatchObject({ url: 'https://h.test/mcp' });
  });

  test('is read as Windsurf, Gemini CLI and Cline write it; keys that only concern them are reported', () => {
    expect(one({ serverUrl: 'https://h.test/mcp', disabled: true }).isEnabled).toBe(false);
    expect(one({ httpUrl: 'https://h.test/mcp', includeTools: ['a'], excludeTools: ['b'] })).toMatchObject({
      include: ['a'],
      exclude: ['b'],
    });
    const { notices, problems } = read({
      mcpServers: { s: { ...STDIO, trust: true, autoApprove: ['x'], timeout: 60 } },
    });
    expect(problems).toEqual([]);
    expect(notices.map((notice) => notice.split(' ')[0]).sort()).toEqual([
      'mcpServers.s.autoApprove',
      'mcpServers.s.timeout',
      'mcpServers.s.trust',
    ]);
  });

  test('may stand among all that an agent keeps', () => {
    expect(read({ globalShortcut: '', projects: {}, mcpServers: { a: STDIO } })).toMatchObject({
      problems: [],
      entries: [{ name: 'a' }],
    });
  });
});

test('keeps keys of ours', () => {
  const entry = one({
    ...STDIO,
    ...{
      tenant: 'team',
      namespace: 'gh',
      prefix: 'g',
      tags: ['code'],
      include: ['get_*'],
      exclude: ['*_all'],
    },
    ...{ enabled: true, trust: 'annotations', pin: true, drop_after: '0s' },
    ...{ refresh: { min: '10s', max: '5m' }, timeouts: { connect: '1s', list: '2s', call: '3s' } },
  });
  expect(entry).toMatchObject({
    ...{
      tenant: 'team',
      namespace: 'gh',
      prefix: 'g',
      tags: ['code'],
      include: ['get_*'],
      exclude: ['*_all'],
    },
    ...{ isEnabled: true, trustsAnnotations: true, isPinned: true, dropAfterMs: 0 },
    ...{
      refresh: { minMs: 10_000, maxMs: 300_000 },
      timeouts: { connectMs: 1_000, listMs: 2_000, callMs: 3_000 },
    },
  });
});

test('a name becomes a namespace, and an empty namespace is none', () => {
  const namespaceOf = (name: string, parts = {}) =>
    read({ mcpServers: { [name]: { ...STDIO, ...parts } } }).entries[0]!.namespace;
  expect(namespaceOf('My GitHub!')).toBe('my-github');
  expect(namespaceOf('___')).toBe('server');
  expect(namespaceOf('日本')).toBe('server');
  expect(namespaceOf('a'.repeat(100))).toBe('a'.repeat(64));
  expect(namespaceOf('x', { namespace: '' })).toBe('');
});

describe('variables', () => {
  test('R56: are put in as agents do', () => {
    const environment = { HOST: 'h.test', EMPTY: '', TOKEN: 'a}b"c' };
    const entry = one(
      {
        command: `\${BIN:-npx}`,
        args: [`\${HOST}`, `\${EMPTY:-full}`, `\${EMPTY}`, `a\${env:HOST}b`, '$HOST'],
        env: { T: `\${TOKEN}` },
        cwd: `/\${HOST}`,
      },
      environment,
    );
    expect(entry.transport).toEqual({
      type: 'stdio',
      command: 'npx',
      args: ['h.test', 'full', '', 'ah.testb', '$HOST'],
      env: { T: 'a}b"c' },
      network: {},
      cwd: '/h.test',
    });
    const web = one(
      { url: `https://\${HOST}/mcp`, headers: { Authorization: `Bearer \${TOKEN:-none}` } },
      { HOST: 'h.test' },
    );
    expect(web.transport).toMatchObject({
      url: 'https://h.test/mcp',
      headers: { Authorization: 'Bearer none' },
    });
    expect(
      read({ mcpServers: { a: { command: `\${A}`, args: [`\${env:B:-x}`] } } }, { A: 'a' }).variables,
    ).toEqual(['A', 'B']);
  });

  test('R56: of proxies and certificate authorities are passed on to processes', () => {
    const network = { HTTPS_PROXY: 'http://proxy.test:3128', no_proxy: 'a.test', SSL_CERT_FILE: '/ca.pem' };
    const environment = { ...network, HTTP_PROXY: '', API_KEY: 'ours', NODE_OPTIONS: '--inspect' };
    expect(one({ command: 'run' }, environment).transport).toMatchObject({ network });
    expect(one({ command: 'run' }, environment).transport).not.toHaveProperty('network.API_KEY');
  });

  test('R56: that are missing, or that only an editor knows, are reported with their place', () => {
    expect(problemsOf({ command: 'run', args: ['ok', `\${NOPE}`] })).toEqual([
      `mcpServers.github.args.1 cannot be read: the environment variable NOPE is not set; \${NOPE:-default} gives it a default.`,
    ]);
    expect(problemsOf({ command: 'run', env: { KEY: `\${input:key}` } })).toEqual([
      expect.stringMatching(/^mcpServers\.github\.env\.KEY cannot be read: \$\{input:key\} is not known/),
    ]);
  });
});

describe('what is wrong', () => {
  test.each<[string, unknown, RegExp]>([
    ['no object', 7, /^mcpServers\.github must be an object/],
    ['nothing', {}, /^mcpServers\.github needs a command or a url/],
    ['both', { ...STDIO, url: 'https://h.test' }, /github\.url cannot be combined with a command/],
    ['a command that is no text', { command: 7 }, /github\.command must be a text/],
    ['arguments that are no list', { command: 'a', args: 'b' }, /github\.args must be a list/],
    ['an argument that is no text', { command: 'a', args: ['b', {}] }, /github\.args\.1 must be a text/],
    ['a null character', { command: 'a\0b' }, /github\.command must be a text/],
    ['an address that is none', { url: 'h.test/mcp' }, /github\.url must be an address/],
    ['an address of a file', { url: 'file:///etc/passwd' }, /github\.url must be an address/],
    [
      'the old transport',
      { type: 'sse', url: 'https://h.test/sse' },
      /github\.type is the transport of 2024/,
    ],
    [
      'a header that would end',
      { url: 'https://h.test', headers: { A: 'a\r\nb' } },
      /github\.headers\.A has characters/,
    ],
    [
      'a header without a name',
      { url: 'https://h.test', headers: { '': 'a' } },
      /is not the name of a header/,
    ],
    ['a misspelt key', { comand: 'a' }, /github\.comand is not a key; the nearest one is command/],
    [
      'a misspelt key within',
      { ...STDIO, refresh: { mni: '1s' } },
      /github\.refresh\.mni is not a key; the nearest one is min/,
    ],
    ['a duration without a unit', { ...STDIO, drop_after: 60 }, /github\.drop_after must be a duration/],
    [
      'bounds the wrong way round',
      { ...STDIO, refresh: { min: '2h', max: '1h' } },
      /github\.refresh\.min must not be longer/,
    ],
    ['a namespace that is none', { ...STDIO, namespace: 'My Team' }, /github\.namespace must begin with/],
    ['a trust that is none', { ...STDIO, trust: 'all' }, /github\.trust must be one of none, annotations/],
    ['credentials of no kind', { url: 'https://h.test', auth: {} }, /github\.auth\.type must be bearer/],
    [
      'credentials without a secret',
      { url: 'https://h.test', auth: { type: 'client_credentials', client_id: 'a' } },
      /github\.auth\.client_secret must be there/,
    ],
  ])('%s is told with its place', (_, entry, message) => {
    expect(problemsOf(entry).some((problem) => message.test(problem))).toBe(true);
  });

  test.each<[string, string, RegExp]>([
    ['no JSON', '{"mcpServers": {"a": {"command": "secret-1"', /^Line 1: /],
    [
      'a repeated name',
      '{\n"mcpServers": {"a": {"command": "x"},\n"a": {"command": "secret-1"}}}',
      /^Line 3: .*unique/,
    ],
    ['a list', '["secret-1"]', /must hold an object/],
    ['nothing', '', /must hold an object/],
    ['no servers', '{"mcp_servers": {"a": "secret-1"}}', /no mcpServers \(is it meant by mcp_servers\?\)/],
    ['a list of servers', '{"mcpServers": ["secret-1"]}', /mcpServers must be an object/],
    ['aliases', 'mcpServers: &a\n  b: {command: secret-1}\n  c: *a\n', /aliases|must/],
    ['a name with a line end', '{"mcpServers": {"a\\nb": {"command": "x"}}}', /needs a name/],
    ['an empty name', '{"mcpServers": {"": {"command": "x"}}}', /needs a name/],
  ])('a file with %s is told, without quoting it', (_, text, message) => {
    const { problems } = readServers(text, {});
    expect(problems.some((problem) => message.test(problem))).toBe(true);
    expect(problems.join()).not.toContain('secret-1');
  });

  test('all problems are reported together, and none quotes a value', () => {
    const { problems, entries } = read({
      mcpServers: { a: { command: 3, env: [] }, b: { url: 'secret-1' }, c: STDIO },
    });
    expect(problems).toHaveLength(3);
    expect(problems.join()).not.toContain('secret-1');
    expect(entries.map(({ name }) => name)).toEqual(['c']);
  });

  test('a thousand odd files are read without a throw', () => {
    const odd = [
      null,
      true,
      0,
      '',
      'x',
      [],
      {},
      `\${`,
      `\${A:-`,
      { a: null },
      [[]],
      '\ud800',
      { __proto__: 1 },
    ];
    const keys = [
      'command',
      'args',
      'env',
      'url',
      'headers',
      'auth',
      'refresh',
      'timeouts',
      'tags',
      'include',
    ];
    const kept = inject('isExhaustive') ? 3 : 1;
    let files = 0;
    for (const [row, a] of odd.entries()) {
      for (const [column, b] of odd.entries()) {
        // Six or two of ten keys for each pair, so that every key meets every value.
        for (const key of keys.filter((_, n) => (n + row + column) % 5 < kept)) {
          read({ mcpServers: { s: { command: a, [key]: b } } });
          files++;
        }
      }
    }
    expect(files).toBeGreaterThan(kept * 330);
  });
});
