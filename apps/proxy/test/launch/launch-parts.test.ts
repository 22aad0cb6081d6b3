import { describe, expect, test } from 'vitest';
import { entersBy, type SecretPaths } from '../../src/edge/create-listener.ts';
import { proxyEnvironment, readOptions } from '../../src/launch/config.ts';
import { recordsFolder, recordsName } from '../../src/launch/run-records.ts';

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
