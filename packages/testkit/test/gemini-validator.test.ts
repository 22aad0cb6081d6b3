import { describe, expect, test } from 'vitest';
import { normalTurns } from '../src/gemini/normal-turns.ts';
import { ANY_SIGNATURE, signCall } from '../src/gemini/thought-signature.ts';
import { validateGeminiCount, validateGeminiRequest } from '../src/gemini/validate-gemini-request.ts';
import { DEFAULT_RULES, type ProviderRules } from '../src/upstream/provider-rules.ts';

const USER = { role: 'user', parts: [{ text: 'Hello.' }] };
const CALL = { name: 'mail_send', args: { to: 'ada' } };
const OTHER_CALL = { name: 'clock', args: {} };
const SIGNED = { functionCall: CALL, thoughtSignature: signCall(CALL, normalTurns([USER])) };
const RESULT = { functionResponse: { name: 'mail_send', response: { output: 'Done.' } } };
const OTHER_RESULT = { functionResponse: { name: 'clock', response: { output: 'Noon.' } } };
const MAIL = { name: 'mail_send', description: 'Sends.', parameters: { type: 'OBJECT', properties: {} } };
const tools = (...functionDeclarations: unknown[]) => ({ tools: [{ functionDeclarations }] });
const contents = (...list: unknown[]) => ({ contents: list });
const model = (...parts: unknown[]) => ({ role: 'model', parts });
const user = (...parts: unknown[]) => ({ role: 'user', parts });

function judge(
  more: object,
  { asked = 'gemini-3-pro-preview', rules = {} }: { asked?: string; rules?: Partial<ProviderRules> } = {},
) {
  const request = {
    path: `/v1beta/models/${asked}:generateContent`,
    headers: { 'x-goog-api-key': 'key' },
    json: { contents: [USER], ...more },
  };
  return validateGeminiRequest(request, { ...DEFAULT_RULES, ...rules })?.message;
}

describe('Gemini takes', () => {
  test.each([
    ['a question', {}],
    ['a question without a role', contents({ parts: [{ text: 'Hello.' }] })],
    [
      'functions in several containers, along with its own tools',
      {
        tools: [
          { functionDeclarations: [MAIL] },
          { google_search: {} },
          { functionDeclarations: [{ name: 'clock' }] },
        ],
      },
    ],
    [
      'a schema of another dialect',
      tools({ name: 'a', parametersJsonSchema: { type: 'object', additionalProperties: false } }),
    ],
    [
      'keys in snake case',
      { system_instruction: { parts: [{ text: 'Be kind.' }] }, tools: [{ function_declarations: [MAIL] }] },
    ],
    ['a signed call and its result', contents(USER, model(SIGNED), user(RESULT))],
    [
      'contents of the model that follow each other',
      contents(USER, model({ text: '' }), model(SIGNED), model({ text: '' }), user(RESULT)),
    ],
    [
      'parallel calls of which the first is signed',
      contents(USER, model(SIGNED, { functionCall: OTHER_CALL }), user(RESULT, OTHER_RESULT)),
    ],
    [
      'results in contents of their own',
      contents(USER, model(SIGNED, { functionCall: OTHER_CALL }), user(RESULT), user(OTHER_RESULT)),
    ],
    [
      'an unsigned call of an earlier turn',
      contents(USER, model({ functionCall: CALL }), user(RESULT), model({ text: 'Done.' }), USER),
    ],
    [
      'the signature that stands for any',
      contents(USER, model({ functionCall: CALL, thoughtSignature: ANY_SIGNATURE }), user(RESULT)),
    ],
    [
      'allowed names',
      {
        ...tools(MAIL),
        toolConfig: { functionCallingConfig: { mode: 'ANY', allowedFunctionNames: ['mail_send'] } },
      },
    ],
  ])('%s', (_, more) => {
    expect(judge(more)).toBeUndefined();
  });

  test('unsigned calls, for a model that does not ask for signatures', () => {
    const more = contents(USER, model({ functionCall: CALL }), user(RESULT));
    expect(judge(more, { asked: 'gemini-2.5-flash' })).toBeUndefined();
  });

  test('a signed call behind another history, where signatures are not bound', () => {
    const more = contents(user({ text: 'Something else.' }), model(SIGNED), user(RESULT));
    expect(judge(more)).toMatch(/not valid: history/);
    expect(judge(more, { rules: { bindsSignatures: () => false } })).toBeUndefined();
  });
});

describe('Gemini refuses', () => {
  test.each([
    ['a body without contents', contents(), /contents is not specified/],
    ['an unknown member', { stream: true }, /Unknown name "stream": Cannot find field/],
    ['a role of others', contents({ role: 'assistant', parts: [{ text: 'Hi.' }] }), /valid role/],
    ['a content without parts', contents(user()), /parts must not be empty/],
    ['a part without data', contents(user({})), /required oneof field 'data'/],
    [
      'an unknown member of a part',
      contents(user({ text: 'Hi.', cache_control: {} })),
      /Unknown name "cache_control"/,
    ],
    ['an unknown member of a declaration', tools({ ...MAIL, strict: true }), /Unknown name "strict"/],
    [
      'a word of JSON Schema in its own dialect',
      tools({ name: 'a', parameters: { type: 'OBJECT', additionalProperties: false } }),
      /Unknown name "additionalProperties"/,
    ],
    ['two schemas of one function', tools({ ...MAIL, parametersJsonSchema: {} }), /cannot both be set/],
    ['a name with a space', tools({ name: 'mail send' }), /Invalid function name/],
    ['two functions of one name', tools(MAIL, MAIL), /Duplicate function declaration/],
    ['no functions in a list of them', tools(), /tool_type/],
    ['a container without anything', { tools: [{}] }, /tool_type/],
    ['tools that are no list', { tools: { functionDeclarations: [MAIL] } }, /Invalid value at 'tools'/],
    [
      'tools along with a cache',
      { ...tools(MAIL), cachedContent: 'cachedContents/1' },
      /CachedContent can not be used/,
    ],
    [
      'allowed names without ANY',
      {
        ...tools(MAIL),
        toolConfig: { functionCallingConfig: { mode: 'AUTO', allowedFunctionNames: ['mail_send'] } },
      },
      /only when/,
    ],
    [
      'allowed names that are not declared',
      {
        ...tools(MAIL),
        toolConfig: { functionCallingConfig: { mode: 'ANY', allowedFunctionNames: ['gone'] } },
      },
      /'gone' is not among/,
    ],
    [
      'ANY without functions',
      { toolConfig: { functionCallingConfig: { mode: 'ANY' } } },
      /without function_declarations/,
    ],
    ['a call in front of all', contents(model(SIGNED), user(RESULT)), /comes immediately after a user turn/],
    [
      'a result without a call',
      contents(USER, model({ text: 'Hi.' }), user(RESULT)),
      /response turn comes immediately after/,
    ],
    ['a call without a result', contents(USER, model(SIGNED), USER), /number of function response parts/],
    [
      'fewer results than calls',
      contents(USER, model(SIGNED, { functionCall: OTHER_CALL }), user(RESULT)),
      /number of function response parts/,
    ],
    [
      'results in another order',
      contents(USER, model(SIGNED, { functionCall: OTHER_CALL }), user(OTHER_RESULT, RESULT)),
      /does not match/,
    ],
    [
      'a result with another id',
      contents(
        USER,
        model({ ...SIGNED, functionCall: { id: 'a', ...CALL } }),
        user({ functionResponse: { ...RESULT.functionResponse, id: 'b' } }),
      ),
      /does not match/,
    ],
    [
      'a first call without signature',
      contents(USER, model({ functionCall: CALL }), user(RESULT)),
      /missing a thought_signature/,
    ],
    [
      'a signature on another call',
      contents(USER, model({ ...SIGNED, functionCall: OTHER_CALL }), user(OTHER_RESULT)),
      /not valid: part/,
    ],
    [
      'changed arguments under a signature',
      contents(USER, model({ ...SIGNED, functionCall: { ...CALL, args: { to: 'bob' } } }), user(RESULT)),
      /not valid: part/,
    ],
  ])('%s', (_, more, message) => {
    expect(judge(more)).toMatch(message);
  });

  test('a client without a key', () => {
    const request = { path: '/v1beta/models/m:generateContent', headers: {}, json: contents(USER) };
    expect(validateGeminiRequest(request, DEFAULT_RULES)?.status).toBe(403);
    expect(
      validateGeminiRequest({ ...request, path: `${request.path}?key=k` }, DEFAULT_RULES),
    ).toBeUndefined();
  });

  test('a count of a request that it would refuse', () => {
    const path = '/v1beta/models/m:countTokens?key=k';
    const count = (json: unknown) => validateGeminiCount({ path, headers: {}, json }, DEFAULT_RULES)?.message;
    expect(count(contents(USER))).toBeUndefined();
    expect(count({ generateContentRequest: { ...contents(USER), ...tools(MAIL) } })).toBeUndefined();
    expect(count({ generateContentRequest: { ...contents(USER), ...tools() } })).toMatch(/tool_type/);
  });
});
