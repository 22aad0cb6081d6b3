import { framingFor, type Keep, type StreamEvent, type WireEvent } from '@winnow/wire';
import { describe, expect, test } from 'vitest';
import { ClientResponse } from '../src/exchange/client-response.ts';
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
async function held(keep?: Keep) {
  const { exchange, received } = exchangeUnderTest('/v1/messages');
  const response = new ClientResponse(exchange, keep);
  const type = 'text/event-stream';
  const framing = framingFor(exchange.format, viewOf({ tools: [] }), type);
  response.takeHead({ status: 200, headers: ['content-type', type] }, framing);
  await response.write([start(1), PING], false);
  return { response, received };
}

describe('the start of a stream', () => {
  test('is replaced in place while it is held', async () => {
    const { response, received } = await held();
    response.amendStart(start(2));
    await response.end([TEXT]);
    expect(received().match(/(?<=data: ).*/g)).toEqual(['start 2', 'ping', 'text']);
  });

  test('stays once the client has received it', async () => {
    const { response, received } = await held();
    response.beat(undefined, true);
    response.amendStart(start(2));
    await response.end([TEXT]);
    expect(received()).toContain('start 1');
    expect(received()).not.toContain('start 2');
  });

  test('can be taken back after a sign of life that does not begin the response', async () => {
    const { response, received } = await held();
    response.beat(PING, false);
    await response.write([start(2)], false);
    expect(response.takeBack({ held: 0, given: 0 })).toBe(true);
    await response.write([start(3)], false);
    await response.end([TEXT]);
    expect(received().match(/(?<=data: ).*/g)).toEqual(['ping', 'start 3', 'text']);
  });

  const long: StreamEvent = { kind: 'event', name: 'message_start', data: 'x'.repeat(40_000) };

  test('can be held again after earlier content was taken back', async () => {
    const { response, received } = await held();
    const mark = response.mark();
    for (let round = 0; round < 5; round++) {
      await response.write([long], false);
      expect(response.takeBack(mark)).toBe(true);
    }
    expect(response.hasStarted).toBe(false);
    await response.end([TEXT]);
    expect(received()).not.toContain('xxx');
  });

  test('is held beyond 64 Ki characters if memory is available', async () => {
    const asked: number[] = [];
    const { response } = await held((chars) => {
      asked.push(chars);
      return asked.length < 3;
    });
    for (let count = 0; count < 3; count++) await response.write([long], false);
    expect(response.hasStarted).toBe(false);
    // It waits until the client is ready for more, which never happens here.
    void response.write([long], false);
    expect(response.hasStarted).toBe(true);
    expect(asked).toEqual([40_100, 40_100, 40_100]);
  });

  test.each<[string, number, WireEvent]>([
    ['events without text', 700, { kind: 'event', data: '' }],
    ['blank lines', 1, { kind: 'comment', text: '', source: { framing: 'sse', text: '\n'.repeat(70_000) } }],
    [
      'binary frames',
      1,
      { kind: 'event', data: '', source: { framing: 'aws', text: '', bytes: new Uint8Array(70_000) } },
    ],
  ])('counts the memory of %s', async (_, count, event) => {
    const { response } = await held();
    const events = Array.from({ length: count }, () => event);
    void response.write(events, false);
    expect(response.hasStarted).toBe(true);
  });

  test('is sent if no memory is available', async () => {
    const { response } = await held();
    await response.write([long], false);
    expect(response.hasStarted).toBe(false);
    // It waits until the client is ready for more, which never happens here.
    void response.write([long], false);
    expect(response.hasStarted).toBe(true);
  });
});
