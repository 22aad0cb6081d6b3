import { describe, expect, test } from 'vitest';
import { gemini } from '../../src/gemini/gemini.ts';
import { BodyBytes, framingFor, type HiddenTurn, type RequestView } from '../../src/index.ts';
import { SEARCH } from '../format-fixtures.ts';
import { planOf } from '../run-exchange.ts';
import { chunk, PATH, REQUEST, STOP, STREAM_PATH, search, stop, streamChunks, view } from './exchange.ts';
import type { Json } from './read-generation.ts';

const PLAN = planOf(['weather_get', 'mail_send']);
const USER = REQUEST.contents[0]!;
const CALL = { functionCall: { name: 'weather_get', args: { city: 'Zürich' } } };
const MAIL = { functionCall: { name: 'mail_send', args: {} } };
const model = (...parts: object[]) => ({ role: 'model', parts });
const results = (...names: string[]) => ({
  role: 'user',
  parts: names.map((name) => ({ functionResponse: { name, response: { output: 'Done.' } } })),
});
const DUMMY = 'skip_thought_signature_validator';

function edited(request: RequestView, hiddenTurns: readonly HiddenTurn[] = [], plan = PLAN): Json {
  const bytes = gemini.editing.editRequest(request, plan, { hiddenTurns, rounds: [] });
  return JSON.parse(new TextDecoder().decode(bytes)) as Json;
}

const contentsOf = (...args: Parameters<typeof edited>) => edited(...args).contents as { parts: Json[] }[];

describe('reading', () => {
  test.each([
    ['gemini-3-pro-preview', STREAM_PATH],
    ['tuned/1', '/v1beta/tunedModels/tuned%2F1:generateContent'],
    [
      'gemini-2.5-flash',
      '/v1/projects/p/locations/l/publishers/google/models/gemini-2.5-flash:generateContent',
    ],
    ['%zz', '/v1beta/models/%zz:generateContent'],
  ])('takes the model from the path: %s', (name, path) => {
    expect(view({}, path)).toMatchObject({ model: name, isStream: path === STREAM_PATH });
  });

  test('knows a JSON array by the request, as it has the type of a whole response', () => {
    const framing = (path: string, type: string) => framingFor(gemini, view({}, path), type).name;
    expect(framing(STREAM_PATH, 'application/json; charset=UTF-8')).toBe('json-array');
    expect(framing(STREAM_PATH, 'text/event-stream')).toBe('sse');
    expect(framing(PATH, 'application/json')).toBe('json');
  });

  test('takes keys in camel case and in snake case', () => {
    const snake = view({
      system_instruction: { parts: [{ text: 'Be kind.' }] },
      tools: [
        { function_declarations: [{ name: 'a' }] },
        { google_search: {}, functionDeclarations: [{ name: 'b' }] },
      ],
      tool_config: { function_calling_config: { mode: 'any', allowed_function_names: ['b'] } },
      contents: [
        USER,
        model({ function_call: { name: 'a', args: {} } }),
        { parts: [{ function_response: { name: 'a', response: {} } }] },
      ],
    });
    expect(snake.systemTexts).toEqual(['Be kind.']);
    expect(snake.tools.map(({ name }) => name)).toEqual(['a', 'b']);
    expect(snake.toolChoice).toEqual({ mode: 'required', names: ['b'] });
    expect([[...snake.calledNames], snake.resultNames]).toEqual([['a'], ['a']]);
  });

  test.each([
    ['AUTO', 'auto'],
    ['VALIDATED', 'auto'],
    ['NONE', 'none'],
    ['ANY', 'required'],
    [undefined, 'auto'],
  ])('reads the mode of calling: %s', (mode, expected) => {
    const toolConfig = { functionCallingConfig: { mode, allowedFunctionNames: ['weather_get'] } };
    expect(view({ toolConfig }).toolChoice).toEqual({ mode: expected, names: ['weather_get'] });
  });

  test('takes adjacent contents of the model as one turn, and identifies calls without ids by name and order', () => {
    const { turns } = view({
      contents: [USER, model({ text: 'I ' }), model(CALL), model(MAIL), results('weather_get', 'mail_send')],
    });
    expect(turns).toEqual([{ position: 1, callIds: ['weather_get#0', 'mail_send#1'] }]);
  });

  test.each([
    ['cached_content', { cachedContent: 'cachedContents/1' }],
    ['several_choices', { generation_config: { candidate_count: 2 } }],
    ['name_collision', { tools: [{ functionDeclarations: [{ name: SEARCH }] }] }],
    ['assistant_prefill', { contents: [USER, model({ text: 'I' })] }],
    ['no_function_tools', { tools: [{ googleSearch: {} }] }],
    ['no_function_tools', { tools: { functionDeclarations: [{ name: 'a' }] } }],
    ['no_function_tools', { tools: [{ functionDeclarations: [{ name: 'a', behavior: 'NON_BLOCKING' }] }] }],
    [undefined, {}],
  ])('leaves a request alone: %s', (bypass, more) => {
    expect(view(more).bypass).toBe(bypass);
  });

  test('does not use results as the query', () => {
    expect(view({ contents: [USER, model(CALL), results('weather_get')] })).toMatchObject({
      query: 'Hello.',
      firstUserText: 'Hello.',
    });
  });
});

describe('counting tokens', () => {
  const read = (body: object) =>
    gemini.reading.readRequest(new BodyBytes([Buffer.from(JSON.stringify(body))]), {
      purpose: 'count_tokens',
      searchToolName: SEARCH,
      path: '/v1beta/models/m:countTokens',
      query: '',
    });

  test.each([
    ['as it is', REQUEST, (body: Json) => body],
    [
      'within a body of its own',
      { generateContentRequest: { model: 'models/m', ...REQUEST } },
      (body: Json) => body.generateContentRequest as Json,
    ],
  ])('is done for a request %s', (_, body, inner) => {
    const reading = read(body);
    if (!reading.ok) throw new Error(reading.reason);
    const [container] = inner(edited(reading.view)).tools as { functionDeclarations: { name: string }[] }[];
    expect(container!.functionDeclarations.map(({ name }) => name)).toEqual([SEARCH]);
  });

  test('finds long tools again within such a body', () => {
    const description = 'x'.repeat(5_000);
    const body = {
      generateContentRequest: {
        ...REQUEST,
        tools: [{ functionDeclarations: [{ name: 'weather_get', description }] }],
      },
    };
    const both = [read(body), read(body)].map((reading) =>
      reading.ok ? edited(reading.view) : reading.reason,
    );
    expect(both[1]).toEqual(both[0]);
    expect(JSON.stringify(both[1])).not.toContain(description);
  });

  test('does nothing for a request with only contents', () => {
    expect(read({ contents: REQUEST.contents })).toMatchObject({
      ok: true,
      view: { bypass: 'no_function_tools' },
    });
    expect(read({ generateContentRequest: 7 })).toEqual({ ok: false, reason: 'unknown_shape' });
  });
});

describe('the tools of a request', () => {
  test('keep their containers as far as something is left in them', () => {
    const tools = [
      { functionDeclarations: [{ name: 'weather_get' }] },
      { googleSearch: {}, functionDeclarations: [{ name: 'clock' }, { name: 'mail_send' }] },
      { functionDeclarations: [{ name: 'mail_send' }], urlContext: {} },
      { codeExecution: {} },
    ];
    const names = edited(view({ tools }), [], planOf(['weather_get', 'mail_send'], ['weather_get'])).tools;
    expect(names).toMatchObject([
      { googleSearch: {}, functionDeclarations: [{ name: 'clock' }] },
      { functionDeclarations: [{ name: SEARCH }, { name: 'weather_get' }], urlContext: {} },
      { codeExecution: {} },
    ]);
  });

  test('keep a container without functions if it holds anything else', () => {
    const tools = [
      { googleSearch: {}, functionDeclarations: [{ name: 'weather_get' }] },
      { functionDeclarations: [{ name: 'clock' }] },
    ];
    expect(edited(view({ tools })).tools).toMatchObject([
      { googleSearch: {} },
      { functionDeclarations: [{ name: 'clock' }, { name: SEARCH }] },
    ]);
    expect((edited(view({ tools })).tools as object[])[0]).not.toHaveProperty('functionDeclarations');
  });

  test.each([
    ['parametersJsonSchema', { type: 'object', additionalProperties: false }],
    ['parameters_json_schema', { type: 'object', additionalProperties: false }],
    ['parameters', { type: 'OBJECT', properties: { queries: { type: 'ARRAY', items: { type: 'STRING' } } } }],
  ])('describe the search under the key that the client uses: %s', (key, expected) => {
    const tools = [
      { functionDeclarations: [{ name: 'weather_get' }, { name: 'a', [key]: { type: 'object' } }] },
    ];
    const [container] = edited(view({ tools })).tools as { functionDeclarations: Json[] }[];
    const declaration = container!.functionDeclarations.at(-1)!;
    expect(declaration[key]).toMatchObject(expected);
    expect(Object.keys(declaration)).toEqual(['name', 'description', key]);
    if (key === 'parameters') expect(JSON.stringify(declaration)).not.toContain('additionalProperties');
  });
});

/** The hidden turn of an exchange with a search next to a call, and the client's copy. */
const BESIDE = streamChunks([[chunk([search('mail', { thoughtSignature: 'signed' }), CALL]), stop()]]);
const AFTER = streamChunks([
  [chunk([{ text: 'I look. ' }]), chunk([search('weather', { thoughtSignature: 'first' })]), stop()],
  [chunk([{ ...CALL, thoughtSignature: 'second' }]), stop({ responseId: 'r2' })],
]);
const hiddenOf = (run: typeof BESIDE) => gemini.remembering.hideTurn(view(), run.rounds)!;

describe('hidden turns', () => {
  test('come back around the pieces that a client keeps as contents of their own', () => {
    const contents = [
      USER,
      model({ text: 'I look. ' }),
      model({ ...CALL, thoughtSignature: 'second' }),
      model({ text: '' }),
      results('weather_get'),
    ];
    const sent = contentsOf(view({ contents }), [hiddenOf(AFTER)]);
    expect(sent.map(({ parts }) => Object.keys(parts[0]!)[0])).toEqual([
      'text',
      'text',
      'functionResponse',
      'functionCall',
      'functionResponse',
    ]);
    expect(sent[1]!.parts).toEqual([{ text: 'I look. ' }, search('weather', { thoughtSignature: 'first' })]);
    expect(sent[3]!.parts).toEqual([{ ...CALL, thoughtSignature: 'second' }]);
  });

  test('come back without the signatures and thoughts that a client has dropped', () => {
    const contents = [USER, model({ text: 'I look.' }, CALL), results('weather_get')];
    expect(contentsOf(view({ contents }), [hiddenOf(AFTER)])).toHaveLength(5);
  });

  test('put the result of a search next to a call in the order of the calls', () => {
    const contents = [USER, model(CALL), results('weather_get')];
    const sent = contentsOf(view({ contents }), [hiddenOf(BESIDE)]);
    expect(sent[1]!.parts).toEqual([search('mail', { thoughtSignature: 'signed' }), CALL]);
    expect(sent[2]!.parts).toMatchObject([
      { functionResponse: { name: SEARCH } },
      { functionResponse: { name: 'weather_get' } },
    ]);
    expect(sent[2]!.parts[0]!.functionResponse).not.toHaveProperty('id');
  });

  test.each([[results('weather_get', 'mail_send')], [results('weather_get'), results('mail_send')]])(
    'put it among results in one content or in several',
    (...answered) => {
      const run = streamChunks([[chunk([CALL, search('x'), MAIL]), stop()]]);
      const contents = [USER, model(CALL, MAIL), ...answered];
      const sent = contentsOf(view({ contents }), [hiddenOf(run)]);
      const names = sent
        .slice(2)
        .flatMap(({ parts }) => parts.map((part) => (part.functionResponse as Json).name));
      expect(names).toEqual(['weather_get', SEARCH, 'mail_send']);
    },
  );

  test('keep the ids that the client has given to calls without one', () => {
    const called = { functionCall: { ...CALL.functionCall, id: 'own-1' } };
    const contents = [USER, model(called), results('weather_get')];
    const sent = contentsOf(view({ contents }), [hiddenOf(BESIDE)]);
    expect(sent[1]!.parts).toEqual([search('mail', { thoughtSignature: 'signed' }), called]);
  });

  test('leave a turn alone whose results are not there', () => {
    const contents = [USER, model(CALL), { role: 'user', parts: [{ text: 'Never mind.' }] }];
    expect(contentsOf(view({ contents }), [hiddenOf(BESIDE)])[1]!.parts).toEqual([CALL]);
  });

  test('leave a turn alone whose arguments the client has changed', () => {
    const changed = { functionCall: { name: 'weather_get', args: { city: 'Bern' } } };
    const contents = [
      USER,
      model({ text: 'I look. ' }, { ...changed, thoughtSignature: 'second' }),
      results('weather_get'),
    ];
    expect(contentsOf(view({ contents }), [hiddenOf(AFTER)])).toHaveLength(3);
  });
});

describe('a signature that was lost with a hidden turn', () => {
  const signatures = (request: RequestView, ...rest: [HiddenTurn[]?, typeof PLAN?]) =>
    contentsOf(request, ...rest).flatMap(({ parts }) =>
      parts.flatMap((part) => ('functionCall' in part ? [part.thoughtSignature ?? null] : [])),
    );
  const lost = [USER, model(CALL, MAIL), results('weather_get', 'mail_send')];

  test('is replaced on the first call of the current turn', () => {
    expect(signatures(view({ contents: lost }))).toEqual([DUMMY, null]);
    expect(
      signatures(view({ contents: [USER, model({ text: 'I.' }), model(CALL), results('weather_get')] })),
    ).toEqual([DUMMY]);
  });

  test('that was refused is replaced, however it is written, only in the current turn', () => {
    const contents = [
      USER,
      model({ ...CALL, thoughtSignature: 'early' }),
      results('weather_get'),
      USER,
      model({ ...CALL, thought_signature: 'first' }, { ...MAIL, thoughtSignature: 'second' }),
      results('weather_get', 'mail_send'),
      model({ ...MAIL, thoughtSignature: 'third' }),
      results('mail_send'),
    ];
    const request = view({ contents });
    const again = (plan: typeof PLAN) => {
      const past = { hiddenTurns: [], rounds: [], dropsThinking: true };
      return JSON.parse(new TextDecoder().decode(gemini.editing.editRequest(request, plan, past))).contents;
    };
    expect(gemini.capabilities.thinking!.holdsThinking(request)).toBe(true);
    const expected = structuredClone(contents) as { parts: object[] }[];
    expected[4]!.parts[0] = { ...CALL, thoughtSignature: DUMMY };
    expected[6]!.parts[0] = { ...MAIL, thoughtSignature: DUMMY };
    expect(again(PLAN)).toEqual(expected);
    // The same applies without the search tool.
    expect(again({ ...PLAN, searchTool: undefined })).toEqual(expected);
  });

  test('is not replaced for older models, or before the last user message', () => {
    const signed = model({ ...CALL, thoughtSignature: 's' });
    const old = '/v1beta/models/gemini-2.5-pro:generateContent';
    expect(
      gemini.capabilities.thinking!.holdsThinking(
        view({ contents: [USER, signed, results('weather_get')] }, old),
      ),
    ).toBe(false);
    const over = [USER, signed, results('weather_get'), model({ text: 'Done.' }), USER];
    expect(gemini.capabilities.thinking!.holdsThinking(view({ contents: over }))).toBe(false);
  });

  test('is left alone where there is one, in earlier turns, and where the hidden turn is known', () => {
    const signed = [USER, model({ ...CALL, thought_signature: 's' }), results('weather_get')];
    expect(JSON.stringify(edited(view({ contents: signed })))).not.toContain(DUMMY);
    expect(signatures(view({ contents: [...lost, model({ text: 'Done.' }), USER] }))).toEqual([null, null]);
    const known = [USER, model(CALL), results('weather_get')];
    expect(signatures(view({ contents: known }), [hiddenOf(BESIDE)])).toEqual(['signed', null]);
  });

  test('is not replaced for a model that requires none, nor without deferred tools', () => {
    const path = '/v1beta/models/gemini-2.5-flash:generateContent';
    expect(signatures(view({ contents: lost }, path))).toEqual([null, null]);
    const untouched = view({ contents: lost });
    const nothing = { ...planOf([]), searchTool: undefined };
    expect(gemini.editing.editRequest(untouched, nothing, { hiddenTurns: [], rounds: [] })).toBe(
      untouched.bytes.whole,
    );
  });
});

test('a search that was cut off leaves no content without parts behind', () => {
  const run = streamChunks([
    [chunk([{ text: 'I look. ' }, search()], STOP)],
    [chunk([search()], { finishReason: 'MAX_TOKENS' })],
  ]);
  const contents = [USER, model({ text: 'I look. ' }), USER];
  const sent = contentsOf(view({ contents }), [hiddenOf(run)]);
  expect(sent.map(({ parts }) => parts.length)).toEqual([1, 2, 1, 1]);
});
