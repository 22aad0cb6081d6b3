import { describe, expect, it } from 'vitest';
import { chooseUpstream } from '../src/upstream/choose-upstream.ts';
import { createUpstreams } from '../src/upstream/create-upstreams.ts';

const upstreams = createUpstreams({
  openai: { base_url: 'https://api.openai.com', format: 'openai', api_key: '' },
  anthropic: { base_url: 'https://api.anthropic.com', format: 'anthropic', api_key: '' },
  groq: { base_url: 'https://api.groq.com/openai/', format: 'openai', api_key: '' },
  local: { base_url: 'http://127.0.0.1:11434/v1', format: 'openai', api_key: '' },
});

const choose = (url: string, hasAnthropicVersion = false) => {
  const target = chooseUpstream({ url, hasAnthropicVersion }, upstreams);
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
    ['/anything/at/all', ['openai', '/anything/at/all', '/anything/at/all']],
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
    expect(choose('/v1/models', true)).toEqual(['anthropic', '/v1/models', '/v1/models']);
    expect(choose('/v1/chat/completions', true)?.[0]).toBe('openai');
  });

  it('finds nothing when the upstream that would serve the path is not there', () => {
    expect(chooseUpstream({ url: '/v1/messages', hasAnthropicVersion: false }, new Map())).toBeUndefined();
  });
});
