import { answer, callTool, type ScriptEntry, say } from '@winnow/testkit';
import { describe, expect, test } from 'vitest';
import { sendBytes } from './byte-client.ts';
import { hangs, REFUSED, startFakeSelector } from './fake-selector.ts';
import { bodyOf, FEW_TOOLS, PATH_OF } from './raw-client.ts';
import { recordsOf, startStack } from './start-stack.ts';

/** All rollout modes that alter nothing. That they pass everything to the byte, the conformance kit tests. */
const ARMS: readonly [arm: string, settings: Readonly<Record<string, string>>][] = [
  ['off', { PROXY_ROLLOUT_MODE: 'off' }],
  ['dark', { PROXY_ROLLOUT_MODE: 'dark' }],
  ['shadow', { PROXY_ROLLOUT_MODE: 'shadow' }],
  // So low a percentage that the only session of these tests is outside; its bucket is always the same.
  ['shadow', { PROXY_ROLLOUT_MODE: 'partial', PROXY_ROLLOUT_PERCENT: '0.0001' }],
];

const HEADERS = { 'content-type': 'application/json', authorization: 'Bearer key' };

const streamed = () => Buffer.from(bodyOf({ format: 'openai', url: '', isStream: true }));
const CALLS = [answer([say('Hi. '), callTool(FEW_TOOLS[9]!.name, {})])];

const LARGE = 60 * 1024 * 1024;

describe.each(ARMS.slice(0, 3))('in %s (%o)', (arm, settings) => {
  test('a request and an answer that are too large to be read pass all the same', async () => {
    const script: readonly ScriptEntry[] = [{ kind: 'bytes', body: Buffer.alloc(LARGE, 'b') }];
    const stack = await startStack({ script, isLenient: true, settings, selectorUrl: REFUSED });
    const answered = await sendBytes(stack.proxyUrl, {
      path: PATH_OF.openai,
      headers: HEADERS,
      body: Buffer.alloc(LARGE, 'a'),
    });
    expect([answered.status, answered.bytes.length]).toEqual([200, LARGE]);
    expect(stack.upstream.requests[0]!.bytes.length).toBe(LARGE);
    await recordsOf(stack, 1);
    expect(stack.records).toMatchObject([{ arm, planReason: 'not_read', outcome: 'answered' }]);
    expect(stack.records[0]!.observation).toEqual(arm === 'off' ? undefined : { status: 'dropped' });
  });
});

describe.each(ARMS.slice(1))('in %s (%o)', (_, settings) => {
  test('a client never waits for the selector', async () => {
    const stack = await startStack({
      script: CALLS,
      settings: { ...settings, PROXY_TOOLS_API_TIMEOUT: '20s' },
      selectorUrl: await startFakeSelector(hangs),
      // The end of the test does not wait for it either.
      effects: { deadline: (ms) => AbortSignal.timeout(ms === 20_000 ? ms : 1) },
    });
    const answered = await sendBytes(stack.proxyUrl, {
      path: PATH_OF.openai,
      headers: HEADERS,
      body: streamed(),
    });
    expect([answered.status, answered.isWhole]).toEqual([200, true]);
    // The observation is still pending: the selector has not responded.
    expect(stack.records).toEqual([]);
  });
});
