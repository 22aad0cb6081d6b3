import { expect, test } from 'vitest';
import { bridgeOf } from '../../src/bridge/bridge.ts';
import { judgeCall } from '../../src/bridge/judge-call.ts';
import { plainDialect, plan, view } from './plain-calls.ts';

const bridge = bridgeOf(view, plan, plainDialect);

test.each([
  ['mail_send', '{"city":"Bern"}', undefined],
  ['gateway_search_tools', '{}', undefined],
  [
    'mail_send',
    '{"days":"two"}',
    'The arguments of mail_send do not fit its definition: They must have the member "city"; /days must be of type integer.',
  ],
  ['mail_send', '[]', 'The arguments of mail_send must be an object.'],
  [
    'mailSend',
    '{}',
    'There is no tool named "mailSend". Similar names: mail_send. Search for it with gateway_search_tools.',
  ],
  [
    'mcp__mail_send',
    '{}',
    'There is no tool named "mcp__mail_send". Similar names: mail_send. Search for it with gateway_search_tools.',
  ],
  ['zzzz', '{}', 'There is no tool named "zzzz". Search for it with gateway_search_tools.'],
  [undefined, '', 'Give the name of the tool as "name" and its arguments, an object, as "arguments".'],
])('says what is wrong with a call of %s with %s', (name, given, text) => {
  expect(judgeCall(bridge, name, given)?.text).toBe(text);
});
