import { describe, expect, test } from 'vitest';
import { chooseClients, UnknownFormat } from '../examples/demo/choose-clients.ts';

const namesOf = (args: readonly string[]) =>
  chooseClients(args).map((makeClient) => makeClient('http://127.0.0.1:1').name);

describe('the demo', () => {
  test('shows two libraries, or that of a format', () => {
    expect(namesOf([])).toEqual(['openai', '@anthropic-ai/sdk']);
    expect(namesOf(['--format', 'gemini'])).toEqual(['@google/genai']);
    expect(namesOf(['--format', 'gemini-interactions'])).toEqual(['@google/genai, interactions']);
    expect(namesOf(['--format', 'openai-chat'])).toEqual(['openai']);
    expect(namesOf(['--format', 'bedrock-converse'])).toEqual(['@aws-sdk/client-bedrock-runtime']);
  });

  test.each([[['--format', 'parley']], [['--format', 'toString']], [['--format']], [['--fromat', 'gemini']]])(
    'says what it knows when it is asked for something else: %j',
    (args) => {
      expect(() => chooseClients(args)).toThrow(UnknownFormat);
      expect(() => chooseClients(args)).toThrow(/openai-chat\|.*\|gemini/);
    },
  );
});
