import {
  type BedrockRuntimeClient,
  type ContentBlock,
  ConverseCommand,
  ConverseStreamCommand,
  type ConverseStreamOutput,
  type Message,
} from '@aws-sdk/client-bedrock-runtime';
import { openAwsClient, openAwsClientOver } from './aws-client.ts';
import { BEDROCK } from './aws-credentials.ts';
import {
  askUnlessLeft,
  type ConversationRequest,
  MAX_STEPS,
  runTool,
  type TestClient,
  thinkingOf,
} from './test-client.ts';

/** Converse by the `@aws-sdk/client-bedrock-runtime` package, over HTTP/1.1. */
export const awsConverse: TestClient = {
  name: '@aws-sdk/client-bedrock-runtime, Converse',
  format: 'converse',
  signs: BEDROCK,
  converse: (request) => converse(request, openAwsClientOver(request.url, 'HTTP/1.1')),
};

/** The same with its defaults: over HTTP/2 if the server supports it. */
export const awsConverseHttp2: TestClient = {
  name: '@aws-sdk/client-bedrock-runtime, Converse, HTTP/2',
  format: 'converse',
  signs: BEDROCK,
  converse: async (request) => converse(request, await openAwsClient(request.url)),
};

async function converse(request: ConversationRequest, client: BedrockRuntimeClient): Promise<unknown[]> {
  const transcript: unknown[] = [];
  const messages: Message[] = [];
  const input = {
    modelId: request.model,
    inferenceConfig: { maxTokens: 4_096 },
    toolConfig: {
      tools: request.tools.map(({ name, description, parameters }) => ({
        toolSpec: { name, description, inputSchema: { json: parameters as never } },
      })),
    },
    ...(request.thinks && { additionalModelRequestFields: { thinking: thinkingOf(request.model) } }),
  };
  for (const text of request.userMessages) {
    messages.push({ role: 'user', content: [{ text }] });
    for (let step = 0; step < MAX_STEPS; step++) {
      const { message, stopReason } = await askUnlessLeft(request, async (signal) => {
        const options = signal && { abortSignal: signal };
        if (!request.isStream) return whole(client, { ...input, messages }, options);
        const { stream } = await client.send(new ConverseStreamCommand({ ...input, messages }), options);
        return assemble(stream!);
      });
      const calls = message.content!.flatMap(({ toolUse }) => toolUse ?? []);
      const spoken = message.content!.filter((block) => !block.reasoningContent);
      transcript.push({ role: message.role, content: spoken, stopReason });
      messages.push(message);
      if (calls.length === 0) break;
      const content = calls.map(({ toolUseId, name, input: args }) => ({
        toolResult: { toolUseId, content: [{ text: runTool(name!, args) }] },
      }));
      messages.push({ role: 'user', content });
    }
  }
  client.destroy();
  return transcript;
}

interface Answer {
  readonly message: Message;
  readonly stopReason: string | undefined;
}

async function whole(
  client: BedrockRuntimeClient,
  input: ConstructorParameters<typeof ConverseCommand>[0],
  options: { readonly abortSignal: AbortSignal } | undefined,
): Promise<Answer> {
  const { output, stopReason, usage } = await client.send(new ConverseCommand(input), options);
  if (usage?.totalTokens === undefined) throw new Error('no usage');
  return { message: output!.message!, stopReason };
}

/** A message put together from the events of its stream, as the vendor's own examples do. */
async function assemble(stream: AsyncIterable<ConverseStreamOutput>): Promise<Answer> {
  const content: ContentBlock[] = [];
  let role: Message['role'];
  let stopReason: string | undefined;
  let args = '';
  let usages = 0;
  for await (const event of stream) {
    if (event.messageStart) role = event.messageStart.role;
    const at = event.contentBlockStart?.contentBlockIndex ?? event.contentBlockDelta?.contentBlockIndex;
    if (at !== undefined && at > content.length) throw new Error(`a gap before block ${at}`);
    if (event.contentBlockStart?.start?.toolUse) {
      const { toolUseId, name } = event.contentBlockStart.start.toolUse;
      content.push({ toolUse: { toolUseId, name, input: {} } });
      args = '';
    }
    const { text, toolUse, reasoningContent } = event.contentBlockDelta?.delta ?? {};
    if (text !== undefined) content[at!] = { text: (content[at!]?.text ?? '') + text };
    if (toolUse) args += toolUse.input;
    if (reasoningContent) {
      const before = content[at!]?.reasoningContent?.reasoningText ?? { text: '' };
      const { text: thought = '', signature = before.signature } = reasoningContent;
      content[at!] = { reasoningContent: { reasoningText: { text: before.text + thought, signature } } };
    }
    const closed = content[event.contentBlockStop?.contentBlockIndex ?? -1];
    if (closed?.toolUse) closed.toolUse.input = JSON.parse(args);
    if (event.messageStop) stopReason = event.messageStop.stopReason;
    if (event.metadata) usages += 1;
  }
  if (usages !== 1) throw new Error(`${usages} usages`);
  return { message: { role, content }, stopReason };
}
