import { describe, expect, it } from 'vitest';
import { chooseUpstream, createUpstreams } from '../src/upstream/choose-upstream.ts';

const DEFAULTS = {
  'retry.attempts': 2,
  idle_timeout: 600_000,
  load: 'auto',
  polyfill: 'off',
  auth: { kind: 'auto', name: '' },
} as const;
const upstreams = createUpstreams({
  openai: { base_url: 'https://api.openai.com', format: 'openai', api_key: '', enabled: true, ...DEFAULTS },
  anthropic: {
    base_url: 'https://api.anthropic.com',
    format: 'anthropic',
    api_key: '',
    enabled: true,
    ...DEFAULTS,
  },
  groq: {
    base_url: 'https://api.groq.com/openai/',
    format: 'openai',
    api_key: '',
    enabled: true,
    ...DEFAULTS,
  },
  local: { base_url: 'http://127.0.0.1:11434/v1', format: 'openai', api_key: '', enabled: true, ...DEFAULTS },
});

const choose = (url: string, headers: Record<string, string> = {}) => {
  const target = chooseUpstream({ url, headers }, upstreams);
  return target && [target.upstream.name, target.clientPath, target.path];
};

describe('chooseUpstream', () => {
  it.each([
    ['/v1/messages', ['anthropic', '/v1/messages', '/v1/messages']],
    [
      '/v1/messages/count_tokens?beta=true',
      ['anthropic', '/v1/messages/count_tokens', '/v1/messages/count_tokens?beta=true'],
    ],
    ['/v1/messagesx', ['openai', '/v1/messagesx', '/v1/messagesx']],
    ['/v1/chat/completions', ['openai', '/v1/chat/completions', '/v1/chat/completions']],
    ['/v1/models?limit=3', ['openai', '/v1/models', '/v1/models?limit=3']],
    ['/v1', ['openai', '/v1', '/v1']],
    ['/groq/v1/chat/completions', ['groq', '/v1/chat/completions', '/openai/v1/chat/completions']],
    ['/anthropic/v1/models', ['anthropic', '/v1/models', '/v1/models']],
    ['/local/v1/chat/completions', ['local', '/v1/chat/completions', '/v1/chat/completions']],
    ['/local/api/tags', ['local', '/api/tags', '/v1/api/tags']],
    ['/groq', ['groq', '/', '/openai/']],
    [
      '/openai/deployments/d/chat/completions?api-version=1',
      [
        'openai',
        '/openai/deployments/d/chat/completions',
        '/openai/deployments/d/chat/completions?api-version=1',
      ],
    ],
    ['/v1/files/a%2Fb?x=%20', ['openai', '/v1/files/a%2Fb', '/v1/files/a%2Fb?x=%20']],
  ])('sends %s to its upstream', (url, expected) => {
    expect(choose(url)).toEqual(expected);
  });

  it('treats an anthropic-version header as a sign on shared paths', () => {
    expect(choose('/v1/models', { 'anthropic-version': '2023-06-01' })).toEqual([
      'anthropic',
      '/v1/models',
      '/v1/models',
    ]);
    expect(choose('/v1/chat/completions', { 'anthropic-version': '2023-06-01' })?.[0]).toBe('openai');
  });

  it("distinguishes clients on shared paths by the form of their vendor's keys", () => {
    for (const headers of [{ 'x-api-key': 'sk-ant-api03-x' }, { authorization: 'Bearer sk-ant-oat01-x' }]) {
      expect(choose('/v1/models', headers)?.[0]).toBe('anthropic');
      expect(choose('/v1/chat/completions', headers)?.[0]).toBe('openai');
    }
    expect(choose('/v1/models', { authorization: 'Bearer sk-proj-x' })?.[0]).toBe('openai');
  });

  it.each(['/', '/anything/at/all', '/v2/models', '/v1x/models', '/chat/completions'])(
    'finds no upstream for %s',
    (url) => {
      expect(choose(url)).toBeUndefined();
      expect(choose(url, { 'anthropic-version': '2023-06-01' })).toBeUndefined();
    },
  );

  it('ignores a disabled upstream', () => {
    const only = createUpstreams({
      openai: {
        base_url: 'https://api.openai.com',
        format: 'openai',
        api_key: '',
        enabled: false,
        ...DEFAULTS,
      },
    });
    expect(chooseUpstream({ url: '/v1/models', headers: {} }, only)).toBeUndefined();
    expect(chooseUpstream({ url: '/openai/v1/models', headers: {} }, only)).toBeUndefined();
  });

  it('finds nothing if the upstream that would serve the path is missing', () => {
    expect(chooseUpstream({ url: '/v1/messages', headers: {} }, new Map())).toBeUndefined();
  });

  it('puts the key of an upstream into the query in place of every credential there', () => {
    const keyed = createUpstreams({
      gemini: {
        base_url: 'https://g.example',
        format: 'gemini',
        api_key: 'own&1',
        enabled: true,
        ...DEFAULTS,
        auth: { kind: 'query', name: 'key' },
      },
    });
    const pathOf = (query: string) =>
      chooseUpstream({ url: `/gemini/v1beta/models${query}`, headers: {} }, keyed)?.path;
    expect(pathOf('')).toBe('/v1beta/models?key=own%261');
    expect(pathOf('?a=%20b&key=theirs&alt=sse')).toBe('/v1beta/models?a=%20b&alt=sse&key=own%261');
    expect(pathOf('?k%65y=theirs&access_token=theirs')).toBe('/v1beta/models?key=own%261');
  });
});

describe('an Azure resource', () => {
  const azure = (base_url: string, name: string) => {
    const settings = { base_url, format: 'openai', api_key: '', enabled: true, ...DEFAULTS } as const;
    const target = (url: string) =>
      chooseUpstream({ url, headers: {} }, createUpstreams({ [name]: settings }))?.path;
    return target;
  };
  const RESOURCE = 'https://one.openai.azure.com';

  it.each([
    ['/openai/v1/responses', '/openai/v1/responses'],
    ['/openai/v1/chat/completions', '/openai/v1/chat/completions'],
    ['/openai/responses?api-version=2', '/openai/responses?api-version=2'],
    [
      '/openai/deployments/d/chat/completions?api-version=2',
      '/openai/deployments/d/chat/completions?api-version=2',
    ],
    ['/openai/models?api-version=2', '/openai/models?api-version=2'],
    ['/openai/openai/v1/responses', '/openai/v1/responses'],
    ['/openai/models/chat/completions', '/openai/models/chat/completions'],
    ['/openai', '/'],
  ])('that is called openai keeps its own paths without a name prefix: %s', (url, expected) => {
    expect(azure(RESOURCE, 'openai')(url)).toBe(expected);
  });

  it.each([
    [RESOURCE, '/az/openai/v1/responses'],
    [RESOURCE, '/az/openai/deployments/d/chat/completions'],
    [`${RESOURCE}/openai`, '/az/openai/v1/responses'],
    [`${RESOURCE}/openai`, '/az/v1/responses'],
    [`${RESOURCE}/openai/v1/`, '/az/v1/responses'],
    [`${RESOURCE}/openai/v1`, '/az/openai/v1/responses'],
  ])('contains each path once, at %s by %s', (baseUrl, url) => {
    expect(azure(baseUrl, 'az')(url)).toBe(
      url.includes('deployments') ? '/openai/deployments/d/chat/completions' : '/openai/v1/responses',
    );
  });

  it.each([
    ['/az/openai/../x', '/openai/openai/../x'],
    ['/az/openai/%2e%2e/x', '/openai/openai/%2e%2e/x'],
    ['/az/openai/v1/../x', '/openai/v1/../x'],
  ])('contains a path that repeats its base path: %s', (url, expected) => {
    expect(azure(`${RESOURCE}/openai`, 'az')(url)).toBe(expected);
  });

  it('omits the name of an upstream that is not at Azure', () => {
    expect(azure('https://api.openai.com', 'openai')('/openai/v1/responses')).toBe('/v1/responses');
  });
});
