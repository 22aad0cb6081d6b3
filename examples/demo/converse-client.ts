import {
  BedrockRuntimeClient,
  type ContentBlock,
  ConverseStreamCommand,
  type Message,
  type Tool,
} from '@aws-sdk/client-bedrock-runtime';
import { CATALOGUE } from './catalogue.ts';
import { type DemoClient, TOOL_RESULT } from './client.ts';

const TOOLS = CATALOGUE.map(({ name, description, parameters }) => ({
  toolSpec: { name, description, inputSchema: { json: parameters } },
})) as Tool[];

/** The official AWS library, streaming over HTTP/2. Only its endpoint differs from the usual setup. */
export function converseClient(proxyUrl: string): DemoClient {
  const client = new BedrockRuntimeClient({
    endpoint: proxyUrl,
    region: 'us-east-1',
    token: { token: 'no-key-needed' },
    authSchemePreference: ['httpBearerAuth'],
  });
  const messages: Message[] = [];
  return {
    name: '@aws-sdk/client-bedrock-runtime',
    async say(words, events) {
      let content: ContentBlock[] = [{ text: words }];
      while (content.length > 0) {
        messages.push({ role: 'user', content });
        events.onRequest();
        const command = new ConverseStreamCommand({
          modelId: 'anthropic.claude-demo',
          messages,
          toolConfig: { tools: TOOLS },
        });
        const { stream } = await client.send(command);
        const answer: ContentBlock[] = [];
        let args = '';
        for await (const { contentBlockStart, contentBlockDelta, contentBlockStop } of stream!) {
          const called = contentBlockStart?.start?.toolUse;
          if (called) answer.push({ toolUse: { toolUseId: called.toolUseId, name: called.name, input: {} } });
          const { text, toolUse } = contentBlockDelta?.delta ?? {};
          if (text) {
            events.onText(text);
            const last = answer.at(-1);
            if (last?.text === undefined) answer.push({ text });
            else last.text += text;
          }
          args += toolUse?.input ?? '';
          const made = contentBlockStop && answer.at(-1)?.toolUse;
          if (made) {
            made.input = JSON.parse(args);
            events.onCall(made.name!, made.input);
            args = '';
          }
        }
        messages.push({ role: 'assistant', content: answer });
        content = answer.flatMap(({ toolUse }) =>
          toolUse ? [{ toolResult: { toolUseId: toolUse.toolUseId, content: [{ text: TOOL_RESULT }] } }] : [],
        );
        await events.onAnswer();
      }
    },
  };
}
