import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { REGISTRY_ERRORS } from '@winnow/contract';
import { describe, expect, onTestFinished, test } from 'vitest';
import { readSettings, SETTINGS } from '../src/config.ts';
import { readTokens } from '../src/read-tokens.ts';

describe('settings', () => {
  test('are what the documentation says when nothing is set', () => {
    expect(readSettings({})).toMatchObject({
      ok: true,
      settings: {
        host: '127.0.0.1',
        port: 8789,
        store: 'sqlite',
        sqliteFile: './data/registry.sqlite',
        // As many as the store is made for.
        maxTools: undefined,
        tokens: [],
      },
    });
  });

  test('that are misspelt or impossible are problems', () => {
    const outcome = readSettings({
      REGISTRY_STOER: 'memory',
      REGISTRY_STORE: 'redis',
      REGISTRY_BACKEND_ORDER: 'mcp,mcp',
    });
    expect(outcome).toEqual({
      ok: false,
      problems: [
        'REGISTRY_STOER is not a setting; the nearest one is REGISTRY_STORE.',
        expect.stringMatching(/^REGISTRY_STORE must be one of memory, sqlite/),
        'REGISTRY_BACKEND_ORDER must be a comma-separated list of local, provider and mcp, each at most once.',
      ],
    });
  });

  test('without tokens allow loopback alone', () => {
    expect(readSettings({ HOST: '0.0.0.0' })).toMatchObject({
      ok: false,
      problems: [expect.stringContaining('REGISTRY_TOKENS_FILE must be set when HOST can be reached')],
    });
    expect(readSettings({ HOST: '::1' }).ok).toBe(true);
  });

  test('name a tokens file that can be read', () => {
    expect(readSettings({ REGISTRY_TOKENS_FILE: '/no/such/file' })).toEqual({
      ok: false,
      problems: ['REGISTRY_TOKENS_FILE must name a file that can be read (ENOENT).'],
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

  test.each([
    ['', 'REGISTRY_TOKENS_FILE holds no token.'],
    ['- token: x', 'REGISTRY_TOKENS_FILE: Line 1: the file must hold keys with values.'],
    ['ci: x', 'REGISTRY_TOKENS_FILE: Line 1: each token has a name, and its keys stand below it.'],
    [
      'ci: {token: short, rights: [read]}',
      'REGISTRY_TOKENS_FILE: ci.token must be a bearer token of at least 16 characters.',
    ],
    [
      'ci: {token: long-enough-a-token}',
      'REGISTRY_TOKENS_FILE: ci.rights must be a list of read, write, servers, metrics, with at least one.',
    ],
    [
      'ci: {token: long-enough-a-token, rights: [admin]}',
      'REGISTRY_TOKENS_FILE: ci.rights must be a list of read, write, servers, metrics, with at least one.',
    ],
    [
      'ci: {token: long-enough-a-token, rights: [read], namespace: [a]}',
      'REGISTRY_TOKENS_FILE: ci.namespace is not a key; the nearest one is namespaces.',
    ],
    [
      'ci: {token: long-enough-a-token, rights: [read], namespaces: ["A"]}',
      'REGISTRY_TOKENS_FILE: ci.namespaces must be a list of globs over namespaces, such as jira or team-*.',
    ],
    [
      'ci: {token: "$' + '{NONE}", rights: [read]}',
      expect.stringContaining('needs the environment variable NONE'),
    ],
    [
      'a: {token: long-enough-a-token, rights: [read]}\nb: {token: long-enough-a-token, rights: [read]}',
      'REGISTRY_TOKENS_FILE: b has the same token as a.',
    ],
  ])('%j is refused, and no token is repeated', (text, problem) => {
    const { problems } = readTokens(text, {});
    expect(problems[0]).toEqual(problem);
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
  expect(readSettings({ ...environment, REGISTRY_ADMIN_TOKNE: 'x' })).toEqual({
    ok: false,
    problems: [expect.stringMatching(/^REGISTRY_ADMIN_TOKNE is not a setting/)],
  });
});

describe('the reference', () => {
  const read = (page: string) =>
    readFileSync(new URL(`../../../docs/reference/${page}`, import.meta.url), 'utf8');
  const document = read('registry-settings.md');
  const rowOf = (name: string) => document.split('\n').find((line) => line.startsWith(`| \`${name}\` |`));

  test.each(Object.values(SETTINGS).map((one) => [one.variable, one.default] as const))(
    'lists %s with its default',
    (variable, fallback) => {
      const asText = typeof fallback === 'object' ? textOf(fallback) : String(fallback ?? '');
      expect(rowOf(variable)).toContain(asText === '' ? '| not set |' : `| \`${asText}\` |`);
    },
  );

  test.each(Object.entries(REGISTRY_ERRORS))('says what to do about %s', (code, status) => {
    const rows = read('registry.md')
      .split('\n')
      .filter((line) => line.startsWith(`| ${status} |`));
    expect(rows.some((row) => row.includes(`\`${code}\``))).toBe(true);
  });
});

/** A default as whoever sets it would write it. */
function textOf(fallback: object): string {
  if (Array.isArray(fallback)) return fallback.join(',');
  return `auto:${(fallback as { mostCalled: number }).mostCalled}`;
}
