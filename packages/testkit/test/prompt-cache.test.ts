import { describe, expect, test } from 'vitest';
import { AUTOMATIC_CACHE, MARKED_CACHE, PromptCache } from '../src/prompt-cache/prompt-cache.ts';
import { renderPrompt } from '../src/prompt-cache/render-prompt.ts';

/** A block of this many tokens, told apart by its first letter. */
const block = (letter: string, tokens: number, isMarked = false) => ({
  text: letter.repeat(4 * tokens),
  isMarked,
});

describe('an automatic cache', () => {
  test('reads the longest common prefix, in whole steps, from the least length on', () => {
    const cache = new PromptCache(AUTOMATIC_CACHE, () => 0);
    expect(cache.read([block('a', 1_000)])).toMatchObject({ readTokens: 0, plainTokens: 1_000 });
    expect(cache.read([block('a', 1_000), block('b', 100)])).toMatchObject({ readTokens: 0 });
    expect(cache.read([block('a', 1_000), block('b', 100), block('c', 50)])).toEqual({
      readTokens: 1_024,
      plainTokens: 126,
      writtenTokens: 0,
    });
    expect(cache.read([block('x', 1_000), block('b', 100)])).toMatchObject({ readTokens: 0 });
  });

  test('forgets what is not used for its lifetime', () => {
    let now = 0;
    const cache = new PromptCache(AUTOMATIC_CACHE, () => now);
    const read = () => cache.read([block('a', 2_048)]).readTokens;
    read();
    now = 299_999;
    expect(read()).toBe(2_048);
    now = 599_998;
    expect(read()).toBe(2_048);
    now = 899_998;
    expect(read()).toBe(0);
  });
});

describe('a cache of marked prefixes', () => {
  test('writes up to the last mark, and reads from marks of earlier requests', () => {
    const cache = new PromptCache(MARKED_CACHE, () => 0);
    const head = block('a', 2_000, true);
    expect(cache.read([head, block('b', 10, true), block('c', 5)])).toEqual({
      readTokens: 0,
      writtenTokens: 2_010,
      plainTokens: 5,
    });
    expect(cache.read([head, block('d', 10, true)])).toMatchObject({ readTokens: 2_000, writtenTokens: 10 });
  });

  test('caches nothing without marks, and nothing below the least length', () => {
    const cache = new PromptCache(MARKED_CACHE, () => 0);
    const plain = { readTokens: 0, writtenTokens: 0 };
    for (const blocks of [[block('a', 2_000)], [block('a', 1_000, true)]]) {
      expect([cache.read(blocks), cache.read(blocks)]).toMatchObject([plain, plain]);
    }
  });

  test('looks 20 blocks back from a mark', () => {
    const prompt = (blocks: number) =>
      Array.from({ length: blocks }, (_, at) => block('a', 200, at === blocks - 1));
    const readAfter = (more: number) => {
      const cache = new PromptCache(MARKED_CACHE, () => 0);
      cache.read(prompt(10));
      return cache.read(prompt(10 + more)).readTokens;
    };
    expect([readAfter(20), readAfter(21)]).toEqual([2_000, 0]);
  });
});

describe('a rendered prompt', () => {
  const texts = (route: Parameters<typeof renderPrompt>[0], body: object) =>
    renderPrompt(route, body as never).map(({ text, isMarked }) => (isMarked ? `${text}!` : text));

  test('has tools, system prompt and messages in this order, and deferred definitions where they are referred to', () => {
    const tools = [
      { name: 'kept', cache_control: { type: 'ephemeral' } },
      { name: 'late', defer_loading: true },
    ];
    const reference = { type: 'tool_reference', tool_name: 'late' };
    const rendered = texts('anthropic-messages', {
      messages: [
        { role: 'user', content: 'hello' },
        { role: 'user', content: [{ type: 'tool_result', content: [reference] }] },
      ],
      system: 'be kind',
      tools,
    });
    expect(rendered.slice(0, 2)).toEqual(['{"name":"kept"}!', '"be kind"']);
    expect(rendered[2]).toContain('hello');
    expect(rendered[3]).toContain('{"name":"late","defer_loading":true}');
    expect(rendered).toHaveLength(4);
  });

  test.each([
    [
      'openai-chat',
      {
        tools: [{ function: { name: 't' } }],
        messages: [
          { role: 'system', content: 's' },
          { role: 'user', content: 'u' },
        ],
      },
    ],
    ['openai-responses', { tools: [{ name: 't' }], instructions: 's', input: 'u' }],
    [
      'anthropic-messages',
      { tools: [{ name: 't' }], system: 's', messages: [{ role: 'user', content: 'u' }] },
    ],
    ['bedrock-invoke', { tools: [{ name: 't' }], system: 's', messages: [{ role: 'user', content: 'u' }] }],
    [
      'gemini',
      {
        tools: [{ functionDeclarations: [{ name: 't' }] }],
        systemInstruction: { parts: [{ text: 's' }] },
        contents: [{ parts: [{ text: 'u' }] }],
      },
    ],
    ['gemini-interactions', { tools: [{ name: 't' }], system_instruction: 's', input: 'u' }],
    [
      'ollama-chat',
      {
        tools: [{ function: { name: 't' } }],
        messages: [
          { role: 'system', content: 's' },
          { role: 'user', content: 'u' },
        ],
      },
    ],
    [
      'bedrock-converse',
      {
        toolConfig: { tools: [{ toolSpec: { name: 't' } }] },
        system: [{ text: 's' }],
        messages: [{ content: [{ text: 'u' }] }],
      },
    ],
  ] as const)('of %s has a block for each part', (route, body) => {
    const rendered = texts(route, body);
    expect(rendered).toHaveLength(3);
    expect(['t', 's', 'u'].map((part, at) => rendered[at]!.includes(`"${part}"`))).toEqual([
      true,
      true,
      true,
    ]);
  });

  test('of Converse is marked by cache points', () => {
    const body = {
      system: [{ text: 's' }, { cachePoint: { type: 'default' } }],
      messages: [{ role: 'user', content: [{ text: 'u' }] }],
    };
    expect(texts('bedrock-converse', body)).toEqual(['{"text":"s"}!', 'user{"text":"u"}']);
  });
});
