import { describe, expect, test } from 'vitest';
import { openaiResponses } from '../../src/openai-responses/openai-responses.ts';
import { edited, fn, found, planOf, play, viewOf } from './exchange.ts';
import { call, message, reasoning, toolSearch, writeResponse } from './write-response.ts';

const TOOLS = [fn('a'), fn('b'), fn('kept')];
const NATIVE = planOf('native', ['a', 'b'], ['a']);
const user = { role: 'user', content: 'Go.' };
const output = { type: 'function_call_output', call_id: 'call_weather01', output: 'ok' };

/** An exchange that searches natively, then calls, and the client's copy. */
function searched(store?: boolean) {
  const view = viewOf({ tools: TOOLS, stream: true, store, input: [user] });
  const real = call('fc_weather01', 'a', '{"x": 1}', { namespace: 'a' });
  const played = play(
    view,
    planOf('native', ['a', 'b']),
    writeResponse({ id: 'r1', output: [reasoning('rs_1'), toolSearch('tsc_1', 'a')] }),
    writeResponse({ id: 'r2', output: [reasoning('rs_2'), message('msg_2', 'I ask.'), real] }),
  );
  const rounds = [found(played.turns[0]!, 'a'), { turn: played.turns[1]!, results: [] }];
  const hidden = openaiResponses.remembering.hideTurn(view, rounds)!;
  const { namespace, ...shown } = real as Record<string, unknown>;
  return { hidden, real, items: [reasoning('rs_1'), reasoning('rs_2'), message('msg_2', 'I ask.'), shown] };
}

function sentAfter(
  items: readonly object[],
  hidden: ReturnType<typeof searched>['hidden'] | undefined,
  more = {},
) {
  const view = viewOf({ tools: TOOLS, input: [user, ...items, output], ...more });
  const hiddenTurns = hidden === undefined ? [] : openaiResponses.remembering.recall(view, [hidden]);
  return edited(view, NATIVE, { hiddenTurns, rounds: [] }).input;
}

describe('a hidden turn', () => {
  test('comes back as the model made it, definitions written from the request', () => {
    const { hidden, real, items } = searched();
    expect(sentAfter(items, hidden)).toEqual([
      user,
      reasoning('rs_1'),
      toolSearch('tsc_1', 'a'),
      {
        type: 'tool_search_output',
        call_id: 'call_1',
        execution: 'client',
        status: 'completed',
        tools: [fn('a')],
      },
      reasoning('rs_2'),
      message('msg_2', 'I ask.'),
      real,
      output,
    ]);
  });

  test('comes back for a client that sends no reasoning, writes ids of its own, and drops what it does not know', () => {
    const { hidden, real } = searched();
    const items = [
      { role: 'assistant', content: [{ type: 'output_text', text: 'I ask. ' }] },
      { type: 'function_call', id: 'fc_call_1', call_id: 'call_weather01', name: 'a', arguments: '{"x":1}' },
    ];
    expect(sentAfter(items, hidden)).toContainEqual(real);
    expect(sentAfter(items, hidden)).toHaveLength(8);
  });

  test('comes back around references, which stay references', () => {
    const { hidden } = searched();
    const references = ['rs_1', 'rs_2', 'msg_2', 'fc_weather01'].map((id) => ({
      type: 'item_reference',
      id,
    }));
    expect(sentAfter(references, hidden)).toEqual([
      user,
      references[0],
      toolSearch('tsc_1', 'a'),
      expect.objectContaining({ type: 'tool_search_output' }),
      ...references.slice(1),
      output,
    ]);
  });

  test('stays away from a turn that the client has changed', () => {
    const { hidden, items } = searched();
    const changed = items.map((item) => ('name' in item ? { ...item, arguments: '{"x": 2}' } : item));
    expect(sentAfter(changed, hidden)).toHaveLength(1 + items.length - 1 + 1);
  });

  test('that is lost leaves no reasoning that leads to nothing', () => {
    const { items } = searched();
    expect(
      openaiResponses.capabilities.thinking!.hasLostRounds(
        viewOf({ tools: TOOLS, input: [user, ...items] }),
        NATIVE,
      ),
    ).toBe(true);
    expect(sentAfter(items, undefined)).toEqual([user, ...items.slice(1), output]);
  });

  test('that is lost leaves none in the last round either, which has no search tool', () => {
    const { items, hidden } = searched();
    const view = viewOf({ tools: TOOLS, input: [user, ...items, output] });
    const turn = play(view, NATIVE, writeResponse({ id: 'r3', output: [toolSearch('tsc_3', 'b')] }))
      .turns[0]!;
    const everything = { ...planOf('swap', []), searchTool: undefined };
    const sentWith = (hiddenTurns: (typeof hidden)[]) =>
      edited(view, everything, { hiddenTurns, rounds: [found(turn, 'b')] }).input;
    expect(sentWith([]).slice(0, items.length + 1)).toEqual([user, ...items.slice(1), output]);
    expect(sentWith([hidden])).toContainEqual(reasoning('rs_1'));
  });

  test('that is lost and refused takes its reasoning with it, and the ids by which that is looked for', () => {
    const { items } = searched();
    const view = viewOf({ tools: TOOLS, input: [user, ...items, output] });
    expect(openaiResponses.capabilities.thinking!.holdsThinking(view)).toBe(true);
    const sent = edited(view, NATIVE, { hiddenTurns: [], rounds: [], dropsThinking: true }).input;
    expect(sent.map((item) => (item as { type?: string }).type)).toEqual([
      undefined,
      'message',
      'function_call',
      'function_call_output',
    ]);
    expect(JSON.stringify(sent)).not.toMatch(/"id":/);
  });
});

test('a turn stays as the client has it where the client holds an item of it elsewhere', () => {
  const { hidden, items } = searched();
  const [first, ...rest] = items;
  const summary = { role: 'user', content: 'A summary of all before.' };
  const sent = sentAfter([first!, summary, ...rest], hidden) as { id?: string }[];
  const ids = sent.flatMap(({ id }) => id ?? []);
  expect(new Set(ids).size).toBe(ids.length);
});
