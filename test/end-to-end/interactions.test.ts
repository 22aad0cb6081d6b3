import { GoogleGenAI, type Interactions } from '@google/genai';
import { answer, callTool, playModel, say, think } from '@winnow/testkit';
import { describe, expect, test } from 'vitest';
import { selects, startFakeSelector } from './fake-selector.ts';
import { FEW_TOOLS } from './raw-client.ts';
import { recordsOf, type Stack, startStack } from './start-stack.ts';

const SEARCH_TOOL = 'gateway_search_tools';
const WANTED = FEW_TOOLS[9]!.name;
const MODEL = 'gemini-3-pro-preview';

const TOOLS = FEW_TOOLS.map(({ name, description, parameters }) => ({
  type: 'function' as const,
  name,
  description,
  parameters,
}));

const clientOf = ({ proxyUrl }: Stack) =>
  new GoogleGenAI({ apiKey: 'key', httpOptions: { baseUrl: proxyUrl } }).interactions;

type Client = ReturnType<typeof clientOf>;
type Body = Readonly<Record<string, unknown>>;

/** The events of a stream. */
async function eventsOf(client: Client, more: Body = {}): Promise<Interactions.InteractionSSEEvent[]> {
  const body = { model: MODEL, input: 'Do it.', tools: TOOLS, ...more, stream: true as const };
  const events: Interactions.InteractionSSEEvent[] = [];
  const stream = (await client.create(
    body as never,
  )) as unknown as AsyncIterable<Interactions.InteractionSSEEvent>;
  for await (const event of stream) events.push(event);
  return events;
}

/** The id and the calls of an interaction, streamed or whole. */
async function ask(client: Client, isStream: boolean, more: Body = {}) {
  if (!isStream) {
    const { id, steps, status } = (await client.create(
      { model: MODEL, input: 'Do it.', tools: TOOLS, ...more, stream: false } as never,
      { maxRetries: 0 },
    )) as unknown as Interactions.Interaction;
    const calls = steps!.flatMap((step) => (step.type === 'function_call' ? [step] : []));
    return { id, status, calls };
  }
  const events = await eventsOf(client, more);
  const calls = events.flatMap((event) =>
    event.event_type === 'step.start' && event.step.type === 'function_call' ? [event.step] : [],
  );
  const end = events.at(-1) as Interactions.InteractionCompletedEvent;
  return { id: end.interaction.id, status: end.interaction.status, calls };
}

const resultsOf = (calls: readonly { readonly id: string; readonly name: string }[]) =>
  calls.map(({ id, name }) => ({ type: 'function_result', call_id: id, name, result: 'done' }));

/** Says something, searches, then calls: the client of a stream has the first round's id. */
const TALKATIVE = {
  narratesSearches: true,
  turns: [{ steps: [{ searchFor: [WANTED], thenCall: [{ name: WANTED, input: {} }] }] }, {}],
};

describe('a stored interaction of several rounds', () => {
  test.each([true, false])(
    'can be asked for by the id that the client has, streamed: %s',
    async (isStream) => {
      const stack = await startStack({ model: playModel(TALKATIVE) });
      const client = clientOf(stack);
      const first = await ask(client, isStream);
      const [one, two] = stack.upstream.storedIds();
      expect(first).toMatchObject({ id: isStream ? one : two, status: 'requires_action' });

      const got = await client.get(first.id, { include_input: true });
      expect(got.id).toBe(first.id);
      const input = got.input as unknown as { type: string }[];
      expect(input.map(({ type }) => type)).toEqual(['user_input', 'thought', 'model_output']);
      expect(JSON.stringify([got.steps, got.input, got.tools])).not.toContain(SEARCH_TOOL);
      expect((await client.cancel(first.id)).id).toBe(first.id);

      const next = { input: resultsOf(first.calls), previous_interaction_id: first.id };
      const second = await ask(client, isStream, next);
      expect(second).toMatchObject({ status: 'completed', calls: [] });

      await client.delete(first.id);
      expect(stack.upstream.storedIds()).not.toContain(one);
      expect(stack.upstream.storedIds()).not.toContain(two);
      await expect(client.get(first.id)).rejects.toMatchObject({ status: 404 });
      expect(stack.upstream.rejected()).toEqual([]);
      await recordsOf(stack, 2);
      expect(stack.records.map(({ restoredBecause }) => restoredBecause)).toEqual([undefined, undefined]);
    },
  );

  test('cannot be streamed once more, and belongs to its client only', async () => {
    const stack = await startStack({ model: playModel(TALKATIVE) });
    const { id } = await ask(clientOf(stack), true);
    const url = `${stack.proxyUrl}/v1beta/interactions/${id}`;
    const again = await fetch(`${url}?stream=true&last_event_id=e`, { headers: { 'x-goog-api-key': 'key' } });
    expect(again.status).toBe(400);
    expect(await again.json()).toMatchObject({
      error: { message: expect.stringContaining('request it without streaming') },
    });
    const foreign = await fetch(url, { headers: { 'x-goog-api-key': 'other' } });
    expect(foreign.status).toBe(404);
    expect(stack.upstream.requests.at(-1)!.path).toBe(`/v1beta/interactions/${id}`);
  });

  // The documentation’s own example sends results without tools.
  test('is gone on from where nothing else is edited', async () => {
    const stack = await startStack({ model: playModel(TALKATIVE) });
    const client = clientOf(stack);
    const first = await ask(client, true);
    const next = { tools: undefined, input: resultsOf(first.calls), previous_interaction_id: first.id };
    expect((await ask(client, true, next)).status).toBe('completed');
    const sent = JSON.parse(stack.upstream.requests.at(-1)!.text);
    expect(sent.previous_interaction_id).toBe(stack.upstream.storedIds()[1]);
    expect(stack.upstream.rejected()).toEqual([]);
    await recordsOf(stack, 2);
    expect(stack.records[1]).toMatchObject({ planReason: 'no_function_tools' });
  });
});

test.each([
  ['agent', { agent: 'deep-research-pro-preview-12-2025', model: undefined }],
  ['background', { background: true }],
  ['cached_content', { cached_content: 'cachedContents/1' }],
  ['continued_thread', { continuation_token: 'token' }],
])('forwards unchanged what Winnow must not edit: %s', async (planReason, more) => {
  const stack = await startStack({ script: [answer([say('Done.')])], isLenient: true });
  const body = JSON.stringify({ model: MODEL, input: 'Do it.', tools: TOOLS, ...more });
  const response = await fetch(`${stack.proxyUrl}/v1beta/interactions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-goog-api-key': 'key' },
    body,
  });
  expect(response.status).toBe(200);
  expect(stack.upstream.requests.map(({ text }) => text)).toEqual([body]);
  await recordsOf(stack, 1);
  expect(stack.records[0]).toMatchObject({ planReason, format: 'gemini-interactions', upstream: 'gemini' });
});

test('signatures that are refused, as a hidden turn is lost, are replaced', async () => {
  const stack = await startStack({
    script: [
      answer([think('Hm.'), callTool(SEARCH_TOOL, { query: WANTED })]),
      answer([callTool(WANTED)]),
      answer([say('Done.')]),
    ],
    effects: {
      sessions: { isShared: true, read: async () => new Map(), add: async () => {}, sweep: () => {} },
    },
  });
  const client = clientOf(stack);
  const first = (await client.create({
    model: MODEL,
    input: 'Do it.',
    tools: TOOLS,
    store: false,
  })) as never as {
    steps: Interactions.Step[];
  };
  expect(first.steps.map(({ type }) => type)).toEqual(['thought', 'function_call']);
  const input = [
    { type: 'user_input', content: [{ type: 'text', text: 'Do it.' }] },
    ...first.steps,
    ...resultsOf(first.steps.slice(1) as never),
  ];
  expect(await ask(client, false, { input, store: false })).toMatchObject({ status: 'completed' });
  await recordsOf(stack, 2);
  expect(stack.records[1]!.upstreamCalls).toBe(2);
});

test.each([false, true])('shadow finds out what would have been missed (streamed: %s)', async (isStream) => {
  const stack = await startStack({
    script: [answer([say('So be it. '), callTool(WANTED)])],
    selectorUrl: await startFakeSelector(selects(FEW_TOOLS[0]!.name)),
    settings: { PROXY_ROLLOUT_MODE: 'shadow' },
  });
  expect(await ask(clientOf(stack), isStream)).toMatchObject({ calls: [{ name: WANTED }] });
  await recordsOf(stack, 1);
  expect(stack.records[0]).toMatchObject({
    ...{ arm: 'shadow', format: 'gemini-interactions', upstreamCalls: 1 },
    observation: { status: 'done', called: [WANTED], wouldHaveMissed: [WANTED] },
  });
});
