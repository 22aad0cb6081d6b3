import { expect, test } from 'vitest';
import { type UpstreamRequest, watchedSend } from '../src/upstream/send-upstream.ts';

const refused = Object.assign(new Error('connect to secret.example'), { code: 'ECONNREFUSED' });

const request = (name: string, aborted = false) =>
  ({ upstream: { name }, signal: { aborted } }) as unknown as UpstreamRequest;

function watched(errors: readonly Error[]) {
  const waiting = [...errors];
  const lines: Record<string, unknown>[] = [];
  let time = 0;
  const send = watchedSend(() => Promise.reject(waiting.shift()), {
    now: () => time,
    wallClock: () => 0,
    writeLog: (line) => lines.push(JSON.parse(line) as Record<string, unknown>),
  });
  return {
    lines,
    pass: (ms: number) => {
      time += ms;
    },
    send: (name: string, aborted?: boolean) => send(request(name, aborted)).catch((error: unknown) => error),
  };
}

test('a request without a response is logged with its upstream and cause, once a minute, with the number of skipped lines', async () => {
  const { send, lines, pass } = watched(Array.from({ length: 5 }, () => refused));
  expect(await send('openai')).toBe(refused);
  await send('openai');
  await send('openai');
  await send('local');
  pass(60_000);
  await send('openai');
  expect(lines).toEqual([
    { time: expect.any(String), event: 'upstream_unreachable', upstream: 'openai', cause: 'ECONNREFUSED' },
    { time: expect.any(String), event: 'upstream_unreachable', upstream: 'local', cause: 'ECONNREFUSED' },
    {
      time: expect.any(String),
      event: 'upstream_unreachable',
      upstream: 'openai',
      cause: 'ECONNREFUSED',
      since: 2,
    },
  ]);
  expect(JSON.stringify(lines)).not.toContain('secret.example');
});

test('a client that left is not a failure of the upstream', async () => {
  const { send, lines } = watched([new Error('left')]);
  await send('openai', true);
  expect(lines).toEqual([]);
});
