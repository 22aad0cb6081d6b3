import { readFileSync } from 'node:fs';
import { ATTACH_ERRORS } from '@winnow/core';
import { describe, expect, test } from 'vitest';
import { readSettings } from '../src/config.ts';

function problemsOf(environment: Record<string, string>): readonly string[] {
  const outcome = readSettings(environment);
  return outcome.ok ? [] : outcome.problems;
}

describe('readSettings', () => {
  test('reads variables', () => {
    const outcome = readSettings({
      ATTACH_LETTA_BASE_URL: 'http://letta:8283',
      ATTACH_MAX_TOTAL_TOOLS: '40',
      ATTACH_MIN_MCP_TOOLS: '0',
      ATTACH_DEFAULT_DROP_RATE: '0',
      ATTACH_NEVER_DETACH_TOOLS: 'send_email, db_*',
      ATTACH_EXCLUDE_LETTA_CORE_TOOLS: 'false',
    });
    expect(outcome).toMatchObject({
      ok: true,
      settings: {
        lettaBaseUrl: 'http://letta:8283',
        maxTotalTools: 40,
        minMcpTools: 0,
        defaultDropRate: 0,
        neverDetachTools: ['send_email', 'db_*'],
        excludeCoreTools: false,
      },
    });
  });

  test.each([
    [{ ATTACH_MAX_MCP_TOOLS: '31' }, 'max_mcp_tools must not be above max_total_tools.'],
    [{ ATTACH_MIN_MCP_TOOLS: '21' }, 'min_mcp_tools must not be above max_mcp_tools.'],
    [{ ATTACH_LETTA_PASSWORD: 'x' }, 'letta.base_url must be set when letta.password is.'],
    [{ ATTACH_DEFAULT_DROP_RATE: '1.5' }, 'ATTACH_DEFAULT_DROP_RATE must be a number from 0 to 1.'],
    [
      { ATTACH_REDIS_URL: 'localhost:6379' },
      'ATTACH_REDIS_URL must be an address such as redis://user:password@host:6379.',
    ],
    [{ ATTACH_TOKENZ: 'x' }, 'ATTACH_TOKENZ is not a setting; the nearest one is ATTACH_SERVER_TOKENS.'],
  ])('says of %j: %s', (environment, problem) => {
    expect(problemsOf(environment as Record<string, string>)).toEqual([problem]);
  });

  test('does not let everybody change every agent', () => {
    expect(problemsOf({ ATTACH_SERVER_HOST: '0.0.0.0' })).toEqual([
      expect.stringMatching(/^server\.tokens must be set/),
    ]);
    expect(problemsOf({ ATTACH_SERVER_HOST: '0.0.0.0', ATTACH_SERVER_TOKENS: 'a' })).toEqual([]);
  });
});

describe('docs/reference/attach.md', () => {
  const document = readFileSync(new URL('../../../docs/reference/attach.md', import.meta.url), 'utf8');

  test.each(Object.entries(ATTACH_ERRORS))('says what to do about %s', (code, status) => {
    const rows = document.split('\n').filter((line) => line.startsWith(`| ${status} |`));
    expect(rows.some((row) => row.includes(`\`${code}\``))).toBe(true);
  });
});
