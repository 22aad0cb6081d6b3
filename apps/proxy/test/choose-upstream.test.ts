import { describe, expect, it } from 'vitest';
import { chooseUpstream } from '../src/upstream/choose-upstream.ts';
import { createUpstreams } from '../src/upstream/create-upstreams.ts';

const DEFAULTS = {
  'retry.attempts': 2,
  idle_timeout: 600_000,
  native: 'auto',
  thinking_bound: 'auto',
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
  ])('sends %s to its place', (url, expected) => {
    expect(choose(url)).toEqual(expected);
  });

  it('takes an anthropic-version header for a sign on shared paths', () => {
    expect(choose('/v1/models', { 'anthropic-version': '2023-06-01' })).toEqual([
      'anthropic',
      '/v1/models',
      '/v1/models',
    ]);
    expect(choose('/v1/chat/completions', { 'anthropic-version': '2023-06-01' })?.[0]).toBe('openai');
  });

  it("tells clients on shared paths by the shape of their vendor's keys", () => {
    for (const headers of [{ 'x-api-key': 'sk-ant-api03-x' }, { authorization: 'Bearer sk-ant-oat01-x' }]) {
      expect(choose('/v1/models', headers)?.[0]).toBe('anthropic');
      expect(choose('/v1/chat/completions', headers)?.[0]).toBe('openai');
    }
    expect(choose('/v1/models', { authorization: 'Bearer sk-proj-x' })?.[0]).toBe('openai');
  });

  it.each(['/', '/anything/at/all', '/v2/models', '/v1x/models', '/chat/completions'])(
    'knows of no upstream for %s',
    (url) => {
      expect(choose(url)).toBeUndefined();
      expect(choose(url, { 'anthropic-version': '2023-06-01' })).toBeUndefined();
    },
  );

  it('has no upstream that is switched off', () => {
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

  it('finds nothing when the upstream that would serve the path is not there', () => {
    expect(chooseUpstream({ url: '/v1/messages', headers: {} }, new Map())).toBeUndefined();
  });
});
