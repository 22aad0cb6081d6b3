import { answer, badRequest, callTool, playModel, say, think } from '@winnow/testkit';
import { describe, expect, inject, test } from 'vitest';
import { continueHistory } from './continue-history.ts';
import { FEW_TOOLS, loadBy, send } from './raw-client.ts';
import { recordsOf, startStack } from './start-stack.ts';

/** A store that keeps nothing, like one that is unavailable or was restarted empty. */
const FORGETFUL = {
  isShared: true,
  read: async () => new Map<string, string>(),
  add: async () => {},
  sweep: () => {},
};

const [FIRST, , , , , , , , , WANTED] = FEW_TOOLS.map(({ name }) => name) as [string, ...string[]] & string[];
const PLAN = {
  thinks: true,
  turns: [{ steps: [{ searchFor: [FIRST, WANTED!], thenCall: [{ name: WANTED!, input: {} }] }] }],
};

/** Models by their requirements for the thinking in a history, with a load mode. */
const KINDS = [
  ['that binds it to all before it', 'claude-opus-5-5', { type: 'adaptive' }],
  ['that binds it, with a budget', 'claude-opus-5-5', { type: 'enabled', budget_tokens: 1_024 }],
  ['that binds it to its message', 'claude-opus-4-6', { type: 'enabled', budget_tokens: 1_024 }],
  ['whose tools are swapped', 'claude-haiku-4-5', { type: 'enabled', budget_tokens: 1_024 }],
] as const;

const MODELS = KINDS.flatMap((kind, at) => [
  ['as the model can', ...kind] as const,
  ...(inject('isExhaustive') || at % 2 === 0 ? [['bridge', ...kind] as const] : []),
]);

describe.each(MODELS)(
  '%s: hidden turns with thinking of a model %s, when they are lost',
  (mode, _, model, thinking) => {
    const more = { model, thinking, max_tokens: 4_096 };

    test.each([false, true])(
      'do not cost the conversation its next answer (streamed: %s)',
      async (isStream) => {
        const stack = await startStack({
          model: playModel(PLAN),
          settings: mode === 'bridge' ? loadBy('bridge') : loadBy('native'),
          effects: { sessions: FORGETFUL },
        });
        const request = { format: 'anthropic', url: stack.proxyUrl, more } as const;
        const first = await (await send(request)).json();
        const messages = continueHistory('anthropic', first);
        const second = await send({ ...request, isStream, more: { ...more, messages } });
        expect(second.status).toBe(200);
        expect(await second.text()).toContain('end_turn');
        await recordsOf(stack, 2);
        expect(stack.records.map(({ upstreamCalls }) => upstreamCalls)).toEqual([3, 1]);
        expect(stack.records[1]!.restoredBecause).toBeUndefined();
        // The client holds no thinking that stood behind a search.
        expect(stack.upstream.rejected()).toEqual([]);
      },
    );
  },
);

test.each([
  [
    'native',
    'because of its thinking as well',
    'I do not take this `thinking`.',
    [true, true, false, true, false],
  ],
  [
    'bridge',
    'because of its thinking as well',
    'I do not take this `thinking`.',
    [true, true, false, true, false],
  ],
  ['native', 'for another reason', 'I do not take this.', [true, true]],
  ['bridge', 'for another reason', 'I do not take this.', [true, true]],
] as const)(
  '%s: a request that is refused %s gets the answer to its original bytes',
  async (mode, _, reason, isThinkingSent) => {
    const stack = await startStack({
      script: [answer([think('Hm.'), callTool(WANTED!)])],
      settings: loadBy(mode),
      rejects: ({ text }) => (text.includes('refuse me') ? badRequest(reason) : undefined),
    });
    const more = { model: 'claude-opus-5-5', thinking: { type: 'adaptive' } };
    const request = { format: 'anthropic', url: stack.proxyUrl } as const;
    const first = await (await send({ ...request, more })).json();
    const messages = continueHistory('anthropic', first);
    const refused = await send({ ...request, more: { ...more, messages, system: 'refuse me' } });
    expect(refused.status).toBe(400);
    expect(await refused.text()).toContain(reason);
    const sent = stack.upstream.requests.slice(1).map(({ text }) => text);
    expect(sent.map((text) => text.includes('"type":"thinking"'))).toEqual(isThinkingSent);
    expect(sent.at(-1)).not.toContain('gateway_search_tools');
  },
);

test.each(['native', 'bridge'] as const)(
  '%s: a conversation that has begun before its tools were touched keeps its thinking, and is refused once',
  async (mode) => {
    const stack = await startStack({
      model: playModel({ thinks: true, turns: [{ steps: [{ thenCall: [{ name: FIRST, input: {} }] }] }] }),
      settings: {
        ...loadBy(mode),
        PROXY_ROLLOUT_ALLOW_OVERRIDE: 'true',
      },
    });
    const more = { model: 'claude-opus-5-5', thinking: { type: 'adaptive' }, max_tokens: 4_096 };
    const request = { format: 'anthropic', url: stack.proxyUrl } as const;
    const first = await (await send({ ...request, more, headers: { 'x-winnow-mode': 'off' } })).json();
    const messages = continueHistory('anthropic', first);
    const second = await send({ ...request, more: { ...more, messages } });
    expect(second.status).toBe(200);
    await second.text();
    const [untouched, edited, original] = stack.upstream.requests;
    expect(stack.upstream.requests).toHaveLength(3);
    expect(untouched!.text).not.toContain('gateway_search_tools');
    expect(edited!.rejection).toBeDefined();
    expect(original!.text).not.toContain('gateway_search_tools');
    expect(original!.text).toContain('"type":"thinking"');
    await recordsOf(stack, 2);
    expect(stack.records[1]).toMatchObject({ restoredBecause: 'upstream_rejected_edit' });
    // The same history again, as a client's retry sends it: forwarded unchanged at once.
    expect((await send({ ...request, more: { ...more, messages } })).status).toBe(200);
    expect(stack.upstream.requests).toHaveLength(4);
    expect(stack.upstream.rejected()).toHaveLength(1);
    await recordsOf(stack, 3);
    expect(stack.records[2]).toMatchObject({ planReason: 'refused_before' });
  },
);

test('a conversation whose thinking is bound is never swapped', async () => {
  const stack = await startStack({
    model: playModel(PLAN),
    settings: loadBy('swap'),
  });
  const more = { model: 'claude-opus-5-5', thinking: { type: 'adaptive' }, max_tokens: 4_096 };
  const response = await send({ format: 'anthropic', url: stack.proxyUrl, more });
  expect(response.status).toBe(200);
  await response.text();
  expect(stack.upstream.requests[0]!.text).not.toContain('gateway_search_tools');
  await recordsOf(stack, 1);
  expect(stack.records[0]).toMatchObject({ planReason: 'thinking_bound' });
});

test.each(
  (['adaptive', 'enabled'] as const).flatMap((type) => [false, true].map((isStream) => ({ type, isStream }))),
)(
  'a conversation with bound thinking ($type) goes on when the upstream takes no deferred tools any more (streamed: $isStream)',
  async ({ type, isStream }) => {
    let refuses = false;
    const turn = { steps: [{ searchFor: [WANTED!], thenCall: [{ name: WANTED!, input: {} }] }] };
    const stack = await startStack({
      model: playModel({ thinks: true, turns: [turn, turn, turn] }),
      settings: loadBy('native'),
      rejects: ({ text }) =>
        refuses && text.includes('defer_loading')
          ? badRequest('tools.0.custom.defer_loading: Extra inputs are not permitted')
          : undefined,
    });
    const thinking = type === 'adaptive' ? { type } : { type, budget_tokens: 1_024 };
    const more = { model: 'claude-opus-5-5', thinking, max_tokens: 4_096 };
    const request = { format: 'anthropic', url: stack.proxyUrl, more } as const;
    let messages = continueHistory('anthropic', await (await send(request)).json());
    refuses = true;
    const second = await send({ ...request, isStream, more: { ...more, messages } });
    expect([second.status, await second.text()]).toEqual([200, expect.stringContaining('end_turn')]);
    const before = stack.upstream.rejected().length;
    // Accepted thinking is remembered: the rest of the conversation is not refused.
    messages = [
      ...messages,
      { role: 'assistant', content: [{ type: 'text', text: 'Done.' }] },
      { role: 'user', content: 'Go on.' },
    ];
    const third = await send({ ...request, isStream, more: { ...more, messages } });
    expect([third.status, (await third.text()).length > 0]).toEqual([200, true]);
    expect(stack.upstream.rejected().length).toBe(before);
  },
);

test('a history without thinking is not tried a second time', async () => {
  const stack = await startStack({
    script: [answer([say('Hello.')])],
    rejects: ({ text }) => (text.includes('gateway_search_tools') ? badRequest('No.') : undefined),
  });
  await (await send({ format: 'anthropic', url: stack.proxyUrl })).text();
  expect(stack.upstream.requests).toHaveLength(2);
});
