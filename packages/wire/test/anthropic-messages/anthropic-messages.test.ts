import { expect, test } from 'vitest';
import { anthropicMessages } from '../../src/anthropic-messages/anthropic-messages.ts';

test.each([
  [400, 'invalid_request_error'],
  [401, 'authentication_error'],
  [403, 'permission_error'],
  [404, 'not_found_error'],
  [413, 'request_too_large'],
  [422, 'invalid_request_error'],
  [429, 'rate_limit_error'],
  [500, 'api_error'],
  [502, 'api_error'],
  [504, 'timeout_error'],
  [529, 'overloaded_error'],
])('words an error of status %i as the provider does: %s', (status, type) => {
  const body = anthropicMessages.errorBody({ status, message: 'No "such" thing' });
  expect(JSON.parse(body)).toEqual({ type: 'error', error: { type, message: 'No "such" thing' } });
});

test('keeps the line alive with a ping, which every client reads past', () => {
  expect(anthropicMessages.heartbeat).toBe('event: ping\ndata: {"type": "ping"}\n\n');
});

test('prefers native loading where the model has it, and can swap everywhere', () => {
  expect(anthropicMessages.loadModes('claude-opus-4-6')).toEqual(['native', 'swap']);
  expect(anthropicMessages.loadModes('claude-3-5-haiku-latest')).toEqual(['swap']);
  expect(anthropicMessages.loadModes(undefined)).toEqual(['swap']);
});
