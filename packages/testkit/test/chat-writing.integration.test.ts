import { describe, expect, test } from 'vitest';
import { answer, callTool, say, think } from '../src/upstream/answer-parts.ts';
import type { Deviations, MessageAnswer } from '../src/upstream/scripted-answer.ts';
import { askChat, start } from './ask.ts';

const USAGE = {
  inputTokens: 10,
  outputTokens: 5,
  cacheReadTokens: 3,
  cacheWriteTokens: 2,
  reasoningTokens: 1,
};
const USAGE_ON_WIRE = {
  prompt_tokens: 15,
  completion_tokens: 5,
  total_tokens: 20,
  prompt_tokens_details: { cached_tokens: 3, audio_tokens: 0 },
  completion_tokens_details: {
    reasoning_tokens: 1,
    audio_tokens: 0,
    accepted_prediction_tokens: 0,
    rejected_prediction_tokens: 0,
  },
};
const HEAD = {
  id: 'chatcmpl-1',
  object: 'chat.completion.chunk',
  created: 1_790_000_000,
  model: 'gpt-test',
  service_tier: 'default',
  system_fingerprint: 'fp_testkit',
};

interface Chunk {
  readonly choices: readonly {
    readonly delta: Record<string, unknown>;
    readonly finish_reason: string | null;
  }[];
  readonly usage?: unknown;
}

/** The data of each event of the stream. */
async function stream(scripted: MessageAnswer, body: object = {}): Promise<string[]> {
  const upstream = await start({ script: [scripted] });
  const text = await (await askChat(upstream, { stream: true, ...body })).text();
  expect(text).toMatch(/\n\n$/);
  return text
    .trimEnd()
    .split('\n\n')
    .map((event) => event.replace(/^data: /, ''));
}

/** The deltas of the stream, and the finish reasons that came with them. */
async function deltas(scripted: MessageAnswer): Promise<unknown[]> {
  const chunks = (await stream(scripted))
    .filter((data) => data !== '[DONE]')
    .map((data) => JSON.parse(data) as Chunk);
  return chunks.flatMap(({ choices }) =>
    choices.map(({ delta, finish_reason }) => (finish_reason === null ? delta : [delta, finish_reason])),
  );
}

/** The calls in the deltas, one entry for each chunk that has some. */
async function callDeltas(deviations: Deviations): Promise<unknown[]> {
  const calls = [
    callTool('add', ['{"a"', ':1}'], { id: 'call_a' }),
    callTool('sub', ['{}'], { id: 'call_b' }),
  ];
  const found = (await deltas(answer(calls, { deviations }))) as { tool_calls?: unknown[] }[];
  return found.flatMap((delta) =>
    'tool_calls' in delta ? delta.tool_calls : Array.isArray(delta) ? [delta] : [],
  );
}

describe('a whole Chat answer', () => {
  const scripted = answer(
    [think('Hm.'), say('Let ', 'me see.'), callTool('add', { a: 1 }, { id: 'call_a' })],
    {
      id: 'chatcmpl-1',
      usage: USAGE,
    },
  );

  test('has the shape of the provider', async () => {
    const upstream = await start({ script: [scripted] });
    const response = await askChat(upstream);
    expect(response.headers.get('content-type')).toBe('application/json');
    expect(response.headers.get('x-request-id')).toBe('req_000000000000');
    expect(await response.json()).toEqual({
      ...HEAD,
      object: 'chat.completion',
      choices: [
        {
          index: 0,
          message: {
            role: 'assistant',
            content: 'Let me see.',
            refusal: null,
            annotations: [],
            reasoning_content: 'Hm.',
            tool_calls: [{ id: 'call_a', type: 'function', function: { name: 'add', arguments: '{"a":1}' } }],
          },
          logprobs: null,
          finish_reason: 'tool_calls',
        },
      ],
      usage: USAGE_ON_WIRE,
    });
  });

  test('has no list of calls and no text where there are none', async () => {
    const upstream = await start({ script: [answer([say('Hi')]), answer([callTool('add')])] });
    const said = (await (await askChat(upstream)).json()) as { choices: [{ message: object }] };
    expect(said.choices[0].message).toEqual({
      role: 'assistant',
      content: 'Hi',
      refusal: null,
      annotations: [],
    });
    expect(await (await askChat(upstream)).json()).toMatchObject({
      choices: [{ message: { content: null } }],
    });
  });

  test('gives every call an id of its own', async () => {
    const upstream = await start({
      script: [answer([callTool('a'), callTool('b')]), answer([callTool('a')])],
    });
    const ids: string[] = [];
    for (let count = 0; count < 2; count += 1) {
      const body = (await (await askChat(upstream)).json()) as {
        choices: [{ message: { tool_calls: { id: string }[] } }];
      };
      ids.push(...body.choices[0].message.tool_calls.map(({ id }) => id));
    }
    expect(new Set(ids).size).toBe(3);
  });

  test.each([
    ['end', 'stop'],
    ['length', 'length'],
    ['refusal', 'content_filter'],
    ['function_call', 'function_call'],
  ])('that stops with %s says %s', async (stop, reason) => {
    const upstream = await start({ script: [answer([say('Hi')], { stop })] });
    expect(await (await askChat(upstream)).json()).toMatchObject({ choices: [{ finish_reason: reason }] });
  });
});

describe('a streamed Chat answer', () => {
  test('has the events of the provider, to the byte', async () => {
    const scripted = answer([say('Hi')], { id: 'chatcmpl-1' });
    const events = await stream(scripted);
    expect(events).toEqual([
      JSON.stringify({
        ...HEAD,
        choices: [
          {
            index: 0,
            delta: { role: 'assistant', content: '', refusal: null },
            logprobs: null,
            finish_reason: null,
          },
        ],
      }),
      JSON.stringify({
        ...HEAD,
        choices: [{ index: 0, delta: { content: 'Hi' }, logprobs: null, finish_reason: null }],
      }),
      JSON.stringify({ ...HEAD, choices: [{ index: 0, delta: {}, logprobs: null, finish_reason: 'stop' }] }),
      '[DONE]',
    ]);
  });

  test('has thoughts, texts and calls in their order', async () => {
    const scripted = answer([
      think('Hm.'),
      say('One ', 'moment.'),
      callTool('add', ['{"a"', ':1}'], { id: 'call_a' }),
      callTool('sub', ['{}'], { id: 'call_b' }),
    ]);
    expect(await deltas(scripted)).toEqual([
      { role: 'assistant', content: '', refusal: null },
      { reasoning_content: 'Hm.' },
      { content: 'One ' },
      { content: 'moment.' },
      {
        tool_calls: [{ index: 0, id: 'call_a', type: 'function', function: { name: 'add', arguments: '' } }],
      },
      { tool_calls: [{ index: 0, function: { arguments: '{"a"' } }] },
      { tool_calls: [{ index: 0, function: { arguments: ':1}' } }] },
      {
        tool_calls: [{ index: 1, id: 'call_b', type: 'function', function: { name: 'sub', arguments: '' } }],
      },
      { tool_calls: [{ index: 1, function: { arguments: '{}' } }] },
      [{}, 'tool_calls'],
    ]);
  });

  test('reports usage only when it was asked to, last and without choices', async () => {
    const scripted = answer([say('Hi')], { usage: USAGE });
    const silent = await stream(scripted);
    expect(silent.join()).not.toContain('usage');
    const chunks = (await stream(scripted, { stream_options: { include_usage: true } }))
      .slice(0, -1)
      .map((data) => JSON.parse(data) as Chunk);
    expect(chunks.slice(0, -1).map(({ usage }) => usage)).toEqual([null, null, null]);
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage: USAGE_ON_WIRE });
  });

  test('carries further fields of the message and of calls', async () => {
    const extra = { extra_content: { google: { thought_signature: 'sig' } } };
    const scripted = answer([callTool('add', {}, { id: 'call_a', fields: extra })], {
      fields: { reasoning_details: [1] },
    });
    expect(await deltas(scripted)).toMatchObject([
      { content: null, reasoning_details: [1] },
      { tool_calls: [{ id: 'call_a', ...extra }] },
      {},
      [{}, 'tool_calls'],
    ]);
  });
});

describe('a compatible server', () => {
  test.each<[string, Deviations, unknown[]]>([
    [
      'numbers every call 0',
      { callIndex: 'zero' },
      [{ index: 0, id: 'call_a' }, { index: 0 }, { index: 0 }, { index: 0, id: 'call_b' }, { index: 0 }],
    ],
    [
      'counts calls from 1',
      { callIndex: 'from-one' },
      [{ index: 1, id: 'call_a' }, { index: 1 }, { index: 1 }, { index: 2, id: 'call_b' }, { index: 2 }],
    ],
    [
      'sends each call in one chunk',
      { hasWholeCalls: true },
      [
        { id: 'call_a', function: { name: 'add', arguments: '{"a":1}' } },
        [
          { tool_calls: [{ index: 1, id: 'call_b', function: { name: 'sub', arguments: '{}' } }] },
          'tool_calls',
        ],
      ],
    ],
    [
      'sends arguments as an object',
      { hasObjectArguments: true },
      [
        { function: { name: 'add', arguments: { a: 1 } } },
        [{ tool_calls: [{ function: { name: 'sub', arguments: {} } }] }, 'tool_calls'],
      ],
    ],
    [
      'splits names',
      { splitsNames: true },
      [
        { index: 0, function: { name: 'a' } },
        { index: 0, function: { name: 'd' } },
        { index: 0, function: { name: 'd' } },
        {},
        {},
        { index: 1, function: { name: 's' } },
        { index: 1, function: { name: 'u' } },
        { index: 1, function: { name: 'b' } },
        {},
      ],
    ],
    [
      'lets calls take turns',
      { interleavesCalls: true },
      [{ index: 0, id: 'call_a' }, { index: 1, id: 'call_b' }, { index: 0 }, { index: 1 }, { index: 0 }],
    ],
  ])('%s', async (_, deviations, expected) => {
    const found = (await callDeltas(deviations)).filter(
      (delta) => !(Array.isArray(delta) && Object.keys(delta[0]).length === 0),
    );
    expect(found).toMatchObject(expected);
    expect(found).toHaveLength(expected.length);
  });

  test('leaves index and id out', async () => {
    expect(JSON.stringify(await callDeltas({ callIndex: 'absent', hasNoCallIds: true }))).not.toMatch(
      /"index"|"id"/,
    );
  });

  test('stops as if it had only spoken', async () => {
    expect((await deltas(answer([callTool('add')], { deviations: { stopsAsText: true } }))).at(-1)).toEqual([
      {},
      'stop',
    ]);
  });

  test('names the role in every chunk', async () => {
    const roles = (await deltas(answer([say('a', 'b')], { deviations: { repeatsRole: true } }))) as {
      role?: string;
    }[];
    expect(roles.slice(0, 3).map(({ role }) => role)).toEqual(['assistant', 'assistant', 'assistant']);
  });

  test('begins with a chunk without choices', async () => {
    const [first] = await stream(answer([say('Hi')], { deviations: { hasLeadingChunk: true } }));
    expect(JSON.parse(first ?? '')).toMatchObject({ choices: [], prompt_filter_results: [{}] });
  });

  test('does not say that it is done', async () => {
    expect(await stream(answer([say('Hi')], { deviations: { hasNoDone: true } }))).not.toContain('[DONE]');
  });
});
