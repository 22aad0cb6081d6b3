import { type Content, type GenerateContentResponse, GoogleGenAI, type Part } from '@google/genai';
import { GoogleGenAI as GoogleGenAI1 } from 'google-genai-1';
import { GoogleGenAI as GoogleGenAI2 } from 'google-genai-2';
import {
  askUnlessLeft,
  type ConversationRequest,
  MAX_STEPS,
  runTool,
  type TestClient,
  withFetch,
} from './test-client.ts';

/** The chats of the `@google/genai` package, which keep every piece of a stream as a content of its own. */
export const googleGenai: TestClient = clientOf('@google/genai', GoogleGenAI);

/** The previous major version. */
export const googleGenai1: TestClient = clientOf(
  '@google/genai 1',
  GoogleGenAI1 as unknown as typeof GoogleGenAI,
);
export const googleGenai2: TestClient = clientOf(
  '@google/genai 2',
  GoogleGenAI2 as unknown as typeof GoogleGenAI,
);

function clientOf(name: string, Client: typeof GoogleGenAI): TestClient {
  return { name, format: 'gemini', converse: (request) => converse(request, Client) };
}

async function converse(request: ConversationRequest, Client: typeof GoogleGenAI): Promise<unknown[]> {
  const { url, model, tools, userMessages, isStream, thinks } = request;
  const client = new Client({ apiKey: 'key', httpOptions: { baseUrl: url, ...withFetch(request) } });
  const functionDeclarations = tools.map(({ name, description, parameters }) => ({
    name,
    description,
    parametersJsonSchema: parameters,
  }));
  const config = {
    tools: [{ functionDeclarations }],
    ...(thinks && { thinkingConfig: { includeThoughts: true } }),
  };
  const chat = client.chats.create({ model, config });
  const ask = async (message: Part[], abortSignal: AbortSignal | undefined) => {
    const asked = { message, ...(abortSignal && { config: { ...config, abortSignal } }) };
    if (!isStream) return [await chat.sendMessage(asked)];
    const chunks: GenerateContentResponse[] = [];
    for await (const chunk of await chat.sendMessageStream(asked)) chunks.push(chunk);
    return chunks;
  };
  const transcript: unknown[] = [];
  for (const words of userMessages) {
    let message: Part[] = [{ text: words }];
    for (let step = 0; step < MAX_STEPS; step++) {
      const chunks = await askUnlessLeft(request, (signal) => ask(message, signal));
      const calls = chunks.flatMap(({ functionCalls = [] }) => functionCalls);
      transcript.push({ ...describe(chunks), calls });
      message = calls.map(({ id, name, args }) => ({
        functionResponse: { ...(id && { id }), name: name!, response: { output: runTool(name!, args) } },
      }));
      if (calls.length === 0) break;
    }
  }
  return transcript;
}

function describe(chunks: readonly GenerateContentResponse[]) {
  const contents = chunks.flatMap(({ candidates = [] }) =>
    candidates.flatMap(({ content }) => content ?? []),
  );
  return {
    id: [...new Set(chunks.map(({ responseId }) => responseId))],
    text: spokenIn(contents),
    finishReason: chunks.flatMap(({ candidates = [] }) => candidates[0]?.finishReason ?? []),
    model: chunks.at(-1)?.modelVersion,
  };
}

function spokenIn(contents: readonly Content[]): string {
  const parts = contents.flatMap(({ parts = [] }) => parts);
  return parts.map(({ text = '', thought }) => (thought ? '' : text)).join('');
}
