import {
  answer,
  createRandom,
  FRAME,
  generateHostileHttp2,
  HTTP2_KINDS,
  readHttp2Frames,
  say,
  sendHostileExchange,
} from '@winnow/testkit';
import { expect, test } from 'vitest';
import { send } from './raw-client.ts';
import { startStack } from './start-stack.ts';

const TARGET = {
  shape: 'anthropic',
  path: '/v1/messages',
  headers: { 'x-api-key': 'hostile', 'anthropic-version': '2023-06-01', 'content-type': 'application/json' },
} as const;

/** Number of times for each kind, each with different bytes. */
const TIMES = 2;
/** Time after which a connection counts as hanging. */
const PATIENCE_MS = 30_000;

/** Kinds that break no rule, and so get a response. */
const HONEST = [
  'an honest request',
  'a request in tiny frames',
  'one byte at a time',
  'frames of unknown kinds',
];

test('a proxy answers or ends every connection of a hostile client of HTTP/2, and serves the others', {
  timeout: 120_000,
}, async () => {
  const stack = await startStack({ model: () => answer([say('Hello.')]) });
  const unanswered: string[] = [];
  for (const kind of HTTP2_KINDS) {
    for (let time = 0; time < TIMES; time += 1) {
      const exchange = generateHostileHttp2(createRandom(time), { target: TARGET, size: 20_000 }, kind);
      const received = await sendHostileExchange(stack.proxyUrl, exchange, AbortSignal.timeout(PATIENCE_MS));
      const { frames } = readHttp2Frames(Buffer.from(received, 'latin1'));
      const heads = frames.filter(({ type }) => type === FRAME.headers);
      if (HONEST.includes(kind) && heads.length !== 1) unanswered.push(exchange.kind);
    }
    const neighbour = await send({ format: 'anthropic', url: stack.proxyUrl });
    expect(neighbour.status, kind).toBe(200);
    expect(await neighbour.text()).toContain('Hello.');
  }
  expect(unanswered).toEqual([]);
  const open = /^winnow_proxy_open_exchanges (\d+)$/m;
  for (let left = '1'; left !== '0'; ) {
    left = open.exec(await (await fetch(`${stack.proxyUrl}/_winnow/metrics`)).text())![1]!;
  }
  expect(stack.events.filter(({ event }) => event === 'defect')).toEqual([]);
});
