import { describe, expect, test } from 'vitest';
import type { HiddenTurn, Plan, Round } from '../../src/format/view.ts';
import { openaiChat } from '../../src/openai-chat/openai-chat.ts';
import { planOf, viewOf } from '../run-exchange.ts';

const A = '{"type":"function","function":{"name":"a","parameters":{"type":"object","x":1.0}}}';
const B =
  '{ "type":"function",\n"function" : {"name":"b", "parameters":{"maximum":12345678901234567890} } , "x":2.50}';
const DEFERRED_B =
  '{ "type":"function",\n"function" : {"name":"b", "parameters":{"maximum":12345678901234567890},"defer_loading":true } , "x":2.50}';
const CUSTOM = '{"type":"custom","custom":{"name":"c"}}';
const SEARCH_TOOL =
  '{"type":"function","function":{"name":"gateway_search_tools","description":"Finds tools.","parameters":{"type":"object","properties":{"queries":' +
  '{"type":"array","items":{"type":"string"},"description":"One to four phrases."}},"required":["queries"],"additionalProperties":false}}}';

const native = (defer: readonly string[], load: readonly string[] = []): Plan => ({
  ...planOf(defer, load),
  loadMode: 'native',
});
const around = (tools: string, messages = '{"role":"user","content":"Hi"}') =>
  `{"max_tokens":1.0e1,"tools":${tools},"messages":[${messages}]}`;
const edited = (tools: string, plan: Plan, past: { hiddenTurns?: HiddenTurn[]; rounds?: Round[] } = {}) =>
  new TextDecoder().decode(
    openaiChat.editing.editRequest(viewOf(openaiChat, around(tools)), plan, {
      hiddenTurns: [],
      rounds: [],
      ...past,
    }),
  );

describe('natively', () => {
  test('marks deferred tools in place, appends the search tool, and changes nothing else', () => {
    expect(edited(`[${A} , ${B},${CUSTOM} ]`, native(['b', 'c']))).toBe(
      around(`[${A} , ${DEFERRED_B},${CUSTOM},${SEARCH_TOOL} ]`),
    );
  });

  test('replaces a mark with the value false, and writes its own before one next to type', () => {
    const inner = '{"type":"function","function":{"name":"b","defer_loading":false}}';
    expect(edited(`[${A},${inner}]`, native(['b']))).toContain('{"name":"b","defer_loading":true}}');
    const outer = '{"type":"function","function":{"name":"b"},"defer_loading":false}';
    expect(edited(`[${A},${outer}]`, native(['b']))).toContain(
      '{"type":"function","function":{"name":"b","defer_loading":true},"defer_loading":false}',
    );
  });

  test('sends the same tools whatever was loaded, and whatever was found', () => {
    const tools = `[${A},${B}]`;
    expect(edited(tools, native(['a', 'b'], ['b']))).toBe(edited(tools, native(['a', 'b'])));
    const later = edited(tools, native(['a', 'b']), { rounds: [ROUND] });
    expect(later.split('"messages"')[0]).toBe(edited(tools, native(['a', 'b'])).split('"messages"')[0]);
  });

  test('shows everything where there is nothing to search with', () => {
    const without = { ...native(['a', 'b']), searchTool: undefined };
    expect(edited(`[${A},${B}]`, without)).toBe(around(`[${A},${B}]`));
    expect(edited(`[${A},${B}]`, { ...without, defer: ['b'] })).toBe(around(`[${A},${DEFERRED_B}]`));
  });
});

const message =
  '{"role":"assistant","content":null,"tool_calls":[{"id":"s","type":"function","function":{"name":"gateway_search_tools","arguments":"{}"}}]}';
const turn = { message, realCalls: [], searches: [{ id: 's', name: 'gateway_search_tools', queries: [] }] };
const ROUND: Round = {
  turn,
  results: [
    {
      callId: 's',
      kind: 'found',
      tools: [
        { name: 'b', description: 'Does b.' },
        { name: 'gone', description: '' },
      ],
    },
  ],
};
const lastMessage = (text: string) =>
  (JSON.parse(text) as { messages: { content: unknown }[] }).messages.at(-1);

describe('the result of a search', () => {
  test('natively refers to what was found under both keys, and says so in one line', () => {
    expect(lastMessage(edited(`[${A},${B}]`, native(['b']), { rounds: [ROUND] }))).toEqual({
      role: 'tool',
      tool_call_id: 's',
      content: [
        { type: 'tool_reference', name: 'b', tool_name: 'b' },
        { type: 'text', text: 'Can be called now, the best match first: b.' },
      ],
    });
  });

  test('is a text by swap, and where there is nothing to refer to', () => {
    const swapped = lastMessage(edited(`[${A},${B}]`, planOf(['b']), { rounds: [ROUND] }));
    expect(swapped?.content).toContain('- b');
    const nothing: Round = { turn, results: [{ callId: 's', kind: 'no_match', tools: [] }] };
    const content = lastMessage(edited(`[${A},${B}]`, native(['b']), { rounds: [nothing] }))?.content;
    expect(content).toContain('No tool matches');
  });

  test('names weak matches as text, because a reference would load them', () => {
    const weak: Round = {
      turn,
      results: [
        {
          callId: 's',
          kind: 'weak',
          tools: [{ name: 'b', description: 'Does b.' }],
          unknownWords: ['rocket'],
        },
      ],
    };
    const content = lastMessage(edited(`[${A},${B}]`, native(['b']), { rounds: [weak] }))?.content;
    expect(content).toMatch(/^No tool clearly matches[\s\S]*- b[\s\S]*contains: rocket\./);
  });

  test('is written again in the way of each request when it is put back', () => {
    const view = viewOf(openaiChat, around(`[${A},${B}]`));
    const answer = { ...turn, message: '{"role":"assistant","content":"Done."}', searches: [] };
    const hidden = openaiChat.remembering.hideTurn(view, [ROUND, { turn: answer, results: [] }])!;
    const messages =
      '{"role":"user","content":"Hi"},{"role":"assistant","content":"Done."},{"role":"user","content":"On."}';
    const next = viewOf(openaiChat, around(`[${A},${B}]`, messages));
    const contentBy = (plan: Plan) => {
      const bytes = openaiChat.editing.editRequest(next, plan, { hiddenTurns: [hidden], rounds: [] });
      return (JSON.parse(new TextDecoder().decode(bytes)) as { messages: { content: unknown }[] }).messages[2]
        ?.content;
    };
    expect(contentBy(native(['b']))).toContainEqual({ type: 'tool_reference', name: 'b', tool_name: 'b' });
    expect(contentBy(planOf(['b'], ['b']))).toContain('- b');
  });
});
