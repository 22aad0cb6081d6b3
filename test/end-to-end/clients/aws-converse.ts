import { connect } from 'node:net';
import {
  BedrockRuntimeClient,
  type ContentBlock,
  ConverseCommand,
  ConverseStreamCommand,
  type ConverseStreamOutput,
  type Message,
} from '@aws-sdk/client-bedrock-runtime';
import { NodeHttpHandler } from '@smithy/node-http-handler';
import { BEDROCK, CLIENT_CREDENTIALS } from './aws-credentials.ts';
import { type ConversationRequest, MAX_STEPS, runTool, type TestClient, thinkingOf } from './test-client.ts';

/** Converse by the `@aws-sdk/client-bedrock-runtime` package, over HTTP/1.1. */
export const awsConverse: TestClient = {
  name: '@aws-sdk/client-bedrock-runtime, Converse',
  format: 'converse',
  signs: BEDROCK,
  converse: (request) => converse(request, false),
};

/** The same as it is without being told anything: over HTTP/2, wherever the server has it. */
export const awsConverseHttp2: TestClient = {
  name: '@aws-sdk/client-bedrock-runtime, Converse, HTTP/2',
  format: 'converse',
  signs: BEDROCK,
  converse: async (request) => converse(request, await speaksHttp2(request.url)),
};

/** Whether a server knows how HTTP/2 begins: others answer in HTTP/1.1 that they do not. */
function speaksHttp2(url: string): Promise<boolean> {
  const { port, hostname } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname);
    socket.on('error', reject);
    socket.once('data', (bytes: Buffer) => {
      socket.destroy();
      resolve(!bytes.toString('latin1').startsWith('HTTP/1'));
    });
    socket.write(Buffer.concat([Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'), EMPTY_SETTINGS]));
  });
}

const EMPTY_SETTINGS = Buffer.from([0, 0, 0, 4, 0, 0, 0, 0, 0]);

async function converse(request: ConversationRequest, isHttp2: boolean): Promise<unknown[]> {
  const client = new BedrockRuntimeClient({
    endpoint: request.url,
    ...CLIENT_CREDENTIALS,
    maxAttempts: 1,
    ...(!isHttp2 && { requestHandler: new NodeHttpHandler() }),
  });
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
      const { message, stopReason } = request.isStream
        ? await assemble((await client.send(new ConverseStreamCommand({ ...input, messages }))).stream!)
        : await whole(client, { ...input, messages });
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
): Promise<Answer> {
  const { output, stopReason, usage } = await client.send(new ConverseCommand(input));
  if (usage?.totalTokens === undefined) throw new Error('no usage');
  return { message: output!.message!, stopReason };
}

/** A message of the pieces of its stream, put together as the vendor's own examples do. */
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
