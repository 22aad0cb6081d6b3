import { playModel } from '@winnow/testkit';
import { describe, expect, test } from 'vitest';
import { FEW_TOOLS, type RawRequest, send } from './raw-client.ts';
import { recordsOf, type Stack, startStack } from './start-stack.ts';

const WANTED = FEW_TOOLS[9]!.name;
const MODEL = playModel({ turns: [{ steps: [{ thenCall: [{ name: WANTED, input: {} }] }] }] });
const CODER = { 'user-agent': 'coder/1.2' };

const start = (settings: Readonly<Record<string, string>>) =>
  startStack({
    model: MODEL,
    isLenient: true,
    settings: { PROXY_TOOLS_STRATEGY: 'tool-search', PROXY_TOOLS_PRELOAD: '0', ...settings },
  });

async function ask(stack: Stack, { more, headers, format = 'anthropic' }: Partial<RawRequest> = {}) {
  const before = stack.records.length;
  const response = await send({
    format,
    url: stack.proxyUrl,
    ...(more && { more }),
    ...(headers && { headers }),
  });
  await response.text();
  await recordsOf(stack, before + 1);
  return { record: stack.records.at(-1)!, sent: stack.upstream.requests.at(-1)! };
}

/** The names of the tools that the upstream got as they were. */
const visibleIn = ({ sent }: Awaited<ReturnType<typeof ask>>) =>
  (JSON.parse(sent.text).tools as { name?: string; defer_loading?: boolean }[])
    .filter(({ defer_loading: isDeferred }) => !isDeferred)
    .map(({ name }) => name);

describe('a profile', () => {
  test('decides by user agent which tools stay', async () => {
    const stack = await start({
      PROXY_PROFILES_CODER_MATCH_AGENT: 'coder/*',
      PROXY_PROFILES_CODER_ALWAYS_KEEP: WANTED,
    });
    const own = await ask(stack, { headers: CODER });
    expect(own.record).toMatchObject({ profile: 'coder', alwaysKeep: { [WANTED]: 1 } });
    expect(visibleIn(own)).toEqual([WANTED, 'gateway_search_tools', 'gateway_call_tool']);
    const other = await ask(stack, { headers: { 'user-agent': 'other/1.2' } });
    expect(other.record.profile).toBeUndefined();
    expect(visibleIn(other)).not.toContain(WANTED);
  });

  test('decides by the name of the token, which reaches neither upstream nor record', async () => {
    const stack = await start({
      PROXY_SERVER_TOKENS: 'team-a:s3cret-a,team-b:s3cret-b',
      PROXY_PROFILES_A_MATCH_TOKEN: 'team-a',
      PROXY_PROFILES_A_ROLLOUT_MODE: 'off',
    });
    const [a, b] = [
      await ask(stack, { headers: { 'x-winnow-token': 's3cret-a' } }),
      await ask(stack, { headers: { 'x-winnow-token': 's3cret-b' } }),
    ];
    expect([a.record.profile, a.record.arm, b.record.profile, b.record.arm]).toEqual([
      'a',
      'off',
      undefined,
      'full',
    ]);
    expect(JSON.stringify([a.record, a.sent.headers])).not.toContain('s3cret');
    const named = await send({
      format: 'anthropic',
      url: stack.proxyUrl,
      headers: { 'x-winnow-token': 'team-a:s3cret-a' },
    });
    expect(named.status).toBe(401);
  });

  test('decides by model whether tools are held back, and by upstream', async () => {
    const stack = await start({
      PROXY_ROLLOUT_MODE: 'off',
      PROXY_PROFILES_OPUS_MATCH_MODEL: 'claude-opus-*',
      PROXY_PROFILES_OPUS_ROLLOUT_MODE: 'full',
      PROXY_PROFILES_CHAT_MATCH_UPSTREAM: 'openai',
      PROXY_PROFILES_CHAT_ROLLOUT_MODE: 'shadow',
    });
    const opus = await ask(stack);
    expect(opus.record).toMatchObject({ profile: 'opus', arm: 'full', planReason: 'deferred' });
    const haiku = await ask(stack, { more: { model: 'claude-haiku-4-5' } });
    expect(haiku.record).toMatchObject({ arm: 'off', armReason: 'rollout_off', planReason: 'not_read' });
    expect(haiku.record.profile).toBeUndefined();
    const chat = await ask(stack, { format: 'openai' });
    expect(chat.record).toMatchObject({ profile: 'chat', arm: 'shadow', observation: { status: 'done' } });
  });

  test('is that of the model where an exchange is only observed, and observed by its settings', async () => {
    const stack = await start({
      PROXY_ROLLOUT_MODE: 'shadow',
      PROXY_PROFILES_OPUS_MATCH_MODEL: 'claude-opus-*',
      PROXY_PROFILES_OPUS_ALWAYS_KEEP: '*',
    });
    const opus = await ask(stack);
    expect(opus.record).toMatchObject({ profile: 'opus', arm: 'shadow', planReason: 'few_tools' });
    const haiku = await ask(stack, { more: { model: 'claude-haiku-4-5' } });
    expect(haiku.record).toMatchObject({ arm: 'shadow', planReason: 'deferred' });
    expect(haiku.record.profile).toBeUndefined();
  });

  test('has a percentage of its own in `partial`, within which a larger one contains a smaller one', async () => {
    const stack = await start({
      PROXY_ROLLOUT_MODE: 'partial',
      PROXY_ROLLOUT_PERCENT: '60',
      PROXY_PROFILES_CODER_MATCH_AGENT: 'coder/*',
      PROXY_PROFILES_CODER_ROLLOUT_PERCENT: '30',
    });
    const arms: string[] = [];
    for (let number = 0; number < 24; number += 1) {
      const headers = { 'x-winnow-session': `session-${number}` };
      const [own, other] = [
        await ask(stack, { headers: { ...headers, ...CODER } }),
        await ask(stack, { headers }),
      ];
      arms.push(`${own.record.arm} ${other.record.arm}`);
    }
    expect(new Set(arms)).toEqual(new Set(['full full', 'shadow full', 'shadow shadow']));
  });
});
