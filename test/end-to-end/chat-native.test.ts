import { answer, callTool, type Model, type Rejection, type RequestContent, say } from '@winnow/testkit';
import OpenAI from 'openai';
import type { ChatCompletionMessageParam } from 'openai/resources/chat/completions';
import { describe, expect, test } from 'vitest';
import { FEW_TOOLS, loadBy } from './raw-client.ts';
import { recordsOf, startStack } from './start-stack.ts';

const SEARCH_TOOL = 'gateway_search_tools';
const BRIDGE_TOOL = 'gateway_call_tool';
const WANTED = FEW_TOOLS[9]!.name;
const ON = loadBy('native');
const KNOWS_DEFERRAL = { hasChatDeferral: true };

/** Says something, searches for invisible tools, calls them, and ends. It calls found tools through the bridge. */
const MODEL: Model = ({ callable, turns }) => {
  const last = turns.at(-1);
  if (last?.role === 'results' && last.results.some(({ text }) => text === 'done'))
    return answer([say('Done.')]);
  if (callable.has(WANTED)) return answer([callTool(WANTED)]);
  if (last?.role === 'results' && callable.has(BRIDGE_TOOL))
    return answer([callTool(BRIDGE_TOOL, { name: WANTED, arguments: {} })]);
  return answer([say('I look. '), callTool(SEARCH_TOOL, { query: WANTED })]);
};

/** A server that accepts marks of deferred tools, but not references to them. */
const refusesReferences = ({ text }: RequestContent): Rejection | undefined =>
  text.includes('"tool_reference"')
    ? { status: 400, message: "Unsupported chat content part type: 'tool_reference'." }
    : undefined;

/** Runs a turn with a call to its end; returns every message of the model. */
async function converse(url: string, isStream: boolean) {
  const { completions } = new OpenAI({ baseURL: `${url}/v1`, apiKey: 'key', maxRetries: 0 }).chat;
  const messages: ChatCompletionMessageParam[] = [{ role: 'user', content: 'Do it.' }];
  const tools = FEW_TOOLS.map((tool) => ({ type: 'function' as const, function: { ...tool } }));
  const said = [];
  for (;;) {
    const body = { model: 'glm-5.1', messages: [...messages], tools };
    const { choices } = isStream
      ? await completions.stream(body).finalChatCompletion()
      : await completions.create(body);
    const { message } = choices[0]!;
    said.push(message);
    messages.push(message);
    const [call] = message.tool_calls ?? [];
    if (call === undefined) return said;
    messages.push({ role: 'tool', tool_call_id: call.id, content: 'done' });
  }
}

describe.each([false, true])('a Chat server that knows deferred tools (streamed: %s)', (isStream) => {
  const expected = [
    { content: 'I look. ', tool_calls: [{ function: { name: WANTED } }] },
    { content: 'Done.' },
  ];

  test('gets the same tools on every request, and references to what is found', async () => {
    const stack = await startStack({ model: MODEL, rules: KNOWS_DEFERRAL, settings: ON });
    expect(await converse(stack.proxyUrl, isStream)).toMatchObject(expected);
    expect(stack.upstream.rejected()).toEqual([]);
    const bodies = stack.upstream.requests.map(({ json }) => json as { tools: object[]; messages: object[] });
    expect(new Set(bodies.map(({ tools }) => JSON.stringify(tools))).size).toBe(1);
    expect(bodies[0]!.tools).toHaveLength(FEW_TOOLS.length + 1);
    expect(bodies[1]!.messages.at(-1)).toMatchObject({
      role: 'tool',
      content: expect.arrayContaining([{ type: 'tool_reference', name: WANTED, tool_name: WANTED }]),
    });
    await recordsOf(stack, 2);
    for (const record of stack.records) expect(record).toMatchObject({ loadMode: 'native', status: 200 });
    expect(stack.records.map(({ restoredBecause }) => restoredBecause)).toEqual([undefined, undefined]);
  });

  test('that does not, whatever is said of it, is asked by swapping after its first refusal, and new conversations by the bridge', async () => {
    const stack = await startStack({ model: MODEL, settings: ON });
    expect((await converse(stack.proxyUrl, isStream)).at(-1)).toMatchObject({ content: 'Done.' });
    await converse(stack.proxyUrl, isStream);
    expect(stack.upstream.rejected()).toHaveLength(1);
    await recordsOf(stack, 4);
    expect(stack.records.map(({ loadMode, restoredBecause }) => [loadMode, restoredBecause])).toEqual([
      ['native', 'upstream_rejected_edit'],
      ['swap', undefined],
      ['bridge', undefined],
      ['bridge', undefined],
    ]);
  });

  test('that takes no references is asked by swapping in the middle of a response', async () => {
    const stack = await startStack({
      model: MODEL,
      rules: KNOWS_DEFERRAL,
      rejects: refusesReferences,
      settings: ON,
    });
    // The client has already read the first words when the references are refused.
    expect(await converse(stack.proxyUrl, isStream)).toMatchObject(expected);
    expect(await converse(stack.proxyUrl, isStream)).toMatchObject(expected);
    expect(stack.upstream.rejected()).toHaveLength(1);
    await recordsOf(stack, 4);
    const told = stack.records.map(({ loadMode, upstreamCalls }) => [loadMode, upstreamCalls]);
    // Tools that the first one deferred natively were swapped from its second round on. New conversations use the bridge.
    expect(told).toEqual([
      ['swap', 3],
      ['swap', 1],
      ['bridge', 2],
      ['bridge', 1],
    ]);
  });
});
