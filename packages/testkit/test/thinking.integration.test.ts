import { describe, expect, test } from 'vitest';
import { answer, callTool, say, think } from '../src/upstream/answer-parts.ts';
import { askMessages, HEADERS, start } from './ask.ts';

const BINDING = 'claude-opus-5-5';
const OLDER = 'claude-sonnet-4-5';
const TOOL = { name: 'get_weather', input_schema: { type: 'object' } };
const OTHER = { name: 'send_mail', input_schema: { type: 'object' } };
const DEFERRED = { ...OTHER, defer_loading: true };

type Block = Record<string, unknown>;
interface Body {
  readonly model: string;
  readonly system: unknown;
  readonly tools: readonly Block[];
  readonly thinking: Block;
  readonly messages: readonly { readonly role: string; readonly content: unknown }[];
}

/** A conversation in which the upstream has thought and called, as its client would send it back with the result. */
async function talk(model: string, change: (body: Body) => Partial<Body> = (body) => body): Promise<Body> {
  const upstream = await start({
    script: [
      answer([think('Rain ', 'or sun?'), say('Let me see.'), think('By tool.'), callTool('get_weather')]),
    ],
  });
  const first = {
    model,
    system: 'Be brief.',
    tools: [TOOL, DEFERRED],
    thinking: { type: 'adaptive' },
    messages: [{ role: 'user', content: 'Weather?' }],
  };
  const body = { ...first, ...change(first) };
  const { content } = (await (await askMessages(upstream, body)).json()) as { content: Block[] };
  const result = { type: 'tool_result', tool_use_id: content.at(-1)?.id, content: 'sunny' };
  const messages = [...body.messages, { role: 'assistant', content }, { role: 'user', content: [result] }];
  return { ...body, messages };
}

/** Sends the conversation back and gives what the upstream says to it; undefined when it answers. */
async function sendBack(body: Body, headers: Record<string, string> = {}): Promise<string | undefined> {
  const upstream = await start({ script: [answer([say('Sunny.')])] });
  await askMessages(upstream, body, { headers: { ...HEADERS, ...headers } });
  return upstream.requests[0]?.rejection?.message;
}

/** The conversation with other blocks in its assistant message. */
function withBlocks(body: Body, change: (blocks: readonly Block[]) => readonly Block[]): Body {
  const messages = body.messages.map((message) =>
    message.role === 'assistant' ? { ...message, content: change(message.content as Block[]) } : message,
  );
  return { ...body, messages };
}

describe('a model that binds its thinking', () => {
  test('accepts its own history', async () => {
    expect(await sendBack(await talk(BINDING))).toBeUndefined();
  });

  test.each<[string, (body: Body) => Body]>([
    ['a text as a list of blocks', (body) => ({ ...body, system: [{ type: 'text', text: 'Be brief.' }] })],
    [
      'cache marks that moved',
      (body) => ({ ...body, tools: [{ ...TOOL, cache_control: { type: 'ephemeral' } }, DEFERRED] }),
    ],
    [
      'another set of deferred tools',
      (body) => ({ ...body, tools: [TOOL, { ...OTHER, name: 'x', defer_loading: true }] }),
    ],
    [
      'members that are null',
      (body) => withBlocks(body, ([first, text, ...more]) => [first!, { ...text, citations: null }, ...more]),
    ],
    [
      'members in another order',
      (body) => ({ ...body, tools: [Object.fromEntries(Object.entries(TOOL).reverse()), DEFERRED] }),
    ],
    [
      'a caller that goes without saying',
      (body) => withBlocks(body, (blocks) => blocks.map(({ caller, ...block }) => block)),
    ],
    ['another choice of tools', (body) => ({ ...body, tool_choice: { type: 'auto' } })],
  ])('takes no offence at %s', async (_, change) => {
    expect(await sendBack(change(await talk(BINDING)))).toBeUndefined();
  });

  test.each<[string, (body: Body) => Body]>([
    ['another system text', (body) => ({ ...body, system: 'Be verbose.' })],
    ['another tool', (body) => ({ ...body, tools: [TOOL, OTHER] })],
    ['a changed description', (body) => ({ ...body, tools: [{ ...TOOL, description: 'New.' }, DEFERRED] })],
    ['tools in another order', (body) => ({ ...body, tools: [{ ...OTHER, name: 'x' }, TOOL, DEFERRED] })],
    [
      'another earlier message',
      (body) => ({ ...body, messages: [{ role: 'user', content: 'Weather!' }, ...body.messages.slice(1)] }),
    ],
    [
      'a missing block between two thoughts',
      (body) => withBlocks(body, ([first, , ...more]) => [first!, ...more]),
    ],
  ])('rejects %s', async (_, change) => {
    expect(await sendBack(change(await talk(BINDING)))).toMatch(
      /the `thinking` block does not match the system, tools and messages before it/,
    );
  });

  test('drops what does not match when the request asks for it with its beta header', async () => {
    const body = await talk(BINDING);
    const dropping = {
      ...body,
      system: 'Be verbose.',
      thinking: { type: 'adaptive', block_binding: { prefix_mismatch_behavior: 'drop_block' } },
    };
    const beta = { 'anthropic-beta': 'other-1, thinking-binding-controls-2026-08-01' };
    expect(await sendBack(dropping, beta)).toBeUndefined();
    expect(await sendBack(dropping)).toMatch(/does not match/);
  });

  test('notices a hidden exchange that is missing from a later turn', async () => {
    const body = await talk(BINDING);
    const upstream = await start({ script: [answer([think('So.'), say('Sunny.')])] });
    const { content } = (await (await askMessages(upstream, body)).json()) as { content: Block[] };
    const question = { role: 'user', content: 'And tomorrow?' };
    const whole = { ...body, messages: [...body.messages, { role: 'assistant', content }, question] };
    const shortened = { ...whole, messages: [body.messages[0]!, { role: 'assistant', content }, question] };
    expect(await sendBack(whole)).toBeUndefined();
    expect(await sendBack(shortened)).toMatch(/does not match/);
  });

  test.each(['claude-fable-5-1', 'claude-mythos-5-2-20261001', 'claude-sonnet-5-5', 'claude-haiku-5.5'])(
    'is %s',
    async (model) => {
      expect(await sendBack({ ...(await talk(model)), system: 'Other.' })).toMatch(/does not match/);
    },
  );
});

describe('an older model', () => {
  test('accepts another prefix', async () => {
    const body = await talk(OLDER);
    expect(await sendBack({ ...body, system: 'Be verbose.', tools: [OTHER] })).toBeUndefined();
  });

  test('rejects a latest assistant message with other blocks before a thought', async () => {
    const body = withBlocks(await talk(OLDER), ([first, , ...more]) => [first!, ...more]);
    expect(await sendBack(body)).toMatch(/blocks in the latest assistant message cannot be modified/);
  });

  test('accepts other blocks before the thoughts of an earlier assistant message', async () => {
    const body = withBlocks(await talk(OLDER), ([first, , ...more]) => [first!, ...more]);
    const later = [
      { role: 'assistant', content: 'Sunny.' },
      { role: 'user', content: 'Thanks' },
    ];
    expect(await sendBack({ ...body, messages: [...body.messages, ...later] })).toBeUndefined();
  });
});

describe('any model', () => {
  test.each([BINDING, OLDER])('rejects a thought whose text was touched (%s)', async (model) => {
    const body = withBlocks(await talk(model), ([first, ...more]) => [
      { ...first, thinking: 'Rain!' },
      ...more,
    ]);
    expect(await sendBack(body)).toMatch(/Invalid `signature` in `thinking` block/);
  });

  test.each([BINDING, OLDER])('rejects a signature that was touched (%s)', async (model) => {
    const body = withBlocks(await talk(model), ([first, ...more]) => [
      { ...first, signature: `x${first?.signature}` },
      ...more,
    ]);
    expect(await sendBack(body)).toMatch(/Invalid `signature` in `thinking` block/);
  });

  test('accepts a history without its thoughts', async () => {
    const body = withBlocks(await talk(BINDING), (blocks) =>
      blocks.filter(({ type }) => type !== 'thinking'),
    );
    expect(await sendBack(body)).toBeUndefined();
  });

  test('signs thoughts that it does not show', async () => {
    const body = await talk(BINDING, () => ({ thinking: { type: 'adaptive', display: 'omitted' } }));
    const [, assistant] = body.messages;
    const [thought] = (assistant?.content ?? []) as Block[];
    expect(thought).toMatchObject({
      type: 'thinking',
      thinking: '',
      signature: expect.stringMatching(/.{100,}/),
    });
    expect(await sendBack(body)).toBeUndefined();
    expect(await sendBack({ ...body, system: 'Other.' })).toMatch(/does not match/);
  });
});
