import type { HiddenTurn, Plan } from '@winnow/wire';
import { describe, expect, test } from 'vitest';
import { ExchangeSession } from '../src/exchange/exchange-session.ts';
import { HEARTBEAT_MS, RefusedEdits } from '../src/exchange/loop-progress.ts';
import { runSearchLoop } from '../src/exchange/search-loop.ts';
import type { Resolution } from '../src/search/resolve-searches.ts';
import { RequestMemory } from '../src/sessions/request-memory.ts';
import { type Note, PendingWork, type SessionStore } from '../src/sessions/session-store.ts';
import type { UpstreamResponse } from '../src/upstream/send-upstream.ts';
import type { UpstreamBody } from '../src/upstream/upstream-body.ts';
import { exchangeUnderTest, responseOf } from './exchange-under-test.ts';
import { viewOf } from './request-view.ts';

const SEARCH = 'gateway_search_tools';

const plan: Plan = {
  loadMode: 'swap',
  defer: ['alpha', 'beta'],
  load: [],
  searchTool: { name: SEARCH, description: 'finds tools' },
  reason: 'deferred',
};

/** A complete response of the model with these calls. */
const turn = (id: string, stop: string, ...content: object[]) => ({
  id,
  type: 'message',
  role: 'assistant',
  model: 'm',
  content,
  stop_reason: stop,
  stop_sequence: null,
  usage: { input_tokens: 10, output_tokens: 2 },
});
const say = (text: string) => ({ type: 'text', text });
const call = (id: string, name: string, input: object = {}) => ({ type: 'tool_use', id, name, input });

const searching = () =>
  responseOf(200, turn('msg_1', 'tool_use', call('toolu_s', SEARCH, { query: 'find alpha' })));
const answering = () => responseOf(200, turn('msg_2', 'end_turn', say('done')));

const FOUND_ALPHA: Resolution = {
  results: [{ callId: 'toolu_s', kind: 'found', tools: [{ name: 'alpha', description: '' }] }],
  found: ['alpha'],
  isRestored: false,
  records: [{ outcome: 'found', names: ['alpha'], ms: 1 }],
};

/** Runs a loop over an upstream that returns these responses in turn. */
function loopOver(
  responses: readonly (UpstreamResponse | Error)[],
  { isStream = false, retryAttempts = 0, limitBytes = 10_000, planned = plan, more = {} } = {},
) {
  const under = exchangeUnderTest('/v1/messages');
  const notes: Note[] = [];
  const sessions: SessionStore = {
    isShared: false,
    read: async () => new Map(),
    add: async (_, added) => void notes.push(...added),
    sweep: () => {},
  };
  const view = viewOf({ tools: ['alpha', 'beta', 'kept'], more: { stream: isStream, ...more } });
  const hold = new RequestMemory({ maxBytes: 100 * limitBytes, heapShare: () => 0 }).open('client');
  const session = new ExchangeSession(
    {
      tenant: 'tenant',
      session: 'session',
      format: under.exchange.format,
      view,
      hasCredential: true,
      keepsOpenings: true,
      hasModes: true,
      patienceMs: 1_000,
    },
    { sessions, pendingWork: new PendingWork(), effects: { every: () => () => {} } },
  );
  const sent: string[] = [];
  const pauses: number[] = [];
  let beat = () => {};
  const refused: string[] = [];
  const waiting = [...responses];
  const end = runSearchLoop({
    exchange: under.exchange,
    view,
    plan: planned,
    hiddenTurns: [],
    session,
    dropsThinking: false,
    isBound: false,
    sender: {
      sendEdited: async (body) => {
        sent.push(Buffer.from(body).toString());
        const next = waiting.shift()!;
        if (next instanceof Error) throw next;
        return next;
      },
    },
    resolve: async () => FOUND_ALPHA,
    // A wait ends at once, and no client waits for a heartbeat.
    every: (ms, callBack) => {
      if (ms < HEARTBEAT_MS) queueMicrotask(callBack);
      else beat = callBack;
      return () => {};
    },
    pause: async () => void pauses.push(sent.length),
    now: () => 0,
    heartbeatAt: HEARTBEAT_MS,
    retryAttempts,
    refusedEdits: new RefusedEdits(),
    onReferencesRefused: () => {},
    onChangeRefused: () => void refused.push('change'),
    hold,
    limitBytes,
    tell: under.tell,
  });
  const storedTurns = () =>
    notes.filter(({ key }) => key.startsWith('turn ')).map(({ value }) => JSON.parse(value) as HiddenTurn);
  return { ...under, end, sent, pauses, refused, beat: () => beat(), view, storedTurns };
}

describe('a search loop', () => {
  test('ends with a response that does not search, and reports what happened', async () => {
    const { end, sent, received, kinds } = loopOver([answering()]);
    expect(await end).toEqual({ kind: 'over', ending: { outcome: 'answered', status: 200 } });
    expect(sent).toHaveLength(1);
    expect(received()).toContain('done');
    // A turn that hides nothing need not be stored before the response ends.
    expect(kinds()).toEqual(['round_ended', 'delivered', 'session_written']);
  });

  test('gives up a stream with unreadable frames, while the client has received nothing', async () => {
    const frames = responseOf(200, 'no frames at all', {
      type: 'application/vnd.amazon.eventstream',
      isWhole: false,
    });
    const { end, received, facts } = loopOver([frames], { isStream: true });
    expect(await end).toEqual({ kind: 'failed', because: 'answer_unreadable' });
    expect(received()).toBe('');
    expect(facts.at(-1)).toMatchObject({ kind: 'round_failed', reason: 'malformed_answer' });
    expect(frames.isLetGo()).toBe(true);
  });

  test('resolves a search and requests another round with the found tools, hidden from the client', async () => {
    const { end, sent, received, kinds, facts } = loopOver([searching(), answering()]);
    expect(await end).toEqual({ kind: 'over', ending: { outcome: 'answered', status: 200 } });
    const tools = sent.map((body) => JSON.parse(body).tools.map(({ name }: { name: string }) => name));
    expect(tools).toEqual([
      ['kept', SEARCH],
      ['kept', SEARCH, 'alpha'],
    ]);
    expect(received()).toContain('done');
    expect(received()).not.toContain(SEARCH);
    expect(kinds()).toEqual([
      'round_ended',
      'searching',
      'searched',
      'loaded',
      'round_ended',
      'session_written',
      'delivered',
    ]);
    expect(facts).toContainEqual({
      kind: 'round_ended',
      round: 2,
      usage: { inputTokens: 10, outputTokens: 2 },
    });
    expect(facts).toContainEqual({
      kind: 'searched',
      searches: FOUND_ALPHA.records,
    });
  });

  test('stores the hidden turn, so that the next request includes it', async () => {
    const { end, storedTurns, exchange } = loopOver([searching(), answering()]);
    await end;
    const hiddenTurns = storedTurns();
    expect(hiddenTurns.map(({ names }) => names)).toEqual([['alpha']]);
    const next = viewOf({
      tools: ['alpha', 'beta', 'kept'],
      more: {
        messages: [
          { role: 'user', content: 'begin' },
          { role: 'user', content: 'hello' },
          { role: 'assistant', content: [say('done')] },
          { role: 'user', content: 'go on' },
        ],
      },
    });
    const request = exchange.format.editing.editRequest(next, plan, { hiddenTurns, rounds: [] });
    expect(Buffer.from(request).toString()).toContain('find alpha');
  });

  test('stores a search made alongside a visible call, with its result', async () => {
    const mixed = turn(
      'msg_1',
      'tool_use',
      call('toolu_s', SEARCH, { query: 'find alpha' }),
      call('toolu_real_1234567', 'beta'),
    );
    const { end, storedTurns, received } = loopOver([responseOf(200, mixed)]);
    await end;
    expect(received()).toContain('toolu_real_1234567');
    expect(received()).not.toContain(SEARCH);
    const hiddenTurns = storedTurns();
    // The history itself shows the calls.
    expect(hiddenTurns.map(({ names }) => names)).toEqual([['alpha']]);
    expect(hiddenTurns[0]!.results).toHaveLength(1);
  });

  test('stores nothing if nothing is hidden', async () => {
    const { end, storedTurns } = loopOver([answering()]);
    await end;
    expect(storedTurns()).toEqual([]);
  });

  describe('that has preloaded tools by a change of tools', () => {
    const planned: Plan = {
      ...plan,
      loadMode: 'native',
      load: ['alpha'],
      preload: { names: ['alpha'], form: 'change' },
    };
    const refusal = () =>
      responseOf(400, { error: { message: "role 'system' is not supported on this model" } });

    test('has a search bring them where the upstream refuses that', async () => {
      const { end, sent, refused, received } = loopOver([refusal(), answering()], { planned });
      expect(await end).toEqual({ kind: 'over', ending: { outcome: 'answered', status: 200 } });
      expect(sent.map((body) => body.includes('tool_addition'))).toEqual([true, false]);
      expect(sent[1]).toContain('{"type":"tool_reference","tool_name":"alpha"}');
      expect(refused).toEqual(['change']);
      expect(received()).toContain('done');
    });

    test('does without them where the model cannot seem to have searched, either', async () => {
      const more = { thinking: { type: 'enabled', budget_tokens: 1_024 } };
      const { end, sent } = loopOver([refusal(), answering()], { planned, more });
      expect(await end).toMatchObject({ kind: 'over' });
      expect(sent[1]).not.toMatch(/tool_addition|tool_reference/);
    });

    test('returns any other refusal, which can still be read', async () => {
      const { end, sent, refused } = loopOver([responseOf(400, { error: 'too long' })], { planned });
      const { kind, response } = (await end) as { kind: string; response: UpstreamResponse };
      expect(kind).toBe('refused');
      const pieces: Buffer[] = [];
      for await (const piece of response.body) pieces.push(piece as Buffer);
      expect(Buffer.concat(pieces).toString()).toContain('too long');
      expect([sent.length, refused]).toEqual([1, []]);
    });
  });

  test('returns the refusal of the first request for reading, and writes nothing', async () => {
    const { end, received } = loopOver([responseOf(400, { error: 'no' })]);
    const refused = await end;
    expect(refused).toMatchObject({ kind: 'refused', because: 'upstream_rejected_edit' });
    const { body, status } = (refused as { response: UpstreamResponse }).response;
    expect([status, String(body.take())]).toEqual([400, '{"error":"no"}']);
    expect(received()).toBe('');
  });

  test('returns the refusal of a later request unread, and writes nothing', async () => {
    const refusal = responseOf(429, { error: 'slow down' });
    const { end, received, facts } = loopOver([searching(), refusal]);
    expect(await end).toEqual({ kind: 'refused', response: refusal, because: 'later_round_failed' });
    expect(refusal.body.end).toBeUndefined();
    expect(received()).toBe('');
    expect(facts).toContainEqual({ kind: 'round_failed', reason: 'refused', cause: '429' });
  });

  test('fails like a request without a response if a later one gets none', async () => {
    const error = Object.assign(new Error('no'), { code: 'ECONNREFUSED' });
    const { end, received, facts } = loopOver([searching(), error]);
    await expect(end).rejects.toBe(error);
    expect(received()).toBe('');
    expect(facts).toContainEqual({
      kind: 'round_failed',
      reason: 'unreachable',
      cause: 'ECONNREFUSED',
    });
  });

  test("returns a failure and writes nothing if a later response is not the model's", async () => {
    const { end, received } = loopOver([searching(), responseOf(200, 'oops')]);
    expect(await end).toEqual({ kind: 'failed', because: 'later_round_failed' });
    expect(received()).toBe('');
  });

  test.each<[string, () => UpstreamResponse | Error]>([
    ['408', () => responseOf(408, '')],
    ['409', () => responseOf(409, '')],
    ['429', () => responseOf(429, '')],
    ['500', () => responseOf(500, '')],
    ['529', () => responseOf(529, '')],
    ['no response', () => Object.assign(new Error('no'), { code: 'ECONNRESET' })],
  ])('retries a later round that failed temporarily: %s', async (_, bad) => {
    const { end, sent, received, facts } = loopOver([searching(), bad(), answering()], {
      retryAttempts: 1,
    });
    expect(await end).toEqual({ kind: 'over', ending: { outcome: 'answered', status: 200 } });
    expect(sent[2]).toBe(sent[1]);
    expect(received()).toContain('done');
    expect(received()).not.toContain(SEARCH);
    // The usage of each response alone, independent of earlier ones.
    expect(facts.findLast(({ kind }) => kind === 'round_ended')).toEqual({
      kind: 'round_ended',
      round: 2,
      usage: { inputTokens: 10, outputTokens: 2 },
    });
  });

  test('stops retrying at its limit, and discards responses that it does not pass on', async () => {
    const first = responseOf(503, 'a', { isWhole: false });
    const last = responseOf(503, 'b');
    const { end, sent } = loopOver([searching(), first, last, answering()], { retryAttempts: 1 });
    expect(await end).toMatchObject({ kind: 'refused', response: last });
    expect(sent).toHaveLength(3);
    expect(first.isLetGo()).toBe(true);
  });

  test.each([
    ['a refused request', responseOf(400, '')],
    ['a delay that is too long for the client', responseOf(429, '', { headers: ['retry-after', '60'] })],
  ])('does not retry after %s', async (_, refusal) => {
    const { end, sent } = loopOver([searching(), refusal, answering()], { retryAttempts: 2 });
    expect(await end).toMatchObject({ kind: 'refused', response: refusal });
    expect(sent).toHaveLength(2);
  });

  test('never repeats the first request, which only the client may repeat', async () => {
    const { end, sent } = loopOver([responseOf(500, ''), answering()], { retryAttempts: 2 });
    expect(await end).toMatchObject({ kind: 'refused' });
    expect(sent).toHaveLength(1);
  });

  test('gives other work a turn after every 500 of a flood of small events', async () => {
    const events = 'data: {}\n\n'.repeat(4_000);
    const { end, pauses } = loopOver([responseOf(200, events, { type: 'text/event-stream' })], {
      isStream: true,
      limitBytes: 1_000_000,
    });
    await end;
    expect(pauses).toHaveLength(7);
  });

  test('ends a response that it cannot read with an error if a heartbeat has sent the head', async () => {
    const type = 'text/event-stream';
    const response = responseOf(200, 'data:\n'.repeat(120_000), { type, isWhole: false });
    const { end, beat, received } = loopOver([response], { isStream: true, limitBytes: 1_000_000 });
    await new Promise((resolve) => setImmediate(resolve));
    beat();
    (response.body as UpstreamBody).finish();
    expect(await end).toEqual({ kind: 'over', ending: { outcome: 'failed', status: 200 } });
    expect(received()).toContain('event: error');
    expect(received()).not.toContain('data:\ndata:\n');
  });

  test('needs no turn for an ordinary response', async () => {
    const { end, pauses } = loopOver([searching(), answering()]);
    await end;
    expect(pauses).toEqual([]);
  });

  test('gives up a response with more searches than are answered', async () => {
    const searchesOf = (count: number) =>
      responseOf(
        200,
        turn(
          'msg_1',
          'tool_use',
          ...Array.from({ length: count }, (_, at) => call(`t${at}`, SEARCH, { query: 'x' })),
        ),
      );
    const most = loopOver([searchesOf(1_000), answering()], { limitBytes: 1_000_000 });
    expect(await most.end).toMatchObject({ kind: 'over', ending: { outcome: 'answered' } });
    const { end, received, facts } = loopOver([searchesOf(1_001)], { limitBytes: 1_000_000 });
    expect(await end).toEqual({ kind: 'failed', because: 'answer_unreadable' });
    expect(received()).toBe('');
    expect(facts.at(-1)).toMatchObject({ kind: 'round_failed', reason: 'held_too_much' });
  });

  test.each(['application/vnd.amazon.eventstream', 'text/event-stream'])(
    'fails like a request without a response if its stream breaks off before the first event: %s',
    async (type) => {
      const { end, received, facts } = loopOver([responseOf(200, '', { type })], { isStream: true });
      await expect(end).rejects.toMatchObject({ code: 'upstream_unreachable' });
      expect(received()).toBe('');
      expect(facts.at(-1)).toMatchObject({ kind: 'round_failed', reason: 'truncated' });
    },
  );

  test('reports that a first response was unreadable', async () => {
    const { end, received } = loopOver([responseOf(200, 'oops')]);
    expect(await end).toEqual({ kind: 'failed', because: 'answer_unreadable' });
    expect(received()).toBe('');
  });

  test("ends a stream as the upstream's ended if the client has received a part", async () => {
    const events = [
      ['message_start', { message: { ...turn('msg_1', '', say('')), content: [], stop_reason: null } }],
      ['content_block_start', { index: 0, content_block: say('') }],
      ['content_block_delta', { index: 0, delta: { type: 'text_delta', text: 'let me see' } }],
    ] as const;
    const stream = events
      .map(([type, data]) => `event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`)
      .join('');
    const { end, received } = loopOver([responseOf(200, stream, { type: 'text/event-stream' })], {
      isStream: true,
    });
    expect(await end).toEqual({ kind: 'over', ending: { outcome: 'failed', status: 200 } });
    expect(received()).toContain('let me see');
    expect(received()).not.toContain('event: error');
  });

  test("ends a stream with the upstream's error, without the search tool's name", async () => {
    const events = [
      ['message_start', { message: { ...turn('msg_1', '', say('')), content: [], stop_reason: null } }],
      ['content_block_start', { index: 0, content_block: say('') }],
      ['content_block_delta', { index: 0, delta: { type: 'text_delta', text: 'let me see' } }],
      ['content_block_stop', { index: 0 }],
      ['content_block_start', { index: 1, content_block: call('toolu_s', SEARCH) }],
      ['content_block_stop', { index: 1 }],
      ['message_delta', { delta: { stop_reason: 'tool_use' }, usage: { output_tokens: 2 } }],
      ['message_stop', {}],
    ] as const;
    const stream = events
      .map(([type, data]) => `event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`)
      .join('');
    const refusal = {
      type: 'error',
      error: { type: 'invalid_request_error', message: `no tool ${SEARCH}!` },
    };
    const { end, received } = loopOver(
      [responseOf(200, stream, { type: 'text/event-stream' }), responseOf(400, refusal)],
      { isStream: true },
    );
    expect(await end).toMatchObject({ kind: 'over', ending: { outcome: 'failed' } });
    expect(received()).toContain('The upstream answered with status 400.');
    expect(received()).not.toContain(SEARCH);
  });

  test('rejects if the first request gets no response', async () => {
    const failure = new Error('connection refused');
    await expect(loopOver([failure]).end).rejects.toBe(failure);
  });

  test('sends nothing more after the client has left', async () => {
    const { end, sent, signal } = loopOver([searching(), answering()]);
    signal.abort();
    await expect(end).rejects.toThrow('the client disconnected');
    expect(sent).toHaveLength(1);
  });
});
