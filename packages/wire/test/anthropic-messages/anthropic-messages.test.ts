import { expect, test } from 'vitest';
import { anthropicMessages } from '../../src/anthropic-messages/anthropic-messages.ts';
import { sse } from '../../src/framing/sse.ts';
import { encodeAll } from '../frames.ts';

test('keeps the line alive with a ping, which every client reads past', () => {
  expect(encodeAll(sse, [anthropicMessages.heartbeat!])).toBe('event: ping\ndata: {"type": "ping"}\n\n');
});

test('prefers native loading where the model has it, and can swap everywhere', () => {
  expect(anthropicMessages.loadModes('claude-opus-4-6')).toEqual(['native', 'swap']);
  expect(anthropicMessages.loadModes('claude-3-5-haiku-latest')).toEqual(['swap']);
  expect(anthropicMessages.loadModes(undefined)).toEqual(['swap']);
});
