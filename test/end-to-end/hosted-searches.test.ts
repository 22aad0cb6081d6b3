import Anthropic from '@anthropic-ai/sdk';
import { answer, callTool, type Model, type ScriptedAnswer, say } from '@winnow/testkit';
import { describe, expect, test } from 'vitest';
import type { CatalogueTool } from './catalogue.ts';
import { FEW_TOOLS } from './raw-client.ts';
import { recordsOf, startStack } from './start-stack.ts';

type Message = Anthropic.Message;

const ON = { PROXY_UPSTREAMS_ANTHROPIC_POLYFILL: 'on' };
const [OWN, ONE, OTHER] = FEW_TOOLS.map(({ name }) => name);
const REGEX = 'tool_search_tool_regex';
const BM25 = 'tool_search_tool_bm25';

/** A search of the script, with its results. */
interface Search {
  readonly id: string;
  readonly name: string;
  readonly input: Record<string, unknown>;
  readonly content: object;
}

const found = (...names: readonly (string | undefined)[]) => ({
  type: 'tool_search_tool_search_result',
  tool_references: names.map((name) => ({ type: 'tool_reference', tool_name: name })),
});

const refused = (message: string) => ({
  type: 'tool_search_tool_result_error',
  error_code: 'invalid_tool_input',
  error_message: message,
});

const FIRST: Search = {
  id: '01',
  name: REGEX,
  input: { pattern: `^${ONE}$`, limit: 1 },
  content: found(ONE),
};
const BESIDE: Search = { id: '02', name: REGEX, input: { pattern: `^${OTHER}$` }, content: found(OTHER) };
const BAD: Search = {
  ...{ id: '03', name: REGEX, input: { pattern: '(' } },
  content: refused('Invalid regular expression pattern: Unterminated group'),
};
const LONG: Search = {
  ...{ id: '04', name: REGEX, input: { pattern: 'x'.repeat(201) } },
  content: refused('The pattern is longer than 200 characters.'),
};
const WORDS: Search = { id: '05', name: BM25, input: { query: 'zzqx vvvw' }, content: found() };

const asFunction = ({ id, name, input }: Search) => callTool(name, input, { id: `toolu_${id}` });
const asCall = ({ id, name, input }: Search) => ({
  type: 'block' as const,
  block: { type: 'server_tool_use', id: `srvtoolu_${id}`, name, input, caller: { type: 'direct' } },
});
const asResult = ({ id, content }: Search) => ({
  type: 'block' as const,
  block: { type: 'tool_search_tool_result', tool_use_id: `srvtoolu_${id}`, content },
});

const call = (name: string | undefined, id: string) => callTool(name!, { text: 'Grüezi 👋' }, { id });

/**
 * The model's responses as the vendor's client sees them: a search and a call of the tool found, a search
 * together with a call (its result arrives one response later), and invalid searches.
 */
const SCRIPT: readonly (readonly (string | Search | { readonly call: [string | undefined, string] })[])[] = [
  ['I look. ', FIRST, 'There it is.', { call: [ONE, 'toolu_c1'] }],
  [{ call: [ONE, 'toolu_c2'] }, BESIDE],
  ['Now the other.', { call: [OTHER, 'toolu_c3'] }],
  ['Done.'],
  ['Once more. ', BAD, LONG, 'That was wrong.', WORDS, 'Nothing there.'],
];

const USAGE = { inputTokens: 10, outputTokens: 5 };

/** The script as the vendor sends it: each response whole, including results. */
function vendorsModel(): Model {
  let at = 0;
  return () => {
    const late = SCRIPT[at - 1]?.at(-1);
    const parts = SCRIPT[at]!.flatMap((part, place) => {
      if (typeof part === 'string') return [say(part)];
      if ('call' in part) return [call(...part.call)];
      // Two searches in a row get their results together.
      const before = SCRIPT[at]![place - 1];
      const next = SCRIPT[at]![place + 1];
      if (next === undefined) return [asCall(part)];
      if (isSearch(next)) return [asCall(part)];
      return [asCall(part), ...(isSearch(before) ? [asResult(before)] : []), asResult(part)];
    });
    const [id, begin] = [`msg_${at++}`, isSearch(late) ? [asResult(late)] : []];
    return answer([...begin, ...parts], { id, usage: USAGE });
  };
}

const isSearch = (part: unknown): part is Search =>
  typeof part === 'object' && part !== null && 'content' in part;

/** The script as a plain server sends it: every search ends a response. */
function plainModel(): Model {
  const answers: ScriptedAnswer[] = SCRIPT.flatMap((parts, at) => {
    const split: (typeof parts)[number][][] = [[]];
    for (const [place, part] of parts.entries()) {
      split.at(-1)!.push(part);
      const next = parts[place + 1];
      const isOver = isSearch(part) && next !== undefined && !isSearch(next);
      if (isOver) split.push([]);
    }
    return split.map((some, number) =>
      answer(
        some.map((part) =>
          typeof part === 'string' ? say(part) : 'call' in part ? call(...part.call) : asFunction(part),
        ),
        { id: `msg_${at}${number === 0 ? '' : `_${number}`}`, usage: USAGE },
      ),
    );
  });
  let at = 0;
  return ({ callable }) => {
    const said = answers[at++]!;
    const names =
      said.kind === 'message' ? said.parts.flatMap((part) => (part.type === 'call' ? [part.name] : [])) : [];
    const hidden = names.find((name) => !callable.has(name));
    return hidden === undefined
      ? said
      : answer([say(`${hidden} is not shown.`)], { id: 'msg_x', usage: USAGE });
  };
}

const TOOLS = [
  { type: `${REGEX}_20251119` as const, name: REGEX },
  { type: `${BM25}_20251119` as const, name: BM25 },
  ...FEW_TOOLS.map(({ name, description, parameters }: CatalogueTool, at) => ({
    ...{ name, description, input_schema: parameters as Anthropic.Tool.InputSchema },
    ...(at > 0 && { defer_loading: true }),
  })),
] as Anthropic.ToolUnion[];

/** A whole conversation of the vendor's client: every message that it received. */
async function converse(url: string, isStream: boolean): Promise<Message[]> {
  const { messages: api } = new Anthropic({ baseURL: url, apiKey: 'key', maxRetries: 0 });
  const messages: Anthropic.MessageParam[] = [{ role: 'user', content: 'Do it.' }];
  const all: Message[] = [];
  while (all.length < SCRIPT.length) {
    const body = { model: 'claude-opus-4-5', max_tokens: 100, messages: [...messages], tools: TOOLS };
    const message = isStream ? await api.stream(body).finalMessage() : await api.create(body);
    all.push(message);
    messages.push({ role: 'assistant', content: message.content });
    const results = message.content.flatMap((block): Anthropic.ToolResultBlockParam[] =>
      block.type === 'tool_use' ? [{ type: 'tool_result', tool_use_id: block.id, content: 'done' }] : [],
    );
    messages.push({ role: 'user', content: results.length > 0 ? results : 'And now?' });
  }
  return all;
}

/** Drops the usage, which differs because several requests are added up. */
const normal = (all: readonly Message[]): unknown =>
  JSON.parse(JSON.stringify(all.map(({ usage: _, ...message }) => message)));

describe.each([false, true])('a client whose searches the vendor runs (streamed: %s)', (isStream) => {
  test('has the conversation that it would have with the vendor', async () => {
    const vendor = await startStack({ model: vendorsModel() });
    const plain = await startStack({ model: plainModel(), rules: { isPlain: true }, settings: ON });
    const expected = await converse(vendor.upstream.url, isStream);
    const got = await converse(plain.proxyUrl, isStream);
    expect(plain.upstream.rejected()).toEqual([]);
    expect(expected.map(({ content }) => content.length)).toEqual([5, 2, 3, 1, 9]);
    expect(normal(got)).toEqual(normal(expected));
  });

  test('costs the server prompts that begin alike, and leaves a record of each exchange', async () => {
    const stack = await startStack({ model: plainModel(), rules: { isPlain: true }, settings: ON });
    await converse(stack.proxyUrl, isStream);
    const bodies = stack.upstream.requests.map(
      ({ json }) => json as { tools: { name: string }[]; messages: { role: string; content: unknown }[] },
    );
    const shown = bodies.map(({ tools }) => tools.map(({ name }) => name));
    const all = [REGEX, BM25, OWN, ONE, OTHER];
    expect(shown).toEqual([3, 4, 4, 5, 5, 5, 5, 5].map((count) => all.slice(0, count)));
    for (const [at, { messages }] of bodies.entries()) {
      const earlier = bodies[at - 1]?.messages ?? [];
      expect(said(messages.slice(0, earlier.length))).toEqual(said(earlier));
    }
    await recordsOf(stack, SCRIPT.length);
    expect(
      stack.records.map(({ planReason, upstreamCalls, searches }) => [
        planReason,
        upstreamCalls,
        searches.map(({ outcome }) => outcome),
      ]),
    ).toEqual([
      ['polyfilled', 2, ['found']],
      ['polyfilled', 1, []],
      ['polyfilled', 1, ['found']],
      ['polyfilled', 1, []],
      ['polyfilled', 3, ['empty_query', 'empty_query', 'no_match']],
    ]);
    expect(stack.records[0]).toMatchObject({
      tools: { deferred: 0, loaded: 0 },
      outcome: 'answered',
      usage: [USAGE, USAGE],
    });
  });

  test('can count the tokens of its request', async () => {
    const stack = await startStack({ model: plainModel(), rules: { isPlain: true }, settings: ON });
    const { messages } = new Anthropic({ baseURL: stack.proxyUrl, apiKey: 'key', maxRetries: 0 });
    const content = [{ type: 'text' as const, text: 'Do it.' }];
    const counted = await messages.countTokens({
      ...{ model: 'claude-opus-4-5', messages: [{ role: 'user', content }] },
      tools: TOOLS as Anthropic.MessageCountTokensTool[],
    });
    expect(counted.input_tokens).toBeGreaterThan(0);
    expect(stack.upstream.rejected()).toEqual([]);
  });

  test('gets the refusal of the server where it is off', async () => {
    const stack = await startStack({ model: plainModel(), rules: { isPlain: true } });
    await expect(converse(stack.proxyUrl, isStream)).rejects.toThrow('tool_search_tool_regex_20251119');
  });

  test.each([
    ['400', { kind: 'error', status: 400, message: 'No.' }],
    ['401', { kind: 'error', status: 401, message: 'No.' }],
    ['429', { kind: 'error', status: 429, message: 'No.' }],
    ['500', { kind: 'error', status: 500, message: 'No.' }],
    ['529', { kind: 'error', status: 529, message: 'No.' }],
    ['a page', { kind: 'bytes', body: '<html>No.</html>' }],
    ['an error with status 200', { kind: 'bytes', body: '{"detail":"No."}' }],
    ['a lost connection', { kind: 'hang-up' }],
    ['an empty message', { kind: 'bytes', body: '{"type":"message","content":[],"stop_reason":null}' }],
    ['an empty body', { kind: 'bytes', body: '' }],
  ] as const)('gets %s in a later round as it is, and never an empty success', async (_, failure) => {
    const model = plainModel();
    let asked = 0;
    const stack = await startStack({
      model: (...request) => (asked++ === 0 ? model(...request) : failure),
      rules: { isPlain: true },
      settings: { ...ON, PROXY_UPSTREAMS_ANTHROPIC_RETRY_ATTEMPTS: '0' },
    });
    const messages = [{ role: 'user', content: 'Do it.' }];
    const response = await fetch(`${stack.proxyUrl}/v1/messages`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': 'key', 'anthropic-version': '2023-06-01' },
      body: JSON.stringify({
        ...{ model: 'claude-opus-4-5', max_tokens: 100, tools: TOOLS, messages, stream: isStream },
      }),
    });
    const text = await response.text();
    if (JSON.stringify(failure).includes('No.')) expect(text).toContain('No.');
    expect(text).not.toContain('message_stop');
    if (isStream) expect(text).toContain('event: error');
    // The body of the last resort passes as it came, as it would without Winnow.
    else if (failure.kind === 'bytes') expect(text).toBe(failure.body);
    else expect(response.status).toBeGreaterThanOrEqual(400);
  });

  test('gets an answer with all tools where a later round fails', async () => {
    const model = plainModel();
    const stack = await startStack({
      model: (conversation, request) => {
        if (!conversation.callable.has(REGEX)) return answer([say('All is well.')]);
        const isLater = request.text.includes('"tool_result"');
        return isLater ? { kind: 'error', status: 500, message: 'No.' } : model(conversation, request);
      },
      rules: { isPlain: true },
      settings: { ...ON, PROXY_UPSTREAMS_ANTHROPIC_RETRY_ATTEMPTS: '0' },
    });
    const { messages } = new Anthropic({ baseURL: stack.proxyUrl, apiKey: 'key', maxRetries: 0 });
    const body = {
      ...{ model: 'claude-opus-4-5', max_tokens: 100, tools: TOOLS },
      messages: [{ role: 'user' as const, content: 'Do it.' }],
    };
    const message = isStream ? await messages.stream(body).finalMessage() : await messages.create(body);
    expect(JSON.stringify(message.content)).toContain('All is well.');
  });
});

/** Messages as a model reads them: members that the vendor's client adds to blocks are ignored. */
function said(messages: readonly { role: string; content: unknown }[]): unknown {
  return JSON.parse(
    JSON.stringify(messages, (key, value) => (['caller', 'citations'].includes(key) ? undefined : value)),
  );
}
