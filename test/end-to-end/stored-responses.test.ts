import { answer, callTool, createGate, playModel, say, think, waitFor } from '@winnow/testkit';
import OpenAI from 'openai';
import type { Response, ResponseInput } from 'openai/resources/responses/responses';
import { describe, expect, test } from 'vitest';
import { FEW_TOOLS } from './raw-client.ts';
import { recordsOf, type Stack, startStack } from './start-stack.ts';

const SEARCH_TOOL = 'gateway_search_tools';
const WANTED = FEW_TOOLS[9]!.name;
const KEPT = FEW_TOOLS[8]!.name;

/** A store that keeps nothing, like one that is unavailable or was restarted empty. */
const FORGETFUL = {
  isShared: true,
  read: async () => new Map<string, string>(),
  add: async () => {},
  sweep: () => {},
};

const TOOLS = FEW_TOOLS.map(({ name, description, parameters }) => ({
  type: 'function' as const,
  name,
  description,
  parameters: parameters as Record<string, unknown>,
  strict: false,
}));

const MODES = [
  ['swap', 'gpt-5-mini'],
  ['native', 'gpt-5.4'],
  ['bridge', 'gpt-5-mini'],
] as const;

function clientOf({ proxyUrl }: Stack): OpenAI {
  return new OpenAI({ baseURL: `${proxyUrl}/v1`, apiKey: 'key', maxRetries: 0 });
}

interface Asked {
  readonly model: string;
  readonly input: string | ResponseInput;
  readonly isStream: boolean;
  readonly more?: Readonly<Record<string, unknown>>;
}

function ask(client: OpenAI, { model, input, isStream, more }: Asked): Promise<Response> {
  const body = { model, input, tools: TOOLS, ...more };
  return isStream ? client.responses.stream(body).finalResponse() : client.responses.create(body);
}

/** The results for the calls of a response. */
function resultsOf({ output }: Response): ResponseInput {
  return output.flatMap((item) =>
    item.type === 'function_call'
      ? [{ type: 'function_call_output' as const, call_id: item.call_id, output: 'done' }]
      : [],
  );
}

const settings = (mode: (typeof MODES)[number][0]) => ({ PROXY_UPSTREAMS_OPENAI_LOAD: mode });

/** Says something, searches, then calls: the client has the first round's id. */
const TALKATIVE = {
  narratesSearches: true,
  turns: [{ steps: [{ searchFor: [WANTED], thenCall: [{ name: WANTED, input: {} }] }] }, {}],
};

describe.each(MODES)('a stored response of several rounds, %s', (mode, model) => {
  test.each([true, false])(
    'can be asked for by the id that the client has, streamed: %s',
    async (isStream) => {
      const stack = await startStack({ model: playModel(TALKATIVE), settings: settings(mode) });
      const client = clientOf(stack);
      const first = await ask(client, { model, input: 'Do it.', isStream });
      const [one, two] = stack.upstream.storedIds();
      expect(first.id).toBe(isStream ? one : two);

      const got = await client.responses.retrieve(first.id);
      expect(got.id).toBe(first.id);
      expect(JSON.stringify(got)).not.toMatch(/gateway_search_tools|tool_search/);
      expect((await client.responses.cancel(first.id)).id).toBe(first.id);

      const second = await ask(client, {
        model,
        input: resultsOf(first),
        isStream,
        more: { previous_response_id: first.id },
      });
      expect(second.previous_response_id).toBe(first.id);
      const items = await client.responses.inputItems.list(second.id);
      expect(JSON.stringify(items.data)).not.toMatch(/gateway_search_tools|tool_search/);
      expect(items.data.map((item) => item.type ?? 'message')).toContain('function_call_output');

      await client.responses.delete(first.id);
      expect(stack.upstream.storedIds()).not.toContain(one);
      expect(stack.upstream.storedIds()).not.toContain(two);
      await expect(client.responses.retrieve(first.id)).rejects.toMatchObject({ status: 404 });
      expect(stack.upstream.rejected()).toEqual([]);
      expect(stack.records.map(({ restoredBecause }) => restoredBecause)).toEqual([undefined, undefined]);
    },
  );

  test('cannot be streamed once more, and another one is not touched', async () => {
    const stack = await startStack({ model: playModel(TALKATIVE), settings: settings(mode) });
    const client = clientOf(stack);
    const { id } = await ask(client, { model, input: 'Do it.', isStream: true });
    const response = await fetch(`${stack.proxyUrl}/v1/responses/${id}?stream=true`, {
      headers: { authorization: 'Bearer key' },
    });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: { code: 'resume_not_supported' } });
    // Another client knows nothing of it.
    const foreign = new OpenAI({ baseURL: `${stack.proxyUrl}/v1`, apiKey: 'other', maxRetries: 0 });
    await expect(foreign.responses.retrieve(id)).rejects.toMatchObject({ status: 404 });
    expect(stack.upstream.requests.at(-1)!.path).toBe(`/v1/responses/${id}`);
  });

  test('is gone on from where nothing else is edited', async () => {
    const stack = await startStack({ model: playModel(TALKATIVE), settings: settings(mode) });
    const client = clientOf(stack);
    const first = await ask(client, { model, input: 'Do it.', isStream: true });
    const second = await client.responses.create({
      model,
      input: resultsOf(first),
      previous_response_id: first.id,
    });
    expect(second.status).toBe('completed');
    const sent = JSON.parse(stack.upstream.requests.at(-1)!.text);
    expect(sent.previous_response_id).toBe(stack.upstream.storedIds()[1]);
    expect(stack.upstream.rejected()).toEqual([]);
    await recordsOf(stack, 2);
    expect(stack.records[1]).toMatchObject({ planReason: 'no_function_tools' });
  });

  test('is found by the session store’s loss, when nothing of it showed before the search', async () => {
    const quiet = { turns: TALKATIVE.turns };
    const stack = await startStack({
      model: playModel({ ...quiet, searchesAgain: true }),
      settings: settings(mode),
      effects: { sessions: FORGETFUL },
    });
    const client = clientOf(stack);
    const first = await ask(client, { model, input: 'Do it.', isStream: true });
    const more = { previous_response_id: first.id };
    const second = await ask(client, { model, input: resultsOf(first), isStream: true, more });
    expect(second.output_text).toContain('is done');
    expect(stack.upstream.rejected()).toEqual([]);
  });
});

describe.each(MODES)('hidden turns of a history, when they are lost, %s', (mode, model) => {
  test.each([
    ['with reasoning', true],
    ['without', false],
  ])('do not cost the conversation its next answer, %s', async (_, thinks) => {
    const stack = await startStack({
      model: playModel({ ...TALKATIVE, narratesSearches: false, thinks, searchesAgain: true }),
      settings: settings(mode),
      effects: { sessions: FORGETFUL },
    });
    const client = clientOf(stack);
    const more = { store: false, ...(thinks && { reasoning: { effort: 'low' } }) };
    const first = await ask(client, { model, input: 'Do it.', isStream: true, more });
    const output = first.output as ResponseInput;
    const input: ResponseInput = [{ role: 'user', content: 'Do it.' }, ...output, ...resultsOf(first)];
    const second = await ask(client, { model, input, isStream: true, more });
    expect(second.output_text).toContain('is done');
    await recordsOf(stack, 2);
    expect(stack.records[1]!.restoredBecause).toBeUndefined();
  });
});

test.each([
  ['that is not known', FORGETFUL, 1],
  ['that is known', undefined, 2],
])(
  'a call after a stored response %s is refused only if no definition can have come before',
  async (_, sessions, rounds) => {
    // The arguments do not fit, which the client may judge itself.
    const call = callTool('gateway_call_tool', { name: WANTED, arguments: { no: 'such argument' } });
    const stack = await startStack({
      script: [answer([say('Hello.')]), answer([call]), answer([call]), answer([call])],
      settings: { PROXY_UPSTREAMS_OPENAI_LOAD: 'bridge' },
      ...(sessions && { effects: { sessions } }),
    });
    const client = clientOf(stack);
    const request = { model: 'gpt-5-mini', input: 'Do it.', isStream: false };
    const { id } = await ask(client, request);
    const { output } = await ask(client, { ...request, more: { previous_response_id: id } });
    expect(output).toMatchObject([{ name: WANTED, arguments: '{"no":"such argument"}' }]);
    await recordsOf(stack, 2);
    expect(stack.records[1]!.upstreamCalls).toBe(rounds);
  },
);

test('reasoning of a lost hidden turn, which earlier versions showed, is left out when it is refused', async () => {
  // Reasoning, an unrelated text, and a call: the remains after the search between them is lost.
  const stack = await startStack({
    script: [
      answer([think('Hm.'), callTool(SEARCH_TOOL, { query: WANTED })]),
      answer([say('I ask.'), callTool(WANTED)]),
      answer([say('Done.')]),
    ],
  });
  const more = { store: false };
  const upstream = new OpenAI({ baseURL: `${stack.upstream.url}/v1`, apiKey: 'key' });
  const request = { model: 'gpt-5-mini', input: 'Do it.', isStream: false, more };
  const searching = await ask(upstream, request);
  const calling = await ask(upstream, request);
  const output = [searching.output[0], ...calling.output] as ResponseInput;
  const input: ResponseInput = [{ role: 'user', content: 'Do it.' }, ...output, ...resultsOf(calling)];
  const last = await ask(clientOf(stack), { model: 'gpt-5-mini', input, isStream: true, more });
  expect(last.output_text).toBe('Done.');
  await recordsOf(stack, 1);
  expect(stack.upstream.rejected().map(({ rejection }) => rejection!.message)).toEqual([
    expect.stringContaining('without its required following item'),
    // The original would be refused as well.
    expect.stringContaining('without its required following item'),
  ]);
});

test('tokens are counted as they are sent', async () => {
  const stack = await startStack({});
  const client = clientOf(stack);
  const counted = await client.responses.inputTokens.count({
    model: 'gpt-5.4',
    input: 'Do it.',
    tools: TOOLS,
  });
  expect(counted.input_tokens).toBeGreaterThan(0);
  expect(stack.upstream.requests[0]!.text).toContain(SEARCH_TOOL);
  expect(stack.upstream.rejected()).toEqual([]);
});

test('a client that leaves during a hidden round ends it', async () => {
  const gate = createGate();
  const stack = await startStack({
    script: [
      answer([say('One moment.'), callTool(SEARCH_TOOL, { query: WANTED })]),
      answer([waitFor(gate), say('Never heard.')]),
    ],
  });
  const stream = clientOf(stack).responses.stream({ model: 'gpt-5-mini', input: 'Do it.', tools: TOOLS });
  const ended = expect(stream.done()).rejects.toThrow('aborted');
  const second = await stack.upstream.received(1);
  stream.abort();
  await ended;
  expect(await second.answer.ended).toBe('client-left');
});

test('an upstream that fails in a later round fails the response that the client has', async () => {
  const stack = await startStack({
    script: [
      answer([say('One moment.'), callTool(SEARCH_TOOL, { query: WANTED })]),
      { kind: 'error', status: 400, message: 'No more.' },
    ],
  });
  const events: unknown[] = [];
  const stream = await clientOf(stack).responses.create({
    model: 'gpt-5-mini',
    input: 'Do it.',
    tools: TOOLS,
    stream: true,
  });
  for await (const event of stream) events.push(event);
  expect(events.at(-1)).toMatchObject({
    type: 'response.failed',
    sequence_number: events.length - 1,
    response: { id: stack.upstream.storedIds()[0], status: 'failed', error: { message: 'No more.' } },
  });
});

test(`a tool that stays visible is called without a search: ${KEPT}`, async () => {
  const stack = await startStack({
    model: playModel({ turns: [{ steps: [{ thenCall: [{ name: KEPT, input: {} }] }] }] }),
    settings: { PROXY_PIPES_TOOL_DISCOVERY_ALWAYS_KEEP: KEPT },
  });
  const first = await ask(clientOf(stack), { model: 'gpt-5.4', input: 'Do it.', isStream: true });
  expect(first.output).toMatchObject([{ type: 'function_call', name: KEPT }]);
  expect(stack.upstream.requests).toHaveLength(1);
});

test.each(['withhold', 'refuse'] as const)(
  'reasoning that is bound to the tools is told of, or left out, when they change: %s',
  async (bindsReasoning) => {
    const stack = await startStack({
      model: playModel({
        thinks: true,
        turns: [{ steps: [{ searchFor: [WANTED], thenCall: [{ name: WANTED, input: {} }] }] }],
      }),
      rules: { bindsReasoning },
      settings: settings('swap'),
    });
    const more = { store: false, reasoning: { effort: 'low' } };
    const first = await ask(clientOf(stack), { model: 'gpt-5-mini', input: 'Do it.', isStream: false, more });
    expect(first.output.at(-1)).toMatchObject({ type: 'function_call', name: WANTED });
    await recordsOf(stack, 1);
    expect(JSON.stringify(first)).not.toContain('gateway_search_tools');
    if (bindsReasoning === 'withhold') {
      expect(stack.upstream.requests).toHaveLength(2);
    } else {
      // The second round is refused, and the client gets the response to its original bytes.
      expect(stack.records[0]).toMatchObject({ restoredBecause: 'later_round_failed' });
      expect(stack.upstream.rejected()[0]!.rejection).toMatchObject({ code: 'invalid_encrypted_content' });
    }
  },
);

test.each(MODES)(
  'what is shown from the start stays, where the provider has the history: %s',
  async (mode, model) => {
    const [preloaded] = FEW_TOOLS;
    const stack = await startStack({
      model: playModel(TALKATIVE),
      settings: { ...settings(mode), PROXY_PIPES_TOOL_DISCOVERY_PRELOAD: '2' },
    });
    const client = clientOf(stack);
    const named = `${preloaded!.name}: ${preloaded!.description}`;
    const input: ResponseInput = [
      { role: 'developer', content: `Prefer ${KEPT}.` },
      { role: 'user', content: named },
    ];
    const first = await ask(client, { model, input, isStream: false });
    const more = { previous_response_id: first.id };
    await ask(client, { model, input: resultsOf(first), isStream: false, more });
    const shown = stack.upstream.requests.map(({ json }) =>
      (json as { tools: { type: string; name?: string }[] }).tools.map(({ type, name }) => name ?? type),
    );
    expect(shown).toHaveLength(3);
    const brought = stack.upstream.requests.map(({ json }) => {
      const { input } = json as { input: { type?: string }[] };
      if (mode === 'bridge')
        return JSON.stringify(input).split(`{\\"name\\":\\"${preloaded!.name}\\"`).length - 1;
      const outputs = input.filter(({ type }) => type === 'tool_search_output');
      return JSON.stringify(outputs).split(`"${preloaded!.name}"`).length - 1;
    });
    // The tools have it where they may change; otherwise the first request brings it, and the history keeps it.
    expect(shown[0]).toEqual(expect.arrayContaining(mode === 'swap' ? [preloaded!.name, KEPT] : [KEPT]));
    expect(brought).toEqual({ swap: [0, 0, 0], native: [1, 0, 0], bridge: [1, 1, 0] }[mode]);
    for (const names of shown) expect(names.slice(0, shown[0]!.length)).toEqual(shown[0]);
  },
);
