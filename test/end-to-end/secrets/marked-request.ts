import type { WireFormat } from '../raw-client.ts';
import { secret, TOOL_NAME_MARK } from './marked-secrets.ts';

/** The tool that the scripted model calls. */
export const WANTED = `${TOOL_NAME_MARK}_dig_well`;

const NAMES = [WANTED, ...Array.from({ length: 9 }, (_, number) => `${TOOL_NAME_MARK}_tool_${number}`)];

/** Headers of every kind into which clients put credentials and names. */
export function markedHeaders(format: WireFormat): Record<string, string> {
  return {
    'content-type': 'application/json',
    authorization: `Bearer ${secret('authorization')}`,
    'x-api-key': secret('x-api-key'),
    'api-key': secret('api-key'),
    'x-goog-api-key': secret('x-goog-api-key'),
    'proxy-authorization': `Basic ${secret('proxy-authorization')}`,
    cookie: `session=${secret('cookie')}`,
    'x-winnow-session': secret('x-winnow-session'),
    'x-claude-code-session-id': secret('x-claude-code-session-id'),
    'session-id': secret('session-id'),
    'idempotency-key': secret('idempotency-key'),
    'openai-organization': secret('openai-organization'),
    'x-request-id': secret('x-request-id'),
    // Records name the program of a user agent, and nothing else of it.
    'user-agent': `agent/1.0 (${secret('user-agent')})`,
    referer: `https://example.com/${secret('referer')}`,
    origin: `https://${secret('origin')}.example.com`,
    'x-forwarded-for': secret('x-forwarded-for'),
    baggage: `user=${secret('baggage')}`,
    'x-unknown': secret('unknown header'),
    ...(format === 'anthropic' && { 'anthropic-version': '2023-06-01', 'anthropic-beta': secret('beta') }),
  };
}

/** The path of a request, with a secret in its query. */
export function markedPath(format: WireFormat): string {
  const path = format === 'openai' ? '/v1/chat/completions' : '/v1/messages';
  return `${path}?key=${secret('query string')}`;
}

/** A body with a secret in every possible field. */
export function markedBody(format: WireFormat, isStream: boolean): string {
  return JSON.stringify({
    model: `${TOOL_NAME_MARK}-model`,
    stream: isStream,
    max_tokens: 100,
    stop: [secret('stop')],
    user: secret('user'),
    prompt_cache_key: secret('prompt_cache_key'),
    metadata: { user_id: secret('metadata'), [secret('metadata key')]: true },
    [secret('unknown field')]: { deep: [secret('unknown value')] },
    ...(format === 'openai' ? chatFields() : messagesFields()),
  });
}

function chatFields() {
  const past = {
    id: `call_${secret('past call id')}`,
    type: 'function',
    function: { name: NAMES[1], arguments: JSON.stringify({ text: secret('past arguments') }) },
  };
  return {
    messages: [
      { role: 'system', content: secret('system') },
      { role: 'user', content: `Hello ${secret('first message')}`, name: secret('message name') },
      {
        role: 'assistant',
        content: secret('assistant'),
        reasoning_content: secret('past thinking'),
        tool_calls: [past],
      },
      { role: 'tool', tool_call_id: past.id, content: secret('past result') },
      { role: 'user', content: [{ type: 'text', text: `Now ${secret('last message')}` }] },
    ],
    tools: NAMES.map((name) => ({
      type: 'function',
      function: { name, ...toolTexts(), parameters: schema() },
    })),
  };
}

function messagesFields() {
  const id = `toolu_${secret('past call id')}`;
  return {
    system: [{ type: 'text', text: secret('system') }],
    messages: [
      { role: 'user', content: `Hello ${secret('first message')}` },
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: secret('past thinking'), signature: secret('signature') },
          { type: 'text', text: secret('assistant') },
          { type: 'tool_use', id, name: NAMES[1], input: { text: secret('past arguments') } },
        ],
      },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: id, content: secret('past result') },
          { type: 'text', text: `Now ${secret('last message')}` },
        ],
      },
    ],
    tools: NAMES.map((name) => ({ name, ...toolTexts(), input_schema: schema() })),
  };
}

function toolTexts() {
  return { description: `Dig a well. ${secret('tool description')}`, [secret('tool field')]: 1 };
}

function schema() {
  return {
    type: 'object',
    properties: {
      [secret('parameter name')]: {
        type: 'string',
        description: secret('parameter description'),
        enum: [secret('enum value')],
        default: secret('default value'),
      },
    },
  };
}
