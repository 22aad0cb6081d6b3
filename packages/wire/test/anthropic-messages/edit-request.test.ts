import { describe, expect, test } from 'vitest';
import { anthropicMessages } from '../../src/anthropic-messages/anthropic-messages.ts';
import type { HiddenTurn, LoadMode, Round } from '../../src/format/view.ts';
import { PLAN, planOf, play, readWritten, streamOf, VIEW, viewOf } from './exchange.ts';
import { readStream } from './read-answer.ts';

const TOOLS =
  '[{"name":"clock_now","input_schema":{"x": 1.0}} ,\n{"name":"weather_get","input_schema":{"n":12345678901234567890}}]';

function edited(
  request: string,
  rounds: readonly Round[],
  loadMode: Exclude<LoadMode, 'bridge'> = 'swap',
): string {
  const bytes = anthropicMessages.editing.editRequest(viewOf(request), planOf(loadMode, ['weather_get']), {
    hiddenTurns: [],
    rounds,
  });
  return new TextDecoder().decode(bytes);
}

function roundOf(stream: string): Round {
  const [end] = play(stream).ends;
  if (end?.kind !== 'searching') throw new Error('no search');
  const tools = [{ name: 'weather_get', description: 'The weather.' }];
  return {
    turn: end.turn,
    results: end.turn.searches.map(({ id }) => ({ callId: id, kind: 'found', tools })),
  };
}

describe('the next round', () => {
  test('has the original turn with a result for each search after it, and everything else unchanged', () => {
    const head = `{"max_tokens": 1e2,"tools":${TOOLS},"messages":[ {"role":"user","content":"\\u0048i"}`;
    const tail = ' ] ,"metadata":{"a":1,"a":2}}';
    const sent = edited(head + tail, [roundOf(streamOf('parallel-searches'))], 'native');
    const [start, end] = [sent.indexOf('"messages"'), sent.indexOf(tail)];
    expect(end).toBe(sent.length - tail.length);
    expect(sent.slice(start, end)).toBe(
      '"messages":[ {"role":"user","content":"\\u0048i"},' +
        '{"role":"assistant","content":[{"type":"text","text":"Searching twice. "},' +
        '{"type":"tool_use","id":"toolu_01First","name":"gateway_search_tools","input":{"query":"calendar"},"caller":{"type":"direct"}},' +
        '{"type":"tool_use","id":"toolu_01Second","name":"gateway_search_tools","input":{"query":"mail"},"caller":{"type":"direct"}}]},' +
        '{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_01First","content":' +
        '[{"type":"tool_reference","tool_name":"weather_get"},{"type":"text","text":"Can be called now, the best match first: weather_get."}]},' +
        '{"type":"tool_result","tool_use_id":"toolu_01Second","content":' +
        '[{"type":"text","text":"Can be called now, the best match first: weather_get."}]}]}',
    );
  });

  test('continues in the container in which the provider ran code', () => {
    const [start, ...rest] = readWritten('search-whole-input');
    const delta = { stop_reason: 'tool_use', container: { id: 'container_1', expires_at: 'soon' } };
    const events = [start!, ...rest.slice(0, 2), { ...rest[2]!, delta }, rest[3]!];
    const round = roundOf(events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(''));
    const containerIn = (own: string) => {
      const request = `{"messages":[],"tools":${TOOLS}${own}}`;
      return (JSON.parse(edited(request, [round])) as { container?: unknown }).container;
    };
    expect(containerIn('')).toBe('container_1');
    expect(containerIn(',"container":null')).toBe('container_1');
    expect(containerIn(',"container":{"skills":[]}')).toEqual({ skills: [], id: 'container_1' });
    expect(containerIn(',"container":{"id":"mine"}')).toEqual({ id: 'mine' });
    expect(containerIn(',"container":"mine"')).toBe('mine');
    expect(
      edited(`{"messages":[],"tools":${TOOLS}}`, [roundOf(streamOf('search-whole-input'))]),
    ).not.toContain('container');
  });
});

test("without changes it is the client's own bytes", () => {
  const nothing = { ...PLAN, defer: [], searchTool: undefined };
  expect(anthropicMessages.editing.editRequest(VIEW, nothing, { hiddenTurns: [], rounds: [] })).toBe(
    VIEW.bytes.whole,
  );
});

describe.each(['native', 'swap'] as const)('over ten turns in %s mode', (loadMode) => {
  /** Returns every request to the upstream, as text: one search and one call per user turn. */
  const sent = haveConversation(loadMode);

  test('every request begins with all messages of the previous one, byte for byte', () => {
    const histories = sent.map((text) => text.slice(text.indexOf('"messages"'), -2));
    expect(histories).toHaveLength(30);
    for (const [index, history] of histories.entries()) {
      expect(history.startsWith(histories[index - 1] ?? '')).toBe(true);
    }
  });

  test('tools that were sent before keep their bytes', () => {
    const tools = sent.map((text) => text.slice(0, text.indexOf('],"messages"')));
    for (const [index, text] of tools.entries()) expect(text.startsWith(tools[index - 1] ?? '')).toBe(true);
    // In native mode they are all equal; in swap mode, one tool is loaded in the first exchange.
    expect(new Set(tools).size).toBe(loadMode === 'native' ? 1 : 2);
  });
});

function haveConversation(loadMode: Exclude<LoadMode, 'bridge'>): string[] {
  const sent: string[] = [];
  const messages: string[] = [];
  const hiddenTurns: HiddenTurn[] = [];
  let loaded: string[] = [];
  const ask = (rounds: readonly Round[]) => {
    const view = viewOf(`{"stream":true,"tools":${TOOLS},"messages":[${messages.join(',')}]}`);
    const plan = planOf(loadMode, ['weather_get'], loaded);
    const bytes = anthropicMessages.editing.editRequest(view, plan, { hiddenTurns, rounds });
    sent.push(new TextDecoder().decode(bytes));
    return view;
  };
  for (let turn = 0; turn < 10; turn += 1) {
    const numbered = (name: string) => streamOf(name).replaceAll(/(toolu|msg)_01/g, `$1_${turn}_`);
    messages.push(`{"role":"user","content":"Question ${turn}"}`);
    ask([]);
    const search = roundOf(numbered('thinking-search'));
    if (loadMode === 'swap') loaded = ['weather_get'];
    const view = ask([search]);
    loaded = ['weather_get'];
    const { sent: answer, ends } = play(numbered('thinking-search'), numbered('thinking-call'));
    if (ends[1]?.kind !== 'finished') throw new Error('not as written');
    hiddenTurns.push(
      anthropicMessages.remembering.hideTurn(view, [search, { turn: ends[1].turn, results: [] }])!,
    );
    const { message, calls } = readStream(answer);
    messages.push(
      message,
      `{"role":"user","content":[{"type":"tool_result","tool_use_id":"${calls[0]!.id}"}]}`,
    );
    ask([]);
    messages.push('{"role":"assistant","content":"Sunny."}');
  }
  return sent;
}
