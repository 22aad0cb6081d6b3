import { describe, expect, test } from 'vitest';
import { sse } from '../../src/framing/sse.ts';
import { openaiChat } from '../../src/openai-chat/openai-chat.ts';
import { SEARCH } from '../format-fixtures.ts';
import { encodeAll } from '../frames.ts';
import { planOf, runExchange, viewOf } from '../run-exchange.ts';
import { callDeltas, calls, chunk, chunksOf, search, stop, streamChunks } from './chat-exchange.ts';

const role = chunk({ role: 'assistant', content: '' });
const entry = (id: string | undefined, name: string, given: unknown, index?: number) => ({
  ...(index !== undefined && { index }),
  ...(id !== undefined && { id }),
  type: 'function',
  function: { name, arguments: given },
});

function turnOf(run: ReturnType<typeof streamChunks>) {
  const end = run.ends.at(-1)!;
  if (end.kind === 'failed') throw new Error(end.reason);
  return end.turn;
}

describe('calls of compatible servers', () => {
  test('numbers calls again that are all numbered 0', () => {
    const run = streamChunks([
      [role, calls(entry('a', 'one', '{}', 0)), calls(entry('b', 'two', '{}', 0)), stop()],
    ]);
    expect(callDeltas(run)).toMatchObject([
      { index: 0, id: 'a', function: { name: 'one' } },
      { index: 1, id: 'b', function: { name: 'two' } },
    ]);
  });

  test('numbers calls that are not numbered', () => {
    const run = streamChunks([[role, calls(entry('a', 'one', '{}'), entry('b', 'two', '{}')), stop()]]);
    expect(callDeltas(run)).toMatchObject([
      { index: 0, id: 'a' },
      { index: 1, id: 'b' },
    ]);
  });

  test('closes a gap in the numbers', () => {
    const run = streamChunks([
      [role, calls(entry('a', 'one', '{}', 1)), calls(entry('b', 'two', '{}', 3)), stop()],
    ]);
    expect(callDeltas(run)).toMatchObject([{ index: 0 }, { index: 1 }]);
  });

  test('tells calls apart that are all numbered 0 and come in pieces', () => {
    const run = streamChunks([
      [
        calls(entry('a', 'one', '{"x"', 0)),
        calls({ index: 0, function: { arguments: ':1}' } }),
        calls(entry('b', SEARCH, '{"query"', 0)),
        calls({ index: 0, function: { arguments: ':"y"}' } }),
        calls(entry('c', 'one', '{', 0)),
        calls({ index: 0, function: { arguments: '}' } }),
        stop(),
      ],
    ]);
    expect(callDeltas(run)).toMatchObject([
      { index: 0, id: 'a', function: { arguments: '{"x"' } },
      { index: 0, function: { arguments: ':1}' } },
      { index: 1, id: 'c', function: { arguments: '{' } },
      { index: 1, function: { arguments: '}' } },
    ]);
    expect(turnOf(run).searches).toEqual([{ id: 'b', name: SEARCH, queries: ['y'] }]);
  });

  test('begins another call at another name, even when the one before was left half', () => {
    const run = streamChunks([
      [calls(entry('a', 'one', '{"x"', 0)), calls(entry(undefined, 'two', '{}', 0)), stop()],
    ]);
    expect(callDeltas(run)).toMatchObject([
      { index: 0, id: 'a', function: { name: 'one' } },
      { index: 1, function: { name: 'two' } },
    ]);
  });

  test('tells two calls of one tool apart that have neither id nor number', () => {
    const run = streamChunks([
      [calls(entry(undefined, 'one', '{}')), calls(entry(undefined, 'one', '{}')), stop()],
    ]);
    expect(callDeltas(run)).toMatchObject([{ index: 0 }, { index: 1 }]);
    expect(new Set(turnOf(run).realCalls.map(({ id }) => id)).size).toBe(2);
  });

  test('follows calls whose pieces alternate', () => {
    const run = streamChunks([
      [
        calls(entry('a', 'one', '', 0), entry('b', SEARCH, '', 1), entry('c', 'two', '', 2)),
        calls({ index: 2, function: { arguments: '{"c":' } }),
        calls({ index: 1, function: { arguments: '{"query":"q"' } }),
        calls({ index: 0, function: { arguments: '{}' } }),
        calls({ index: 1, function: { arguments: '}' } }, { index: 2, function: { arguments: '1}' } }),
        stop(),
      ],
    ]);
    expect(callDeltas(run)).toEqual([
      { index: 0, id: 'a', type: 'function', function: { name: 'one', arguments: '' } },
      { index: 1, id: 'c', type: 'function', function: { name: 'two', arguments: '' } },
      { index: 1, function: { arguments: '{"c":' } },
      { index: 0, function: { arguments: '{}' } },
      { index: 1, function: { arguments: '1}' } },
    ]);
    expect(turnOf(run).searches).toMatchObject([{ queries: ['q'] }]);
  });

  test('follows calls whose numbers are texts', () => {
    const part = (index: string, given: string) => ({ index, function: { arguments: given } });
    const run = streamChunks([
      [
        calls({ ...entry('a', SEARCH, ''), index: '0' }, { ...entry('b', 'one', ''), index: '1' }),
        calls(part('0', '{"query":'), part('1', '{"x":')),
        calls(part('0', '"q"}'), part('1', '2}')),
        stop(),
      ],
    ]);
    expect(callDeltas(run)).toMatchObject([
      { index: 0, id: 'b', function: { name: 'one' } },
      { index: 0, function: { arguments: '{"x":' } },
      { index: 0, function: { arguments: '2}' } },
    ]);
    expect(turnOf(run).searches).toMatchObject([{ id: 'a', queries: ['q'] }]);
  });

  test('tells whole calls apart that have one id', () => {
    const run = streamChunks([
      [calls(entry('a', SEARCH, '{"query":"q"}'), entry('a', 'one', '{"x":1}')), stop()],
    ]);
    expect(callDeltas(run)).toMatchObject([{ index: 0, function: { name: 'one', arguments: '{"x":1}' } }]);
    expect(turnOf(run).searches).toMatchObject([{ queries: ['q'] }]);
  });

  test('keeps a call whole whose name and id are in each of its pieces', () => {
    const run = streamChunks([
      [
        calls(entry('a', SEARCH, '{"query":')),
        calls(entry('a', SEARCH, '"q"}')),
        calls(entry('a', SEARCH, '')),
      ],
    ]);
    expect(turnOf(run).searches).toMatchObject([{ id: 'a', queries: ['q'] }]);
  });

  test('hides a search in a stream of one whole response', () => {
    const message = {
      role: 'assistant',
      content: 'Hi.',
      tool_calls: [entry('a', SEARCH, '{"query":"q"}'), entry('b', 'one', '{}')],
    };
    const whole = {
      id: 'c',
      object: 'chat.completion',
      choices: [{ index: 0, message, finish_reason: 'stop' }],
    };
    const run = streamChunks([[whole]]);
    expect(callDeltas(run)).toMatchObject([{ index: 0, id: 'b', function: { name: 'one' } }]);
    expect(run.text).not.toContain(SEARCH);
    expect(turnOf(run).searches).toMatchObject([{ id: 'a', queries: ['q'] }]);
  });

  test('makes up a missing id, the same for the client, the history and the next time', () => {
    const round = [
      role,
      calls(entry(undefined, 'one', '{}', 0)),
      calls(entry(undefined, SEARCH, '{}', 1)),
      stop(),
    ];
    const run = streamChunks([round]);
    const [call] = callDeltas(run) as { id: string }[];
    expect(call!.id).toMatch(/^call_[0-9a-f]{24}$/);
    expect(turnOf(run).realCalls).toEqual([{ id: call!.id, name: 'one' }]);
    const [written] = JSON.parse(turnOf(run).message).tool_calls;
    expect(written.id).toBe(call!.id);
    expect(streamChunks([round]).text).toBe(run.text);
    expect(turnOf(run).searches[0]!.id).not.toBe(call!.id);
  });

  test('gives a call one id when the server changes it between pieces', () => {
    const run = streamChunks([
      [
        calls(entry('a', 'one', '{', 0)),
        calls({ index: 0, id: 'other', function: { arguments: '}' } }),
        stop(),
      ],
    ]);
    expect(callDeltas(run)).toMatchObject([{ id: 'a' }, { id: 'a' }]);
    expect(turnOf(run).realCalls).toEqual([{ id: 'a', name: 'one' }]);
  });

  test('knows a call by its id and name being repeated in every piece', () => {
    const run = streamChunks([
      [calls(entry('a', SEARCH, '{"que', 0)), calls(entry('a', SEARCH, 'ry":"q"}', 0)), stop()],
    ]);
    expect(turnOf(run).searches).toEqual([{ id: 'a', name: SEARCH, queries: ['q'] }]);
  });

  test('takes arguments that are an object', () => {
    const run = streamChunks([
      [calls(entry('a', SEARCH, { query: 'q' }, 0), entry('b', 'one', { x: 1 }, 1)), stop()],
    ]);
    expect(turnOf(run).searches).toMatchObject([{ queries: ['q'] }]);
    expect(callDeltas(run)).toEqual([entry('b', 'one', { x: 1 }, 0)]);
    // Providers take them back as text only.
    expect(
      JSON.parse(turnOf(run).message).tool_calls.map((call: { function: object }) => call.function),
    ).toEqual([
      { name: SEARCH, arguments: '{"query":"q"}' },
      { name: 'one', arguments: '{"x":1}' },
    ]);
  });

  test('takes a whole call in the chunk that also stops', () => {
    const ending = (name: string) =>
      chunk({ tool_calls: [entry('a', name, '{"query":"q"}', 0)] }, 'tool_calls');
    const searching = streamChunks([
      [role, ending(SEARCH)],
      [role, chunk({ content: 'Hi.' }, 'stop')],
    ]);
    expect(searching.ends[0]).toMatchObject({ kind: 'searching', turn: { searches: [{ queries: ['q'] }] } });
    expect(chunksOf(searching)).toEqual([role, chunk({ content: 'Hi.' }), stop('stop')]);
    const calling = streamChunks([[role, ending('one')]]);
    expect(chunksOf(calling)).toEqual([role, ending('one')]);
  });

  test('decides by the calls, whatever the stop reason says', () => {
    expect(streamChunks([[role, search(), stop('stop')]]).ends).toMatchObject([{ kind: 'searching' }]);
    expect(streamChunks([[role, search()]]).ends).toMatchObject([{ kind: 'searching' }]);
  });
});

// As llama-cpp-python does.
describe('calls that are repeated as `function_call`', () => {
  const called = { name: SEARCH, arguments: '{"query":"x"}' };
  const searching = { id: 'call_s', type: 'function', function: called };
  const real = { id: 'call_r', type: 'function', function: { name: 'one', arguments: '{}' } };

  test('show no search in a stream, nor keep it in the history', () => {
    const delta = { function_call: called, tool_calls: [{ index: 0, ...searching }] };
    const run = streamChunks([[role, chunk(delta), stop()]]);
    expect(run.text).not.toContain(SEARCH);
    expect(turnOf(run).message).not.toContain('function_call');
  });

  test('show no search in a whole response', () => {
    const view = viewOf(openaiChat, '{"model":"m","messages":[],"tools":[]}');
    const wholeOf = (...calls: object[]) => {
      const message = { role: 'assistant', content: null, function_call: called, tool_calls: calls };
      const choices = [{ index: 0, message, finish_reason: 'tool_calls' }];
      return { stream: '', whole: JSON.stringify({ id: 'chatcmpl-1', choices }) };
    };
    expect(runExchange(openaiChat, view, [wholeOf(searching, real)]).text).not.toContain(SEARCH);
    const last = wholeOf(real).whole.replace(SEARCH, 'one');
    const joined = runExchange(openaiChat, view, [wholeOf(searching), { stream: '', whole: last }]);
    expect(joined.rounds[0]!.turn.message).not.toContain('function_call');
    // A call of the client's own tool is repeated for the client, too.
    expect(JSON.parse(joined.text)).toEqual(JSON.parse(last));
  });
});

describe('names in pieces', () => {
  const pieces = (...names: string[]) =>
    names.map((name, index) =>
      calls({
        index: 0,
        ...(index === 0 && { id: 'a', type: 'function' }),
        function: { name, arguments: '' },
      }),
    );
  const given = calls({ index: 0, function: { arguments: '{"query":"q"}' } });

  test('swallows the search tool’s', () => {
    const run = streamChunks([[role, ...pieces('gateway', '_search', '_tools'), given, stop()]]);
    expect(turnOf(run).searches).toEqual([{ id: 'a', name: SEARCH, queries: ['q'] }]);
    expect(callDeltas(run)).toEqual([]);
  });

  test('swallows the search tool’s after a prefix or in another spelling', () => {
    for (const names of [
      ['func', 'tions', '.gateway_search', '_tools'],
      ['Gateway', 'Search', 'Tools'],
      ['gateway_search_tools', '<|channel|>', 'json'],
    ]) {
      const run = streamChunks([[role, ...pieces(...names), given, stop()]]);
      expect(turnOf(run).searches, names.join('')).toEqual([{ id: 'a', name: SEARCH, queries: ['q'] }]);
      expect(turnOf(run).message).toContain(`"name":"${SEARCH}"`);
      expect(callDeltas(run)).toEqual([]);
    }
  });

  test('gets its id once, as some clients join the ids of all pieces', () => {
    const pieces = [
      { index: 0, id: 'a', type: 'function', function: { name: 'wea' } },
      { index: 0, function: { name: 'ther_' } },
      { index: 0, function: { name: 'get', arguments: '' } },
      { index: 0, function: { arguments: '{}' } },
    ];
    expect(callDeltas(streamChunks([[...pieces.map((piece) => calls(piece)), stop()]]))).toEqual(pieces);
  });

  test('gets an id that was made up once', () => {
    const pieces = [{ function: { name: 'wea' } }, { function: { name: 'ther_get' } }];
    const sent = callDeltas(streamChunks([[...pieces.map((piece) => calls(piece)), stop()]]));
    expect(sent.map((piece) => 'id' in (piece as object))).toEqual([true, false]);
  });

  test('lets go of another that begins alike as soon as it differs', () => {
    const run = streamChunks([[role, ...pieces('gateway', '_sea', 'l_it'), given, stop()]]);
    expect(callDeltas(run)).toEqual([
      { index: 0, id: 'a', type: 'function', function: { name: 'gateway_seal_it', arguments: '' } },
      { index: 0, function: { arguments: '{"query":"q"}' } },
    ]);
  });

  test('does not take a longer name for the search tool’s', () => {
    const run = streamChunks([[role, ...pieces(SEARCH, '_again'), given, stop()]]);
    expect(turnOf(run).realCalls).toEqual([{ id: 'a', name: `${SEARCH}_again` }]);
    expect(turnOf(run).searches).toEqual([]);
  });

  test('lets go of a shorter name when its arguments begin, and when the answer ends', () => {
    expect(turnOf(streamChunks([[role, ...pieces('gateway'), given, stop()]])).realCalls).toMatchObject([
      { name: 'gateway' },
    ]);
    const ended = streamChunks([[role, ...pieces('gateway'), stop()]]);
    expect(callDeltas(ended)).toMatchObject([{ index: 0, id: 'a', function: { name: 'gateway' } }]);
    const unstopped = streamChunks([[role, ...pieces('gateway')]]);
    expect(callDeltas(unstopped)).toMatchObject([{ index: 0, id: 'a', function: { name: 'gateway' } }]);
  });

  test('lets go of a shorter name when another call begins, in order', () => {
    const other = calls(entry('b', 'one', '{}', 1));
    expect(callDeltas(streamChunks([[role, ...pieces('gateway'), other, stop()]]))).toMatchObject([
      { index: 0, id: 'a', function: { name: 'gateway' } },
      { index: 1, id: 'b', function: { name: 'one' } },
    ]);
  });

  test('takes a search without arguments for an empty query', () => {
    const run = streamChunks([[role, ...pieces(SEARCH), stop()]]);
    expect(run.ends).toMatchObject([{ kind: 'searching', turn: { searches: [{ queries: [] }] } }]);
  });
});

describe('whole answers of compatible servers', () => {
  const whole = (message: object, finish = 'stop') =>
    JSON.stringify({ id: 'c', choices: [{ index: 0, message, finish_reason: finish }] });
  const run = (...answers: string[]) => {
    const view = viewOf(openaiChat, '{"model":"m","messages":[],"tools":[]}');
    const responses = answers.map((text) => ({ stream: '', whole: text }));
    return runExchange(openaiChat, view, responses, planOf(['one']));
  };

  test('takes calls without ids, whose arguments are objects', () => {
    const { tool_calls, ...message } = {
      role: 'assistant',
      content: null,
      tool_calls: [entry(undefined, SEARCH, { query: 'q' }), entry(undefined, 'one', { x: 1 })],
    };
    const { text, ends } = run(whole({ ...message, tool_calls }));
    expect(ends).toMatchObject([{ turn: { searches: [{ queries: ['q'] }], realCalls: [{ name: 'one' }] } }]);
    expect(JSON.parse(text).choices[0].message.tool_calls).toMatchObject([{ function: { name: 'one' } }]);
  });

  test('goes back to the upstream unchanged', () => {
    const message = JSON.stringify({ role: 'assistant', tool_calls: [entry('a', SEARCH, '{}')] }, null, 1);
    const odd = message.replace('"role"', '"confidence": 1.0, "role"');
    const answer = `{"choices":[{"message":${odd},"finish_reason":"tool_calls"}]}`;
    expect(run(answer).ends).toMatchObject([{ kind: 'searching', turn: { message: odd } }]);
  });

  test('has no empty list of calls', () => {
    const message = { role: 'assistant', content: 'Hm.', tool_calls: [entry('a', SEARCH, '{}')] };
    const { text } = run(whole(message), whole({ role: 'assistant', content: ' Hi.' }));
    expect(JSON.parse(text).choices[0].message).toEqual({ role: 'assistant', content: 'Hm. Hi.' });
  });

  test.each(['<html>Busy</html>', '{"error":{"message":"Busy"}}', '{"choices":[]}', ''])(
    'passes on what is no answer: %s',
    (body) => {
      expect(run(body)).toMatchObject({ text: body, ends: [{ kind: 'finished' }] });
    },
  );

  test('fails when a later round’s answer is none', () => {
    const message = { role: 'assistant', content: null, tool_calls: [entry('a', SEARCH, '{}')] };
    const { ends, text } = run(whole(message), '<html>Busy</html>');
    expect(ends[1]).toMatchObject({ kind: 'failed', reason: 'malformed_answer' });
    expect(JSON.parse(text).error.type).toBe('server_error');
  });

  test('adds a whole answer to a stream that has begun', () => {
    const view = viewOf(openaiChat, '{"model":"m","stream":true,"messages":[],"tools":[]}');
    const joiner = openaiChat.joining.joinResponses(view, planOf(['one']));
    const event = (data: object) => ({ kind: 'event', data: JSON.stringify(data) }) as const;
    const first = [role, search(), stop()].flatMap((each) => joiner.feed(event(each)));
    expect(joiner.endRound().kind).toBe('searching');
    const answer = whole(
      { role: 'assistant', content: 'Hi.', tool_calls: [entry('b', 'one', '{}')] },
      'tool_calls',
    );
    const second = joiner.feed({ kind: 'whole', text: answer });
    expect(joiner.endRound()).toMatchObject({ kind: 'finished', turn: { realCalls: [{ id: 'b' }] } });
    const text = encodeAll(sse, [...first, ...second, ...joiner.finish()]);
    expect(callDeltas({ text } as never)).toMatchObject([{ index: 0, id: 'b' }]);
    expect(text).not.toContain(SEARCH);
  });
});
