import { expect, test } from 'vitest';
import { anthropicMessages } from '../../src/anthropic-messages/anthropic-messages.ts';
import { loadsNatively } from '../../src/format/load-rules.ts';
import { sse } from '../../src/framing/sse.ts';
import { encodeAll } from '../frames.ts';

test('keeps the connection alive with a ping, which every client ignores', () => {
  expect(encodeAll(sse, [anthropicMessages.heartbeat!])).toBe('event: ping\ndata: {"type": "ping"}\n\n');
});

test('loads natively if the model supports it, and can always swap', () => {
  const { loading } = anthropicMessages;
  expect(loading.modes).toEqual(['native', 'bridge', 'swap']);
  expect(loadsNatively(loading, 'claude-opus-4-6')).toBe(true);
  expect(loadsNatively(loading, 'claude-3-5-haiku-latest')).toBe(false);
  expect(loadsNatively(loading, undefined)).toBe(false);
});
