import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PRICES } from '@winnow/core';
import { describe, expect, onTestFinished, test } from 'vitest';
import { entersBy, type SecretPaths } from '../../src/edge/create-listener.ts';
import { proxyEnvironment, readOptions } from '../../src/launch/config.ts';
import { Lessons, recordsFolder, recordsName } from '../../src/launch/run-records.ts';
import { RunTally } from '../../src/launch/run-tally.ts';

describe('secret paths', () => {
  const paths: SecretPaths = new Map([
    ['s1', { upstream: 'openai' }],
    ['s2', { upstream: 'anthropic', version: '/v1' }],
  ]);
  const enter = (url: string) => {
    const incoming = { url };
    return entersBy(paths, incoming) ? incoming.url : undefined;
  };

  test.each([
    ['/s1/v1/chat/completions', '/openai/v1/chat/completions'],
    ['//s1/v1/models?limit=1', '/openai/v1/models?limit=1'],
    ['/s1', '/openai'],
    ['/s1?x=1', '/openai?x=1'],
    ['/s2/v1/messages', '/anthropic/v1/messages'],
    ['/s2/messages?beta=true', '/anthropic/v1/messages?beta=true'],
    ['/s2/v1', '/anthropic/v1'],
    ['/s2/api/hello', '/anthropic/api/hello'],
  ])('%s leads to %s', (asked, inner) => {
    expect(enter(asked)).toBe(inner);
  });

  test.each(['/', '', '/v1/messages', '/openai/v1/models', '/_winnow/metrics', '/s3/v1', '*', '/S1/v1'])(
    '%s leads nowhere',
    (asked) => {
      expect(enter(asked)).toBeUndefined();
    },
  );

  test('are not needed where there are none', () => {
    const incoming = { url: '/v1/messages' };
    expect(entersBy(undefined, incoming)).toBe(true);
    expect(incoming.url).toBe('/v1/messages');
  });
});

describe('the command line', () => {
  test.each([
    [['claude', '-p', '--help'], { words: ['claude', '-p', '--help'], file: undefined, orDirect: false }],
    [['--', 'claude', '--', 'x'], { words: ['claude', '--', 'x'], file: undefined, orDirect: false }],
    [['--or-direct', '--config', 'w.yaml', 'aider'], { words: ['aider'], file: 'w.yaml', orDirect: true }],
    [
      ['--goal', 'context', '--', 'claude'],
      { words: ['claude'], file: undefined, orDirect: false, goal: 'context' },
    ],
    [['--config', 'w.yaml', '--', '--odd'], { words: ['--odd'], file: 'w.yaml', orDirect: false }],
  ])('%o', (argv, options) => {
    expect(readOptions(argv, '')).toEqual({ ok: true, options });
  });

  test.each([[[]], [['--']], [['--config']], [['--or-direckt', 'claude']]])('%o is refused', (argv) => {
    expect(readOptions(argv, '')).toMatchObject({ ok: false, isHelp: false });
  });
});

test("settings of other services and the command's tracing are no concern of the proxy", () => {
  const environment = {
    ...{ PROXY_SERVER_PORT: '1', WINNOW_X: '1', OTEL_SDK_DISABLED: '1', PORT: '3000' },
    AWS_REGION: 'eu-west-1',
  };
  expect(proxyEnvironment(environment)).toEqual({ AWS_REGION: 'eu-west-1' });
});

test('records lie in the state folder of the user, each run with a file of its own', () => {
  expect(recordsFolder({}, '/home/me')).toBe('/home/me/.local/state/winnow/runs');
  expect(recordsFolder({ XDG_STATE_HOME: '/state' }, '/home/me')).toBe('/state/winnow/runs');
  expect(recordsFolder({ XDG_STATE_HOME: 'state' }, '/home/me')).toBe('/home/me/.local/state/winnow/runs');
  expect(recordsName(0, 7)).toBe('1970-01-01T00-00-00-7.jsonl');
});

describe('what agents have taught', () => {
  function folder(): string {
    const made = mkdtempSync(join(tmpdir(), 'winnow-lessons-'));
    onTestFinished(() => rmSync(made, { recursive: true }));
    return made;
  }

  test('survives from run to run, with the secret that their ids are made with', () => {
    const place = folder();
    const first = new Lessons(place);
    first.agents.meet({ id: 'a', isFirst: true, isDeferring: true });
    first.agents.begin('a', true);
    first.agents.learn({
      agent: { id: 'a' },
      planReason: 'deferred',
      searches: Array(9).fill({ outcome: 'found', names: [], ms: 1 }),
    });
    first.keep();
    expect(statSync(join(place, 'agents.json')).mode & 0o777).toBe(0o600);
    const second = new Lessons(place);
    expect(second.secret).toBe(first.secret);
    expect(second.agents.meansOf('a')).toEqual(first.agents.meansOf('a'));
    expect(second.agents.meansOf('a')).toMatchObject({ searches: 5, isDeferring: true });
  });

  test('is not needed: without a folder, or with a broken file, a run begins as a stranger', () => {
    const place = folder();
    writeFileSync(join(place, 'agents.json'), '{"secret":1}');
    for (const lessons of [new Lessons(undefined), new Lessons(place)]) {
      expect(lessons.secret).toMatch(/^[0-9a-f]{64}$/);
      expect(lessons.agents.counts()).toEqual({});
      lessons.keep();
    }
  });
});

describe('the last line of a run', () => {
  const NO_BYTES = { before: 0, after: 0 };
  const record = (more: object = {}) => ({
    ...{ event: 'exchange', arm: 'full', outcome: 'answered', status: 200, model: 'claude-opus-5' },
    ...{ planReason: 'few_savings', searches: [], upstreamCalls: 1, time: '2026-11-29T00:00:00Z' },
    tools: { total: 130, deferred: 0, loaded: 0 },
    toolBytes: NO_BYTES,
    expected: { freedTokens: 16_000, bill: 1.08, requests: 8, searches: 3 },
    ...more,
  });
  const deferred = {
    planReason: 'deferred',
    tools: { total: 130, deferred: 125, loaded: 5 },
    toolBytes: {
      ...{ before: 64_000, after: 4_000, first: 4_000 },
    },
  };
  const lineOf = (...records: object[]) => {
    const tally = new RunTally(PRICES);
    tally.takeLines(records.map((one) => `${JSON.stringify(one)}\n`).join(''));
    return tally.describe();
  };

  test('says why requests were left alone, what deferring would do, and how to defer anyway', () => {
    expect(lineOf(record(), record())).toBe(
      '2 requests: left alone: deferring 16,000 tokens of tools would cost about 8 % more; --goal context defers anyway',
    );
    expect(lineOf(record({ planReason: 'client_defers' }))).toBe(
      '1 request: left alone (the agent searches for tools itself: client_defers)',
    );
  });

  test('has tools in each request, tokens of context, then money; a loss is not called saved', () => {
    expect(lineOf(...Array.from({ length: 12 }, () => record(deferred)))).toBe(
      '12 requests: 10 of 130 tools shown in each, about 180,000 tokens of tools fewer, 0 searches, money not estimated',
    );
    const usage = { inputTokens: 3_000, outputTokens: 10, cachedInputTokens: 0, cacheWriteTokens: 3_000 };
    const priced = {
      ...deferred,
      usage: [usage],
      promptBytes: 12_000,
      newBytes: 100,
      loadMode: 'bridge',
    };
    expect(lineOf(record({ ...priced, format: 'anthropic-messages' }))).toMatch(
      /tokens of tools fewer, 0 searches, between \$[\d.]+ more spent and \$[\d.]+ saved$/,
    );
  });

  test('says that requests failed', () => {
    const failed = { outcome: 'failed', status: 502 };
    expect(lineOf(record({ ...deferred, ...failed }))).toBe('1 request failed (502)');
    expect(lineOf(record(), record(failed))).toMatch(/; 1 failed \(502\)$/);
  });
});
