import { framingFor, type StreamEvent } from '@winnow/wire';
import { describe, expect, test } from 'vitest';
import { ClientResponse } from '../src/client/client-response.ts';
import { exchangeUnderTest } from './exchange-under-test.ts';
import { viewOf } from './request-view.ts';

const start = (tokens: number): StreamEvent => ({
  kind: 'event',
  name: 'message_start',
  data: `start ${tokens}`,
});
const TEXT: StreamEvent = { kind: 'event', name: 'content_block_delta', data: 'text' };
const PING: StreamEvent = { kind: 'event', name: 'ping', data: 'ping' };

/** A response whose start is held. */
async function held() {
  const { exchange, received } = exchangeUnderTest('/v1/messages');
  const response = new ClientResponse(exchange);
  const type = 'text/event-stream';
  const framing = framingFor(exchange.format, viewOf({ tools: [] }), type);
  response.takeHead({ status: 200, headers: ['content-type', type] }, framing);
  await response.write([start(1), PING], false);
  return { response, received };
}

describe('the start of a stream', () => {
  test('is replaced in its place as long as it is held', async () => {
    const { response, received } = await held();
    response.amendStart(start(2));
    await response.end([TEXT]);
    expect(received().match(/(?<=data: ).*/g)).toEqual(['start 2', 'ping', 'text']);
  });

  test('stays once the client has it', async () => {
    const { response, received } = await held();
    response.beat(undefined);
    response.amendStart(start(2));
    await response.end([TEXT]);
    expect(received()).toContain('start 1');
    expect(received()).not.toContain('start 2');
  });
});
