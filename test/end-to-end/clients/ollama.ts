import { ChatOllama } from '@langchain/ollama';
import { type ChatResponse, type Message, Ollama } from 'ollama';
import { createOllama } from 'ollama-ai-provider-v2';
import { converseWithAiSdk } from './ai-sdk.ts';
import { converseWithLangchain } from './langchain.ts';
import {
  askUnlessLeft,
  type ConversationRequest,
  MAX_STEPS,
  runTool,
  type TestClient,
  withFetch,
} from './test-client.ts';

/**
 * A server without accounts needs no credential, but conversations are recognized only for clients that send
 * one.
 */
const headers = { authorization: 'Bearer key' };

/** The `ollama` package. */
export const ollama: TestClient = { name: 'ollama', format: 'ollama', converse };

/** The `ai` package with its Ollama provider, which invents an id for each call. */
export const aiSdkOllama: TestClient = {
  name: 'ai, ollama',
  format: 'ollama',
  converse: async (request) => {
    const provider = createOllama({ baseURL: `${request.url}/api`, headers, ...withFetch(request) });
    return withoutIds(await converseWithAiSdk(request, provider(request.model)));
  },
};

/** The `@langchain/ollama` package, which invents an id for each call. */
export const langchainOllama: TestClient = {
  name: '@langchain/ollama',
  format: 'ollama',
  converse: async (request) => {
    const model = new ChatOllama({
      model: request.model,
      baseUrl: request.url,
      maxRetries: 0,
      headers,
      fetch: leavingFetch(request),
    });
    const tools = request.tools.map((tool) => ({ type: 'function', function: tool }));
    return withoutIds(await converseWithLangchain(request, model.bindTools(tools)));
  },
};

/**
 * Aborts whole responses, and those of LangChain: the package itself can only abort streams that have begun.
 */
function leavingFetch({ leaving, fetch: send = fetch }: ConversationRequest): typeof fetch {
  return (url, init) =>
    send(url, leaving === undefined || leaving.aborted ? init : { ...init, signal: leaving });
}

async function converse(request: ConversationRequest): Promise<unknown[]> {
  const { url, model, tools, userMessages, isStream, thinks } = request;
  const client = new Ollama({
    host: url,
    headers,
    ...(isStream ? withFetch(request) : { fetch: leavingFetch(request) }),
  });
  const messages: Message[] = [];
  const transcript: unknown[] = [];
  for (const content of userMessages) {
    messages.push({ role: 'user', content });
    for (let step = 0; step < MAX_STEPS; step++) {
      const body = {
        model,
        messages,
        think: thinks,
        tools: tools.map((tool) => ({ type: 'function', function: { ...tool } })),
      };
      const answer = await askUnlessLeft(request, async (signal) => {
        if (!isStream) return wholeOf(await client.chat(body));
        const lines = await client.chat({ ...body, stream: true });
        signal?.addEventListener('abort', () => lines.abort());
        if (signal?.aborted) lines.abort();
        return streamed(lines);
      });
      transcript.push({ ...answer, message: { ...answer.message, thinking: undefined } });
      messages.push(answer.message);
      const calls = answer.message.tool_calls ?? [];
      for (const { function: called } of calls) {
        messages.push({
          role: 'tool',
          tool_name: called.name,
          content: runTool(called.name, called.arguments),
        });
      }
      if (calls.length === 0) break;
    }
  }
  return transcript;
}

const wholeOf = ({ message, done_reason }: ChatResponse) => ({ message, done_reason });

/** The stream as users add it up, with every line that ends it. */
async function streamed(lines: AsyncIterable<{ message: Message; done: boolean; done_reason: string }>) {
  const parts: Message[] = [];
  const ends: string[] = [];
  for await (const { message, done, done_reason } of lines) {
    parts.push(message);
    if (done) ends.push(done_reason);
  }
  const thinking = parts.map((part) => part.thinking ?? '').join('');
  const calls = parts.flatMap((part) => part.tool_calls ?? []);
  const message: Message = {
    role: 'assistant',
    content: parts.map(({ content }) => content).join(''),
    ...(thinking !== '' && { thinking }),
    ...(calls.length > 0 && { tool_calls: calls }),
  };
  return { message, done_reason: ends.join() };
}

/** Ignores ids that a library invents anew each time. */
function withoutIds(transcript: readonly unknown[]): unknown[] {
  const isId = (key: string) => key === 'id' || key === 'toolCallId';
  return JSON.parse(JSON.stringify(transcript, (key, value) => (isId(key) ? undefined : value))) as unknown[];
}
