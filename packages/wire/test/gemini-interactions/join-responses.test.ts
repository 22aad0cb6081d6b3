import { describe, expect, test } from 'vitest';
import type { Turn } from '../../src/format/view.ts';
import type { WireEvent } from '../../src/framing/framing.ts';
import { sse } from '../../src/framing/sse.ts';
import { geminiInteractions } from '../../src/gemini-interactions/gemini-interactions.ts';
import { ClientBody, decodeAll } from '../frames.ts';
import { fn, planOf, play, viewOf } from './exchange.ts';
import { readInteractionStream } from './read-interaction.ts';
import {
  call,
  DONE,
  eventsOf,
  output,
  thought,
  toSse,
  USAGE,
  writeInteraction,
} from './write-interaction.ts';

const TOOLS = [fn('a'), fn('b'), fn('kept')];
const PLAN = planOf(['a', 'b']);
const search = (id: string) => call(id, 'gateway_search_tools', '{"query":"a"}');

interface Event {
  readonly event_type: string;
  readonly index?: number;
  readonly status?: string;
  readonly interaction?: Record<string, unknown>;
}

function eventsIn(stream: string): Event[] {
  return decodeAll(sse, [Buffer.from(stream)]).flatMap((event) =>
    event.kind === 'event' && event.data.startsWith('{') ? [JSON.parse(event.data)] : [],
  );
}

const streamed = (events: readonly Record<string, unknown>[], end?: string) => ({
  stream: toSse(events, end),
  whole: '',
});

describe('joined interactions', () => {
  test.each([true, false])("echo the client's own text, streamed: %s", (stream) => {
    const view = viewOf({ tools: TOOLS, stream, previous_interaction_id: 'v1_mine' });
    const more = {
      tools: [fn('kept'), fn('gateway_search_tools')],
      previous_interaction_id: 'v1_last',
      input: [{ type: 'function_result', name: 'gateway_search_tools' }],
      labels: { of: 'gateway_search_tools' },
    };
    const { sent } = play(view, PLAN, writeInteraction({ id: 'v1_1', steps: [output('Hi.')], more }));
    const interactions = stream
      ? eventsIn(sent).flatMap((event) => event.interaction ?? [])
      : [JSON.parse(sent)];
    expect(interactions).toHaveLength(stream ? 2 : 1);
    for (const interaction of interactions) {
      expect(interaction).toMatchObject({
        tools: TOOLS,
        previous_interaction_id: 'v1_mine',
        input: 'Go.',
      });
      expect(JSON.stringify(interaction)).not.toContain('gateway_search_tools');
    }
  });

  test.each([
    [true, undefined, 'v1_1'],
    [true, false, 'v1_1'],
    [false, undefined, 'v1_2'],
    [false, false, 'v1_1'],
  ])('have one id, streamed: %s, stored: %s', (stream, store, id) => {
    const view = viewOf({ tools: TOOLS, stream, store });
    const { sent, turns } = play(
      view,
      PLAN,
      writeInteraction({ id: 'v1_1', steps: [search('s1')] }),
      writeInteraction({ id: 'v1_2', steps: [output('Hi.')] }),
    );
    const last = stream ? eventsIn(sent).at(-1)!.interaction! : JSON.parse(sent);
    expect(last).toMatchObject({ id, status: 'completed', created: 'at v1_1' });
    expect(sent).not.toContain(stream || store === false ? 'v1_2' : '"v1_1"');
    expect(turns.at(-1)!.state).toEqual({ id: 'v1_2', given: id });
  });

  test.each([true, false])('have no id when nothing is stored, streamed: %s', (stream) => {
    const view = viewOf({ tools: TOOLS, stream, store: false });
    const strip = ({ stream: streamedText, whole }: { stream: string; whole: string }) => ({
      stream: streamedText,
      whole: whole.replace(/"id": "",\s*/, ''),
    });
    const { sent, turns } = play(
      view,
      PLAN,
      strip(writeInteraction({ id: '', steps: [search('s1')] })),
      strip(writeInteraction({ id: '', steps: [output('Hi.')] })),
    );
    expect(turns.at(-1)).not.toHaveProperty('state');
    if (stream) expect(readInteractionStream(sent)).toMatchObject({ id: '', text: 'Hi.' });
    else expect(JSON.parse(sent)).not.toHaveProperty('id');
  });

  test('keep the signatures of what they show, and of calls', () => {
    const view = viewOf({ tools: TOOLS, stream: true });
    const { sent } = play(
      view,
      PLAN,
      writeInteraction({ id: 'v1_1', steps: [thought('sig_1', 'Hm.'), search('s1')] }),
      writeInteraction({ id: 'v1_2', steps: [thought('sig_2'), call('c1', 'a', '{}')] }),
    );
    expect(sent.match(/"signature":"sig_\d"/g)).toEqual(['"signature":"sig_2"']);
    expect(readInteractionStream(sent).calls).toEqual([{ id: 'c1', name: 'a', arguments: {} }]);
  });

  test.each([true, false])('show no thought of a round that only searched, streamed: %s', (stream) => {
    const { sent, turns } = play(
      viewOf({ tools: TOOLS, stream }),
      PLAN,
      writeInteraction({ id: 'v1_1', steps: [output('I look. '), thought('sig_1', 'Hm.'), search('s1')] }),
      writeInteraction({ id: 'v1_2', steps: [thought('sig_2'), output('Hi.')] }),
    );
    expect(sent.match(/"(?:Hm\.|sig_\d)"/g)).toEqual(['"sig_2"']);
    // What is sent back upstream is all there.
    expect(turns[0]!.message).toContain('sig_1');
  });

  test.each([true, false])(
    'give a call the signature for lost ones where its thought led to a search, streamed: %s',
    (stream) => {
      const steps = [thought('sig_1', 'Hm.'), search('s1'), call('c1', 'a', '{}')];
      const { sent, turns } = play(
        viewOf({ tools: TOOLS, stream }),
        PLAN,
        writeInteraction({ id: 'v1_1', steps }),
      );
      expect(sent.match(/"signature": ?"[a-z_\d]+"/g)).toEqual([
        '"signature":"skip_thought_signature_validator"',
      ]);
      expect(sent).toContain('Hm.');
      expect(turns[0]!.message).toContain('sig_1');
    },
  );

  test('pass on members for resuming a stream only while nothing is hidden', () => {
    const numbered = (id: string, steps: Parameters<typeof eventsOf>[0]['steps']) =>
      eventsOf({ id, steps }).map((event, at) => ({ ...event, event_id: `${id}e${at}` }));
    const view = viewOf({ tools: TOOLS, stream: true });
    const alone = streamed(numbered('v1_1', [output('Hi.'), call('c1', 'kept', '{}')]));
    expect(play(view, PLAN, alone).sent).toBe(alone.stream);
    const searching = streamed(numbered('v1_1', [output('Hm.'), search('s1')]));
    const { sent } = play(view, PLAN, searching, streamed(numbered('v1_2', [output('Hi.')])));
    expect(sent).toContain('"event_id":"v1_1e2"');
    expect(sent).not.toContain('v1_2');
    expect(readInteractionStream(sent).text).toBe('Hm.Hi.');
  });

  test('report no action that the client need not take, and no checkpoint that it cannot continue from', () => {
    const waiting = (id: string, status: string, more: object = {}) => ({
      interaction_id: id,
      status,
      event_type: 'interaction.status_update',
      ...more,
    });
    const between = (events: Record<string, unknown>[], event: Record<string, unknown>) =>
      streamed([...events.slice(0, -1), event, events.at(-1)!]);
    const view = viewOf({ tools: TOOLS, stream: true });
    const first = eventsOf({ id: 'v1_1', steps: [output('One. '), search('s1')] });
    const second = eventsOf({ id: 'v1_2', steps: [output('Two.')] });
    const { sent } = play(
      view,
      PLAN,
      between(first, waiting('v1_1', 'requires_action')),
      between(second, waiting('v1_2', 'in_progress', { continuation_token: 'checkpoint' })),
    );
    expect(sent).not.toMatch(/requires_action|checkpoint|v1_2/);
    const both = eventsOf({ id: 'v1_1', steps: [search('s1'), call('c1', 'kept', '{}')] });
    const checkpoint = waiting('v1_1', 'in_progress', { continuation_token: 'checkpoint' });
    expect(play(view, PLAN, between(both, checkpoint)).sent).not.toContain('checkpoint');
    const calling = eventsOf({ id: 'v1_2', steps: [call('c1', 'kept', '{}')] });
    const later = play(view, PLAN, streamed(first), between(calling, waiting('v1_2', 'requires_action')));
    expect(eventsIn(later.sent).at(-2)).toEqual(waiting('v1_1', 'requires_action'));
    const alone = play(view, PLAN, between(first, waiting('v1_1', 'requires_action')));
    expect(alone.ends).toMatchObject([{ kind: 'searching' }]);
    expect(eventsIn(alone.sent).slice(-2)).toMatchObject([
      { status: 'completed', interaction_id: 'v1_1' },
      { interaction: { status: 'completed' } },
    ]);
  });

  test('drop other events about the whole of a hidden round', () => {
    const strange = { interaction: { id: 'v1_1' }, event_type: 'interaction.requires_action' };
    const first = eventsOf({ id: 'v1_1', steps: [output('One. '), search('s1')] });
    const { sent } = play(
      viewOf({ tools: TOOLS, stream: true }),
      PLAN,
      streamed([...first.slice(0, -1), strange, first.at(-1)!]),
      writeInteraction({ id: 'v1_2', steps: [output('Two.')] }),
    );
    expect(sent).not.toContain('requires_action');
    expect(readInteractionStream(sent).text).toBe('One. Two.');
  });

  test('run on with the usage that they tell on the way', () => {
    const view = viewOf({ tools: TOOLS, stream: true });
    const second = eventsOf({ id: 'v1_2', steps: [output('Hi.')] });
    const counted = second.map((event) =>
      event.event_type === 'step.delta' ? { ...event, metadata: { total_usage: USAGE } } : event,
    );
    const { sent } = play(
      view,
      PLAN,
      writeInteraction({ id: 'v1_1', steps: [search('s1')] }),
      streamed(counted),
    );
    const shown = {
      total_input_tokens: 90,
      total_output_tokens: 18,
      total_thought_tokens: 30,
      total_tokens: 138,
    };
    const deltas = eventsIn(sent).filter(({ event_type: type }) => type === 'step.delta');
    expect(deltas).toMatchObject([
      { metadata: { total_usage: shown } },
      { metadata: { total_usage: shown } },
    ]);
    expect(eventsIn(sent).at(-1)!.interaction!.usage).toEqual({
      ...USAGE,
      ...shown,
      input_tokens_by_modality: [{ modality: 'text', tokens: 90 }],
    });
  });

  test('are one body where the upstream streams although it was not asked to, and a stream the other way round', () => {
    const [first, second] = [
      writeInteraction({ id: 'v1_1', steps: [thought('s'), output('One. '), search('s1')] }),
      writeInteraction({ id: 'v1_2', steps: [output('Two.'), call('c1', 'kept', '{"n":1.0}')] }),
    ];
    const whole = geminiInteractions.joining.joinResponses(
      viewOf({ tools: TOOLS, stream: false, store: false }),
      PLAN,
    );
    whole.feed({ kind: 'whole', text: first.whole });
    whole.endRound();
    for (const event of decodeAll(sse, [Buffer.from(second.stream)])) whole.feed(event);
    whole.endRound();
    const body = new ClientBody(false);
    body.write(whole.finish());
    expect(JSON.parse(body.end())).toMatchObject({
      id: 'v1_1',
      status: 'requires_action',
      steps: [
        { type: 'thought', signature: 's' },
        output('One. '),
        output('Two.'),
        { id: 'c1', arguments: { n: 1 } },
      ],
    });
    const stream = geminiInteractions.joining.joinResponses(
      viewOf({ tools: TOOLS, stream: true, store: false }),
      PLAN,
    );
    const client = new ClientBody(true);
    for (const event of decodeAll(sse, [Buffer.from(first.stream)])) client.write(stream.feed(event));
    stream.endRound();
    client.write(stream.feed({ kind: 'whole', text: second.whole }));
    expect(stream.endRound()).toMatchObject({ kind: 'finished', turn: { realCalls: [{ id: 'c1' }] } });
    client.write(stream.finish());
    expect(eventsIn(client.end()).map(({ event_type: type, index }) => index ?? type)).toEqual([
      'interaction.created',
      'interaction.status_update',
      ...[0, 0, 0, 1, 1, 1, 1, 2, 2, 3, 3],
      'interaction.completed',
    ]);
  });

  test('fail as the provider’s streams do', () => {
    const view = viewOf({ tools: TOOLS, stream: true });
    const joiner = geminiInteractions.joining.joinResponses(view, PLAN);
    const body = new ClientBody(true);
    const first = writeInteraction({ id: 'v1_1', steps: [output('One.'), search('s1')] });
    for (const event of decodeAll(sse, [Buffer.from(first.stream)])) body.write(joiner.feed(event));
    joiner.endRound();
    const refusal = {
      status: 429,
      body: '{"error":{"code":429,"message":"Too many.","status":"RESOURCE_EXHAUSTED"}}',
    };
    body.write(joiner.fail({ kind: 'failed', reason: 'interrupted', message: 'No more.', refusal }));
    expect(body.end()).toMatch(
      /event: error\ndata: \{"error":\{"code":"resource_exhausted","message":"Too many."\},"event_type":"error"\}\n\n$/,
    );
    const failed = streamed(eventsOf({ id: 'v1_1', steps: [output('Hi.')], status: 'failed' }));
    expect(play(view, PLAN, failed)).toMatchObject({
      sent: failed.stream,
      ends: [{ kind: 'failed', reason: 'upstream_error' }],
    });
    expect(
      play(view, PLAN, streamed(eventsOf({ id: 'v1_1', steps: [output('Hi.')] }), '')).ends,
    ).toMatchObject([{ kind: 'finished' }]);
  });

  test('end with the marker after the last event', () => {
    const joiner = geminiInteractions.joining.joinResponses(viewOf({ tools: TOOLS, stream: true }), PLAN);
    const { stream } = writeInteraction({ id: 'v1_1', steps: [output('Hi.')] });
    for (const event of decodeAll(sse, [Buffer.from(stream.slice(0, -DONE.length))])) joiner.feed(event);
    expect(joiner.isRoundOver).toBe(false);
    for (const event of decodeAll(sse, [Buffer.from(DONE)])) joiner.feed(event);
    expect(joiner.isRoundOver).toBe(true);
  });
});

describe('an interaction without shown content', () => {
  const view = viewOf({ tools: TOOLS, stream: true });
  const rounds = [
    writeInteraction({ id: 'v1_1', steps: [thought('t1'), search('s1')] }),
    writeInteraction({ id: 'v1_2', steps: [thought('t2'), search('s2')] }),
    writeInteraction({ id: 'v1_3', steps: [thought('t3'), output('Hi.')] }),
  ];

  function playRetracting(retracts: readonly number[], abandons?: number) {
    const joiner = geminiInteractions.joining.joinResponses(view, PLAN);
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
    return { answer: readInteractionStream(body.end()), text: body.text, turns };
  }

  test.each([
    [[], 'v1_1'],
    [[0], 'v1_2'],
    [[0, 1], 'v1_3'],
  ])('begins by the round after it was taken back: %j', (retracts, id) => {
    const { answer, text, turns } = playRetracting(retracts);
    expect(answer).toMatchObject({ id, text: 'Hi.' });
    expect(text.match(/"signature":"t\d"/g)).toEqual(['"signature":"t3"']);
    expect(turns.at(-1)!.state).toEqual({ id: 'v1_3', given: id });
  });

  test.each([1, 2])('is the same when round %i is requested again', (abandons) => {
    expect(playRetracting([0, 1], abandons).text).toBe(playRetracting([0, 1]).text);
  });

  test('begins even without another round, because clients accept no end without a start', () => {
    const joiner = geminiInteractions.joining.joinResponses(view, PLAN);
    for (const event of decodeAll(sse, [Buffer.from(rounds[0]!.stream)])) joiner.feed(event);
    joiner.endRound();
    joiner.retractStart();
    const body = new ClientBody(true);
    body.write(joiner.fail({ kind: 'failed', reason: 'truncated', message: 'No more.' }));
    const types = eventsIn(body.end()).map(({ event_type: type }) => type);
    expect([types[0], types.at(-1)]).toEqual(['interaction.created', 'error']);
  });
});

test('without memory, an interaction that begins endless steps is abandoned', () => {
  const joiner = geminiInteractions.joining.joinResponses(
    viewOf({ tools: TOOLS, stream: true }),
    PLAN,
    () => false,
  );
  for (let index = 0; index < 2_000 && !joiner.isRoundOver; index += 1) {
    const event = { index, step: call(`c${index}`, 'kept', '{}'), event_type: 'step.start' };
    joiner.feed({ kind: 'event', data: JSON.stringify(event) });
  }
  expect(joiner.isRoundOver).toBe(true);
  expect(joiner.endRound()).toMatchObject({ kind: 'failed', reason: 'held_too_much' });
});
