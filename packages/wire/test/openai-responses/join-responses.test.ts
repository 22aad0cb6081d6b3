import { describe, expect, test } from 'vitest';
import type { Turn } from '../../src/format/view.ts';
import type { WireEvent } from '../../src/framing/framing.ts';
import { sse } from '../../src/framing/sse.ts';
import { openaiResponses } from '../../src/openai-responses/openai-responses.ts';
import { ClientBody, decodeAll } from '../frames.ts';
import { fn, planOf, play, viewOf } from './exchange.ts';
import { readResponsesStream } from './read-responses-stream.ts';
import { call, eventsOf, message, reasoning, toolSearch, toSse, writeResponse } from './write-response.ts';

const TOOLS = [fn('a'), fn('b'), fn('kept')];
const PLAN = planOf('swap', ['a', 'b']);
const NATIVE = planOf('native', ['a', 'b']);
const search = (id: string) => call(id, 'gateway_search_tools', '{"query":"a"}');

interface Event {
  readonly type: string;
  readonly sequence_number?: number;
  readonly response?: Record<string, unknown>;
  readonly item?: Record<string, unknown>;
}

function eventsIn(stream: string): Event[] {
  return [...stream.matchAll(/^data: (.*)$/gm)].map(([, data]) => JSON.parse(data!));
}

describe('joined responses', () => {
  test.each([true, false])(
    'echo the tools and the response that the client named, streamed: %s',
    (stream) => {
      const view = viewOf({ tools: TOOLS, stream, previous_response_id: 'resp_mine' });
      const more = { tools: [fn('kept'), fn('gateway_search_tools')], previous_response_id: 'resp_last' };
      const metadata = { of: 'gateway_search_tools' };
      const { sent } = play(
        view,
        PLAN,
        writeResponse({ id: 'resp_1', output: [message('msg_1', 'Hi.')], more: { ...more, metadata } }),
      );
      const responses = stream ? eventsIn(sent).flatMap((event) => event.response ?? []) : [JSON.parse(sent)];
      expect(responses).toHaveLength(stream ? 3 : 1);
      for (const response of responses) {
        expect(response).toMatchObject({ tools: TOOLS, previous_response_id: 'resp_mine' });
        expect(JSON.stringify(response)).not.toContain('gateway_search_tools');
      }
    },
  );

  test.each(['keepalive', 'x_new_event'])('begin behind an event of the type %s', (type) => {
    const stream = toSse([{ type }, ...eventsOf({ id: 'resp_1', output: [message('msg_1', 'Hi.')] })]);
    const { sent } = play(viewOf({ tools: TOOLS, stream: true }), PLAN, { stream, whole: '' });
    const types = eventsIn(sent).map((event) => event.type);
    expect(types.slice(0, 3)).toEqual([type, 'response.created', 'response.in_progress']);
    expect(types.at(-1)).toBe('response.completed');
  });

  test.each([
    [true, undefined, 'resp_1'],
    [true, false, 'resp_1'],
    [false, undefined, 'resp_2'],
    [false, false, 'resp_1'],
  ])('have one id, streamed: %s, stored: %s', (stream, store, id) => {
    const view = viewOf({ tools: TOOLS, stream, store });
    const { sent, turns } = play(
      view,
      PLAN,
      writeResponse({ id: 'resp_1', output: [search('fc_1')] }),
      writeResponse({ id: 'resp_2', output: [message('msg_1', 'Hi.')] }),
    );
    const last = stream ? eventsIn(sent).at(-1)!.response! : JSON.parse(sent);
    expect(last).toMatchObject({ id, output: [{ id: 'msg_1' }] });
    expect(turns.at(-1)!.state).toEqual({ id: 'resp_2', given: id });
  });

  test.each([true, false])('hide native searches, whose id counts at their end, streamed: %s', (stream) => {
    const view = viewOf({ tools: TOOLS, stream });
    const { sent, ends } = play(
      view,
      NATIVE,
      writeResponse({ id: 'resp_1', output: [reasoning('rs_1'), toolSearch('tsc_1', 'weather')] }),
      writeResponse({
        id: 'resp_2',
        output: [reasoning('rs_2'), call('fc_a', 'a', '{}', { namespace: 'a' })],
      }),
    );
    expect(ends).toMatchObject([
      { kind: 'searching', turn: { searches: [{ id: 'call_1', queries: ['weather'] }], realCalls: [] } },
      { kind: 'finished', turn: { realCalls: [{ id: 'call_a', name: 'a' }] } },
    ]);
    expect(sent).not.toContain('tool_search');
    // A function that was loaded on its own has a namespace that the client never declared.
    expect(sent).not.toContain('"namespace"');
    const last = stream ? eventsIn(sent).at(-1)!.response! : JSON.parse(sent);
    expect((last.output as { id: string }[]).map(({ id }) => id)).toEqual(['rs_2', 'fc_a']);
  });

  test('leave the vendor’s own search to it, and namespaces of the client’s to the client', () => {
    const tools = [fn('a'), { type: 'namespace', name: 'n', tools: [fn('b')] }];
    const hosted = { ...toolSearch('tsc_1', 'x'), execution: 'server', call_id: null };
    const output = [hosted, call('fc_b', 'b', '{}', { namespace: 'n' })];
    const { sent, ends } = play(
      viewOf({ tools, stream: true }),
      NATIVE,
      writeResponse({ id: 'resp_1', output }),
    );
    expect(ends).toMatchObject([{ kind: 'finished', turn: { searches: [], realCalls: [{ name: 'n.b' }] } }]);
    expect(sent).toBe(writeResponse({ id: 'resp_1', output }).stream);
  });

  test('wait for no call of a program, and for no shell that the provider runs', () => {
    const program = call('fc_p', 'a', '{}', { caller: { type: 'program', id: 'p' }, status: 'in_progress' });
    const shell = { type: 'shell_call', id: 'sh_1', call_id: 'call_sh' };
    const shellOutput = { type: 'shell_call_output', id: 'sho_1', call_id: 'call_sh' };
    const output = [program, shell, shellOutput, search('fc_1')];
    const { ends } = play(
      viewOf({ tools: TOOLS, stream: true }),
      PLAN,
      writeResponse({ id: 'resp_1', output }),
    );
    expect(ends).toMatchObject([{ kind: 'searching', turn: { realCalls: [] } }]);
  });

  test.each(['custom_tool_call', 'shell_call', 'computer_call'])(
    'wait for what the client runs: %s',
    (type) => {
      const tools = [...TOOLS, { type: 'custom', name: 'patch' }];
      const output = [{ type, id: 'ct_1', call_id: 'call_ct', name: 'patch', input: 'x' }, search('fc_1')];
      const { ends, sent } = play(
        viewOf({ tools, stream: true }),
        PLAN,
        writeResponse({ id: 'resp_1', output }),
      );
      expect(ends).toMatchObject([
        { kind: 'finished', turn: { realCalls: [{ id: 'call_ct' }], searches: [{}] } },
      ]);
      expect(sent).toContain('call_ct');
    },
  );

  test('sum what tools have used, and tell nothing of what was withheld of hidden items', () => {
    const entry = (id: string) => ({ type: 'reasoning', id, action: 'removed', reason: 'prefix_mismatch' });
    const { sent } = play(
      viewOf({ tools: TOOLS, stream: true }),
      PLAN,
      writeResponse({
        id: 'r1',
        output: [reasoning('rs_1'), search('fc_1')],
        more: { tool_usage: { web: 1 } },
      }),
      writeResponse({
        id: 'r2',
        output: [message('msg_1', 'Hi.')],
        more: { tool_usage: { web: 2 }, input_transformations: [entry('rs_0'), entry('fc_1')] },
      }),
    );
    expect(eventsIn(sent).at(-1)!.response).toMatchObject({
      tool_usage: { web: 3 },
      input_transformations: [entry('rs_0')],
      created_at: 1763700000,
    });
  });

  test('end an error with a response that has failed, and pass on one that the provider sends', () => {
    const view = viewOf({ tools: TOOLS, stream: true });
    const begun = eventsOf({ id: 'resp_1', output: [] }).slice(0, 2);
    const error = {
      type: 'error',
      sequence_number: 2,
      error: { type: 'insufficient_quota', code: 'insufficient_quota', message: 'No.' },
    };
    const alone = { stream: toSse([...begun, error]), whole: '' };
    const { sent, ends } = play(view, PLAN, alone);
    expect(ends).toMatchObject([{ kind: 'failed', reason: 'upstream_error' }]);
    expect(eventsIn(sent).slice(2)).toMatchObject([
      error,
      {
        type: 'response.failed',
        sequence_number: 3,
        response: { id: 'resp_1', status: 'failed', error: { code: 'insufficient_quota', message: 'No.' } },
      },
    ]);
    const failed = {
      type: 'response.failed',
      sequence_number: 3,
      response: { id: 'resp_1', status: 'failed', output: [] },
    };
    const both = { stream: toSse([...begun, error, failed]), whole: '' };
    expect(play(view, PLAN, both).sent).toBe(both.stream);
  });

  test.each([
    ['numbers all items 0', { output_index: 0 }],
    ['leaves out the ids of calls', { call_id: undefined }],
  ])('hide searches of a server that %s', (_, odd) => {
    const output = [message('msg_1', 'One.'), search('fc_1')];
    const events = eventsOf({ id: 'resp_1', output }).map((event) =>
      JSON.stringify(event, (key, value) => (key in odd ? odd[key as keyof typeof odd] : value)),
    );
    const stream = toSse(events.map((event) => JSON.parse(event)));
    const response = JSON.stringify(JSON.parse(events.at(-1)!).response);
    for (const isStream of [true, false]) {
      const view = viewOf({ tools: TOOLS, stream: isStream });
      const { sent, ends } = play(view, PLAN, { stream, whole: response });
      expect(ends).toMatchObject([{ kind: 'searching', turn: { searches: [{ queries: ['a'] }] } }]);
      expect(sent).not.toContain('gateway');
    }
  });

  test('find items by their place, as one gateway changes ids in every event', () => {
    const view = viewOf({ tools: TOOLS, stream: true });
    let number = 0;
    const rotate = (events: Record<string, unknown>[]) =>
      toSse(
        events.map((event) => {
          number += 1;
          const text = JSON.stringify(event).replace(
            /"(item_)?id":"(resp|fc|msg)_[^"]*"/g,
            `"$1id":"capture-${number}"`,
          );
          return JSON.parse(text);
        }),
      );
    const { sent, ends } = play(
      view,
      PLAN,
      {
        stream: rotate(eventsOf({ id: 'resp_1', output: [message('msg_1', 'One.'), search('fc_1')] })),
        whole: '',
      },
      { stream: rotate(eventsOf({ id: 'resp_2', output: [message('msg_2', 'Two.')] })), whole: '' },
    );
    expect(ends).toMatchObject([{ kind: 'searching' }, { kind: 'finished' }]);
    expect(eventsIn(sent).filter(({ type }) => type === 'response.output_item.added')).toMatchObject([
      { output_index: 0 },
      { output_index: 1 },
    ]);
    expect(sent).not.toContain('gateway_search_tools');
  });
});

describe('a response without visible content', () => {
  const view = viewOf({ tools: TOOLS, stream: true });
  const rounds = [
    writeResponse({ id: 'resp_1', output: [reasoning('rs_1'), search('fc_1')] }),
    writeResponse({ id: 'resp_2', output: [reasoning('rs_2'), search('fc_2')] }),
    writeResponse({ id: 'resp_3', output: [reasoning('rs_3'), message('msg_3', 'Hi.')] }),
  ];

  function playRetracting(retracts: readonly number[], abandons?: number) {
    const joiner = openaiResponses.joining.joinResponses(view, PLAN);
    const body = new ClientBody(true);
    let given: WireEvent[] = [];
    const turns = rounds.map(({ stream }, at) => {
      const feed = () => decodeAll(sse, [Buffer.from(stream)]).flatMap((event) => joiner.feed(event));
      if (abandons === at) {
        feed();
        joiner.abandonRound();
      }
      given.push(...feed());
      const end = joiner.endRound();
      if (retracts.includes(at)) {
        joiner.retractStart();
        given = [];
      }
      return (end as { turn: Turn }).turn;
    });
    body.write([...given, ...joiner.finish()]);
    return { answer: readResponsesStream(body.end()), text: body.text, turns };
  }

  test.each([
    [[], 'resp_1'],
    [[0], 'resp_2'],
    [[0, 1], 'resp_3'],
  ])('begins by the round after it was taken back: %j', (retracts, id) => {
    const { answer, text, turns } = playRetracting(retracts);
    expect(answer).toMatchObject({ id, text: 'Hi.' });
    expect(eventsIn(text).at(-1)!.response!.output).toMatchObject([{ id: 'rs_3' }, { id: 'msg_3' }]);
    expect(turns.at(-1)!.state).toEqual({ id: 'resp_3', given: id });
  });

  test('begins even without another round, because clients accept no end without a start', () => {
    const joiner = openaiResponses.joining.joinResponses(view, PLAN);
    for (const event of decodeAll(sse, [Buffer.from(rounds[0]!.stream)])) joiner.feed(event);
    joiner.endRound();
    joiner.retractStart();
    const body = new ClientBody(true);
    body.write(joiner.fail({ kind: 'failed', reason: 'truncated', message: 'No more.' }));
    const events = eventsIn(body.end());
    const [first, last] = [events[0]!, events.at(-1)!];
    expect([first.type, last.type]).toEqual(['response.created', 'response.failed']);
    expect([first.response!.id, last.response!.id]).toEqual(['resp_1', 'resp_1']);
    expect(events.map((event) => event.sequence_number)).toEqual(events.map((_, at) => at));
  });

  test.each([1, 2])('is the same when round %i is requested again', (abandons) => {
    expect(playRetracting([0, 1], abandons).text).toBe(playRetracting([0, 1]).text);
  });
});

describe('without memory for more', () => {
  const joinIn = (events: readonly object[]) => {
    const joiner = openaiResponses.joining.joinResponses(
      viewOf({ tools: TOOLS, stream: true }),
      PLAN,
      () => false,
    );
    for (const event of events) {
      if (joiner.isRoundOver) break;
      joiner.feed({ kind: 'event', data: JSON.stringify(event) });
    }
    return { isOver: joiner.isRoundOver, end: joiner.endRound() };
  };

  test('a response is given up that begins items without an end', () => {
    const items = Array.from({ length: 2_000 }, (_, index) => ({
      type: 'response.output_item.added',
      output_index: index,
      item: call(`fc_${index}`, 'kept', '{}'),
    }));
    expect(joinIn(items)).toMatchObject({ isOver: true, end: { kind: 'failed', reason: 'held_too_much' } });
  });

  test('a good end does not replace a lost one', () => {
    const response = { id: 'resp_1', status: 'failed' };
    const joiner = openaiResponses.joining.joinResponses(
      viewOf({ tools: TOOLS, stream: true }),
      PLAN,
      () => false,
    );
    for (const type of ['response.created', 'response.failed'])
      joiner.feed({ kind: 'event', data: JSON.stringify({ type, response }) });
    const completed = { type: 'response.completed', response: { ...response, status: 'completed' } };
    expect(joiner.feed({ kind: 'event', data: JSON.stringify(completed) })).toEqual([]);
    expect(joiner.endRound()).toMatchObject({ kind: 'failed', reason: 'held_too_much' });
  });

  test("the end of a failure has Winnow's own message", () => {
    const failed = { type: 'response.failed', response: { id: 'resp_1', status: 'failed' } };
    expect(joinIn([failed]).end).toMatchObject({ kind: 'failed', reason: 'upstream_error' });
  });
});
