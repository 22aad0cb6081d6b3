import { describe, expect, test } from 'vitest';
import { ANY_SIGNATURE, signThought } from '../src/gemini-interactions/thought-seal.ts';
import { validateInteraction } from '../src/gemini-interactions/validate-interaction.ts';
import { DEFAULT_RULES, type ProviderRules } from '../src/upstream/provider-rules.ts';

const USER = { type: 'user_input', content: [{ type: 'text', text: 'Hello.' }] };
const CALL = { type: 'function_call', id: 'c1', name: 'mail_send', arguments: { to: 'ada' } };
const OTHER = { type: 'function_call', id: 'c2', name: 'clock', arguments: {} };
const SIGNED = { type: 'thought', signature: signThought(CALL, [USER]) };
const RESULT = { type: 'function_result', call_id: 'c1', name: 'mail_send', result: 'Done.' };
const OTHER_RESULT = { type: 'function_result', call_id: 'c2', result: [{ type: 'text', text: 'Noon.' }] };
const OUTPUT = { type: 'model_output', content: [{ type: 'text', text: 'Hi.' }] };
const MAIL = { type: 'function', name: 'mail_send', description: 'Sends.', parameters: { type: 'object' } };
const input = (...steps: unknown[]) => ({ input: steps });
const choice = (tool_choice: unknown) => ({ tools: [MAIL], generation_config: { tool_choice } });

function judge(more: object, rules: Partial<ProviderRules> = {}) {
  const json = { model: 'gemini-3-pro-preview', input: 'Hello.', ...more };
  const request = { path: '/v1beta/interactions', headers: { 'x-goog-api-key': 'key' }, json };
  return validateInteraction(request, { ...DEFAULT_RULES, ...rules })?.message;
}

describe('Interactions take', () => {
  test.each([
    ['a text', {}],
    ['a content', { input: { type: 'text', text: 'Hi.' } }],
    ['contents', input({ type: 'text', text: 'Hi.' }, { type: 'image', uri: 'x' })],
    ['functions along with the provider’s tools', { tools: [MAIL, { type: 'google_search' }] }],
    ['a signed call and its result', input(USER, SIGNED, CALL, RESULT)],
    [
      'results in what the user says',
      input(USER, SIGNED, CALL, OTHER, { type: 'user_input', content: [OTHER_RESULT, RESULT] }),
    ],
    ['words behind results', input(USER, SIGNED, CALL, RESULT, USER)],
    ['a lost signature', input(USER, { ...SIGNED, signature: ANY_SIGNATURE }, CALL, RESULT)],
    ['calls of earlier turns without any', input(USER, CALL, RESULT, OUTPUT, USER)],
    ['names that are allowed', choice({ allowed_tools: { mode: 'any', tools: ['mail_send'] } })],
    ['an agent', { agent: 'deep-research', model: undefined }],
    ['what is continued', { input: undefined, continuation_token: 't' }],
  ])('%s', (_, more) => {
    expect(judge(more)).toBeUndefined();
  });

  test('unsigned calls for older models, and signatures behind other steps where those are not bound', () => {
    expect(judge({ ...input(USER, CALL, RESULT), model: 'gemini-2.5-pro' })).toBeUndefined();
    const moved = input(OUTPUT, USER, SIGNED, CALL, RESULT);
    expect(judge(moved)).toContain('history');
    expect(judge(moved, { bindsSignatures: () => false })).toBeUndefined();
  });
});

describe('Interactions refuse', () => {
  test.each([
    ['no model', { model: undefined }, 'model'],
    ['a strange member', { messages: [] }, 'messages'],
    ['no input', { input: undefined }, 'input'],
    ['what is not stored', { previous_interaction_id: 'v1_0' }, 'not found'],
    ['contents among steps', input(USER, { type: 'text', text: 'Hi.' }), 'cannot stand in one list'],
    ['a strange step', input({ role: 'user', content: [] }), 'unknown step'],
    ['an id of a result', input(USER, SIGNED, CALL, { ...RESULT, id: 'c1' }), 'Unknown parameter'],
    ['a call_id of a call', input(USER, SIGNED, { ...CALL, call_id: 'c1' }, RESULT), 'Unknown parameter'],
    ['arguments as text', input(USER, SIGNED, { ...CALL, arguments: '{}' }, RESULT), 'must be an object'],
    ['a missing result', input(USER, SIGNED, CALL, OTHER, RESULT), 'number of function response parts'],
    ['a result without its call', input(USER, RESULT), 'number of function response parts'],
    ['a result of another call', input(USER, SIGNED, CALL, { ...RESULT, call_id: 'c9' }), 'does not match'],
    ['a result of another name', input(USER, SIGNED, CALL, { ...RESULT, name: 'clock' }), 'does not match'],
    ['results behind words', input(USER, SIGNED, CALL, USER, RESULT), 'immediately after'],
    ['calls without results', input(USER, SIGNED, CALL), 'immediately after'],
    ['a call without a signature', input(USER, CALL, RESULT), 'missing a thought_signature'],
    [
      'a signature of another call',
      input(USER, { ...SIGNED, signature: signThought(OTHER, [USER]) }, CALL, RESULT),
      'call',
    ],
    ['two functions of one name', { tools: [MAIL, MAIL] }, 'Duplicate'],
    ['a strange tool', { tools: [{ type: 'tool_search' }] }, 'unknown tool'],
    ['a mark on a function', { tools: [{ ...MAIL, defer_loading: true }] }, 'defer_loading'],
    [
      'a choice without functions',
      { generation_config: { tool_choice: 'any' } },
      'without function_declarations',
    ],
    ['a choice of a stranger', choice({ allowed_tools: { tools: ['clock'] } }), 'not among'],
    ['a strange choice', choice('required'), 'tool_choice'],
  ])('%s', (_, more, words) => {
    expect(judge(more)).toContain(words);
  });

  test('a client without a key', () => {
    const request = { path: '/v1beta/interactions', headers: {}, json: { model: 'm', input: 'Hi.' } };
    expect(validateInteraction(request, DEFAULT_RULES)?.status).toBe(403);
  });
});
