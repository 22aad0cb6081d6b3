import { type FunctionCall, GoogleGenAI, type Part } from '@google/genai';
import { CATALOGUE } from './catalogue.ts';
import { type DemoClient, TOOL_RESULT } from './client.ts';

const FUNCTIONS = CATALOGUE.map(({ name, description, parameters }) => ({
  name,
  description,
  parametersJsonSchema: parameters,
}));

/** The official Google library, streaming. Only its base URL differs from the usual setup. */
export function geminiClient(proxyUrl: string): DemoClient {
  const client = new GoogleGenAI({ apiKey: 'no-key-needed', httpOptions: { baseUrl: proxyUrl } });
  const chat = client.chats.create({
    model: 'gemini-3-demo',
    config: { tools: [{ functionDeclarations: FUNCTIONS }] },
  });
  return {
    name: '@google/genai',
    async say(words, events) {
      let message: Part[] = [{ text: words }];
      while (message.length > 0) {
        events.onRequest();
        const calls: FunctionCall[] = [];
        for await (const chunk of await chat.sendMessageStream({ message })) {
          for (const { text } of chunk.candidates?.[0]?.content?.parts ?? []) if (text) events.onText(text);
          calls.push(...(chunk.functionCalls ?? []));
        }
        for (const { name, args } of calls) events.onCall(name!, args);
        message = calls.map(({ id, name }) => ({
          functionResponse: { ...(id && { id }), name: name!, response: { output: TOOL_RESULT } },
        }));
        await events.onAnswer();
      }
    },
  };
}
