import { answer, createGate, say, waitFor } from '@winnow/testkit';
import { expect, test } from 'vitest';
import { send } from './raw-client.ts';
import { recordsOf, startStack } from './start-stack.ts';

/** The proxy's gauge of open exchanges. */
async function openAt(proxyUrl: string): Promise<string> {
  const text = await (await fetch(`${proxyUrl}/_winnow/metrics`)).text();
  return /^winnow_proxy_open_exchanges (\d+)$/m.exec(text)![1]!;
}

/** A stack whose upstream stalls in the middle of every response. */
async function startHalting(mode: string) {
  const gate = createGate();
  const stack = await startStack({
    isLenient: true,
    model: () => answer([say('Half', waitFor(gate), ' of it.')]),
    settings: { PROXY_ROLLOUT_MODE: mode },
  });
  return { stack, gate };
}

test.each(['full', 'off'])(
  'exchanges are counted until clients have read their streams, with rollout.mode %s',
  async (mode) => {
    const { stack, gate } = await startHalting(mode);
    const streams = await Promise.all(
      [1, 2].map(() => send({ format: 'anthropic', url: stack.proxyUrl, isStream: true })),
    );
    const whole = send({ format: 'openai', url: stack.proxyUrl });
    await gate.reached;
    while (stack.upstream.requests.length < 3) await new Promise((resolve) => setImmediate(resolve));
    expect(await openAt(stack.proxyUrl)).toBe('3');
    gate.open();
    for (const response of [...streams, await whole]) await response.text();
    await recordsOf(stack, 3);
    expect(await openAt(stack.proxyUrl)).toBe('0');
  },
);

test('a stream that its client leaves is not counted any more', async () => {
  const { stack } = await startHalting('full');
  const leaving = new AbortController();
  await send({ format: 'openai', url: stack.proxyUrl, isStream: true, signal: leaving.signal });
  expect(await openAt(stack.proxyUrl)).toBe('1');
  leaving.abort();
  await recordsOf(stack, 1);
  expect(await openAt(stack.proxyUrl)).toBe('0');
});
