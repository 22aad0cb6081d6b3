import { describe, expect, it } from 'vitest';
import { readSettings } from '../src/config.ts';

const problemsOf = (environment: Record<string, string>) => {
  const outcome = readSettings(environment);
  return outcome.ok ? [] : outcome.problems;
};

const settingsOf = (environment: Record<string, string>) => {
  const outcome = readSettings(environment);
  if (!outcome.ok) throw new Error(outcome.problems.join(' '));
  return outcome.settings;
};

describe('readSettings', () => {
  it('has a default for everything', () => {
    expect(settingsOf({})).toMatchObject({
      host: '127.0.0.1',
      port: 8788,
      tokens: [],
      logLevel: 'info',
      maxBodyBytes: 8_388_608,
      maxTools: 20_000,
      maxWaiting: 128,
      requestTimeoutMs: 30_000,
      keepAliveTimeoutMs: 65_000,
      drainTimeoutMs: 10_000,
      cacheMaxBytes: 268_435_456,
      cacheMaxCatalogues: 1_000,
    });
  });

  it('reads every kind of value', () => {
    const settings = settingsOf({
      SELECTOR_SERVER_HOST: '0.0.0.0',
      SELECTOR_SERVER_PORT: '9000',
      SELECTOR_SERVER_TOKENS: 'first, second',
    });
    expect(settings).toMatchObject({
      host: '0.0.0.0',
      port: 9000,
      tokens: ['first', 'second'],
    });
  });

  it.each([
    ['SELECTOR_SERVER_PORT', 'eighty', 'SELECTOR_SERVER_PORT must be a whole number from 0 to 65535.'],
    ['SELECTOR_SERVER_PORT', '70000', 'SELECTOR_SERVER_PORT must be a whole number from 0 to 65535.'],
    ['SELECTOR_SERVER_PORT', '1e3', 'SELECTOR_SERVER_PORT must be a whole number from 0 to 65535.'],
    ['SELECTOR_SERVER_PORT', '-1', 'SELECTOR_SERVER_PORT must be a whole number from 0 to 65535.'],
    ['SELECTOR_RANKER', 'BM25', 'SELECTOR_RANKER must be one of bm25, wink.'],
  ])('refuses %s=%s and says what is allowed', (variable, value, problem) => {
    expect(problemsOf({ [variable]: value })).toEqual([problem]);
  });

  it.each(['', 'a,,b', 'a,', 'with space'])(
    'refuses the tokens "%s" rather than to open the service',
    (tokens) => {
      expect(problemsOf({ SELECTOR_SERVER_TOKENS: tokens })).toEqual([
        'SELECTOR_SERVER_TOKENS must be a comma-separated list of bearer tokens, none of them empty; leave it out to need none.',
      ]);
    },
  );

  it.each([
    [
      { SELECTOR_RANKER: 'wink', SELECTOR_REGISTRY_URL: 'http://registry:8789' },
      'ranker must be bm25 when registry.url is set.',
    ],
    [{ SELECTOR_REGISTRY_TOKEN: 'a-token' }, 'registry.url must be set when registry.token is.'],
    [
      { SELECTOR_REGISTRY_URL: 'http://registry:8789', SELECTOR_SERVER_TOKENS: 'one' },
      'registry.callers must be set when registry.url and server.tokens are: without it, no caller could search the registry.',
    ],
    [
      {
        SELECTOR_REGISTRY_URL: 'http://registry:8789',
        SELECTOR_SERVER_TOKENS: 'one',
        SELECTOR_REGISTRY_CALLERS: 'one,two',
      },
      'registry.callers must hold tokens that are in server.tokens as well.',
    ],
    [
      { SELECTOR_REGISTRY_URL: 'registry:8789' },
      'SELECTOR_REGISTRY_URL must be an http or https address without query, user and password.',
    ],
  ])('refuses settings of a registry that cannot work: %j', (environment, problem) => {
    expect(problemsOf(environment as Record<string, string>)).toEqual([problem]);
  });

  it('never repeats a wrong value, which may be a secret', () => {
    expect(problemsOf({ SELECTOR_SERVER_PORT: 'hunter2' }).join()).not.toContain('hunter2');
  });

  it('treats an empty variable as unset', () => {
    expect(settingsOf({ SELECTOR_SERVER_PORT: '' }).port).toBe(8788);
  });

  it.each([
    ['SELECTOR_TOKEN', 'SELECTOR_SERVER_TOKENS'],
    ['SELECTOR_TLS_FOLDER', 'SELECTOR_SERVER_TLS_FOLDER'],
    ['WINNOW_RANKER', 'SELECTOR_RANKER'],
  ])('names the nearest setting for %s', (unknown, nearest) => {
    expect(problemsOf({ [unknown]: '1' })).toEqual([
      `${unknown} is not a setting; the nearest one is ${nearest}.`,
    ]);
  });

  it('ignores variables that a cluster sets for a service of its name', () => {
    const links = {
      SELECTOR_SERVICE_HOST: '10.0.0.1',
      SELECTOR_SERVICE_PORT: '8788',
      SELECTOR_SERVICE_PORT_HTTP: '8788',
      SELECTOR_PORT: 'tcp://10.0.0.1:8788',
      SELECTOR_PORT_8788_TCP_ADDR: '10.0.0.1',
      WINNOW_SELECTOR_SERVICE_HOST: '10.0.0.1',
    };
    expect(problemsOf(links)).toEqual([]);
  });

  it('refuses half a TLS configuration', () => {
    expect(problemsOf({ SELECTOR_SERVER_CLIENT_CA_FILE: 'a' })).toEqual([
      'server.tls_folder must be set when server.client_ca_file is.',
    ]);
  });

  it('reports all problems at once', () => {
    expect(
      problemsOf({ SELECTOR_SERVER_PORT: 'x', SELECTOR_RANKER: 'y', SELECTOR_TOKENZ: 'z' }),
    ).toHaveLength(3);
  });
});
