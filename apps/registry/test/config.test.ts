import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { REGISTRY_ERRORS } from '@winnow/core';
import { describe, expect, onTestFinished, test } from 'vitest';
import { readDoorSettings, readSettings } from '../src/config.ts';
import { readTokens } from '../src/http/callers.ts';

describe('settings', () => {
  test('are what the documentation says when nothing is set', () => {
    expect(readSettings({})).toMatchObject({
      ok: true,
      settings: {
        host: '127.0.0.1',
        port: 8789,
        sqliteFile: './data/registry.sqlite',
        postgresUrl: '',
        // As many as the store is made for.
        maxTools: 200_000,
        tokens: [],
      },
    });
  });

  test('that are misspelt or impossible are problems', () => {
    const outcome = readSettings({
      REGISTRY_SQLITE_FIEL: 'memory',
      REGISTRY_MCP_DISPATCH: 'twice',
      REGISTRY_ALWAYS_LOADED: 'auto:11',
    });
    expect(outcome).toMatchObject({
      ok: false,
      problems: [
        'REGISTRY_SQLITE_FIEL is not a setting; the nearest one is REGISTRY_SQLITE_FILE.',
        expect.stringMatching(/^REGISTRY_MCP_DISPATCH must be one of single/),
        expect.stringMatching(/^REGISTRY_ALWAYS_LOADED must be auto/),
      ],
    });
  });

  test('without tokens allow loopback only', () => {
    expect(readSettings({ REGISTRY_SERVER_HOST: '0.0.0.0' })).toMatchObject({
      ok: false,
      problems: [expect.stringContaining('tokens_file must be set when server.host can be reached')],
    });
    expect(readSettings({ REGISTRY_SERVER_HOST: '::1' }).ok).toBe(true);
  });

  test('name a tokens file that can be read', () => {
    expect(readSettings({ REGISTRY_TOKENS_FILE: '/no/such/file' })).toMatchObject({
      ok: false,
      problems: ['The file /no/such/file cannot be read (ENOENT).'],
    });
  });
});

describe('a tokens file', () => {
  test('has a name for each token, and variables in place of secrets', () => {
    const text = `
ci:
  token: \${CI_TOKEN}
  tenant: acme
  rights: [read, write]
agents:
  token: a-token-for-agents
  rights: [read]
  namespaces: ["jira", "team-*"]
`;
    expect(readTokens(text, { CI_TOKEN: 'a-token-from-outside' })).toEqual({
      problems: [],
      files: [],
      tokens: [
        {
          name: 'ci',
          token: 'a-token-from-outside',
          tenant: 'acme',
          rights: ['read', 'write'],
          namespaces: undefined,
        },
        {
          name: 'agents',
          token: 'a-token-for-agents',
          tenant: 'default',
          rights: ['read'],
          namespaces: ['jira', 'team-*'],
        },
      ],
    });
  });

  test('may have secrets in files of their own, which are watched', () => {
    const folder = mkdtempSync(join(tmpdir(), 'winnow-tokens-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const [secret, tokens, servers] = ['secret', 'tokens.yaml', 'servers.json'].map((name) =>
      join(folder, name),
    );
    writeFileSync(secret!, 'a-token-of-a-file\n');
    writeFileSync(tokens!, `ci: { token: "\${file:${secret}}", rights: [read] }`);
    const headers = { Authorization: `Bearer \${file:${secret}}` };
    writeFileSync(servers!, JSON.stringify({ mcpServers: { web: { url: 'https://mcp.example', headers } } }));
    const environment = { REGISTRY_TOKENS_FILE: tokens, REGISTRY_MCP_SERVERS_FILE: servers };
    const outcome = readSettings(environment, undefined);
    if (!outcome.ok) throw new Error(outcome.problems.join(' '));
    expect(outcome.settings.tokens).toMatchObject([{ token: 'a-token-of-a-file' }]);
    expect(outcome.settings.servers).toMatchObject([
      { transport: { headers: { Authorization: 'Bearer a-token-of-a-file' } } },
    ]);
    expect(outcome.files).toEqual(expect.arrayContaining([secret, tokens, servers]));
  });

  test.each([
    ['', 'The file holds no token.'],
    ['- token: x', 'Line 1: the file must hold keys with values.'],
    ['ci: x', 'Line 1: each token needs a name, with its keys below it.'],
    ['ci: {token: "", rights: [read]}', 'ci.token must be a bearer token of at least 16 characters.'],
    ['ci: {token: short, rights: [read]}', 'ci.token must be a bearer token of at least 16 characters.'],
    [
      'ci: {token: long-enough-a-token}',
      'ci.rights must be a list of read, write, servers, metrics, with at least one.',
    ],
    [
      'ci: {token: long-enough-a-token, rights: [admin]}',
      'ci.rights must be a list of read, write, servers, metrics, with at least one.',
    ],
    [
      'ci: {token: long-enough-a-token, rights: [read], namespace: [a]}',
      'ci.namespace is not a key; the nearest one is namespaces.',
    ],
    [
      'ci: {token: long-enough-a-token, rights: [read], namespaces: ["A"]}',
      'ci.namespaces must be a list of globs over namespaces, such as jira or team-*.',
    ],
    [
      'ci: {token: "$' + '{NONE}", rights: [read]}',
      expect.stringContaining('needs the environment variable NONE'),
    ],
    [
      'a: {token: long-enough-a-token, rights: [read]}\nb: {token: long-enough-a-token, rights: [read]}',
      'b has the same token as a.',
    ],
  ])('%j is refused, and no token is repeated', (text, problem) => {
    const { problems } = readTokens(text, {});
    expect(problems[0]).toEqual(problem);
    expect(new Set(problems).size).toBe(problems.length);
    expect(problems.join()).not.toContain('long-enough');
  });
});

test('variables of tokens may begin as settings do, and misspelt settings are still found', () => {
  const folder = mkdtempSync(join(tmpdir(), 'winnow-tokens-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'tokens.yaml');
  writeFileSync(file, `admin:\n  token: \${REGISTRY_ADMIN_TOKEN}\n  rights: [write]\n`);
  const environment = { REGISTRY_TOKENS_FILE: file, REGISTRY_ADMIN_TOKEN: 'a'.repeat(16) };
  expect(readSettings(environment)).toMatchObject({
    ok: true,
    settings: { tokens: [{ name: 'admin', token: 'a'.repeat(16) }] },
  });
  expect(readSettings({ ...environment, REGISTRY_ADMIN_TOKNE: 'x' })).toMatchObject({
    ok: false,
    problems: [expect.stringMatching(/^REGISTRY_ADMIN_TOKNE is not a setting/)],
  });
});

describe('a file', () => {
  function fileOf(name: string, text: string): string {
    const folder = mkdtempSync(join(tmpdir(), 'winnow-registry-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  }

  const SERVERS = { docs: { url: 'https://docs.example.com/mcp' } };

  test.each(['mcpServers', 'servers'])('of MCP servers under %s may stand instead of settings', (root) => {
    const outcome = readSettings({}, fileOf('mcp.json', JSON.stringify({ [root]: SERVERS, theme: 'dark' })));
    expect(outcome).toMatchObject({ ok: true, settings: { servers: [{ name: 'docs' }] } });
  });

  test('of settings may name one of MCP servers', () => {
    const servers = fileOf('mcp.json', JSON.stringify({ mcpServers: SERVERS }));
    const file = fileOf(
      'registry.yaml',
      `sqlite: { file: ":memory:" }\nmcp: { servers_file: "${servers}" }\n`,
    );
    expect(readSettings({}, file)).toMatchObject({
      ok: true,
      settings: { sqliteFile: ':memory:', servers: [{ name: 'docs' }] },
    });
  });

  test('with a misspelt key is named with its line', () => {
    const file = fileOf('registry.yaml', 'always_laoded: mcp\n');
    expect(readSettings({}, file)).toMatchObject({
      ok: false,
      file,
      problems: [`${file}: Line 1: always_laoded is not a setting; the nearest one is always_loaded.`],
    });
  });

  test('of the front door keeps tools in memory with a quiet log, unless the environment says otherwise', () => {
    const file = fileOf('mcp.json', JSON.stringify({ mcpServers: SERVERS }));
    const settingsOf = (environment: Record<string, string>) => {
      const outcome = readDoorSettings(file, environment);
      return outcome.ok ? outcome.settings : outcome.problems;
    };
    expect(settingsOf({ REGISTRY_OF_ANOTHER: 'x' })).toMatchObject({
      sqliteFile: ':memory:',
      logLevel: 'warn',
    });
    expect(settingsOf({ REGISTRY_SQLITE_FILE: 'tools.sqlite' })).toMatchObject({
      sqliteFile: 'tools.sqlite',
    });
  });
});

describe('the reference', () => {
  const read = (page: string) =>
    readFileSync(new URL(`../../../docs/reference/${page}`, import.meta.url), 'utf8');

  test.each(Object.entries(REGISTRY_ERRORS))('says what to do about %s', (code, status) => {
    const rows = read('registry.md')
      .split('\n')
      .filter((line) => line.startsWith(`| ${status} |`));
    expect(rows.some((row) => row.includes(`\`${code}\``))).toBe(true);
  });
});
