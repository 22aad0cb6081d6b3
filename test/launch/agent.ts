/**
 * A program that knows nothing of Winnow: it has one conversation by an official SDK, whose address comes from
 * the environment, with forty tools. Prints the model's text.
 */

const parameters = { type: 'object', properties: { text: { type: 'string' } } } as const;
const tools = Array.from({ length: 40 }, (_, number) => ({
  name: `tool_${number}`,
  description: `Takes care of number ${number} of the shop: ${'it looks after whatever belongs to it. '.repeat(8)}`,
}));
const question = 'How is business today?';
const messages = [{ role: 'user' as const, content: question }];

async function chat(client: import('openai').OpenAI): Promise<unknown> {
  const { choices } = await client.chat.completions.create({
    model: 'gpt-4.1',
    messages,
    tools: tools.map((tool) => ({ type: 'function' as const, function: { ...tool, parameters } })),
  });
  return choices[0]!.message.content;
}

const CLIENTS: Readonly<Record<string, () => Promise<unknown>>> = {
  async openai() {
    const { OpenAI } = await import('openai');
    return chat(new OpenAI());
  },
  async azure() {
    const { AzureOpenAI } = await import('openai');
    return chat(new AzureOpenAI({ apiVersion: '2025-01-01-preview' }));
  },
  async responses() {
    const { OpenAI } = await import('openai');
    const { output_text } = await new OpenAI().responses.create({
      model: 'gpt-4.1',
      input: question,
      tools: tools.map((tool) => ({ type: 'function' as const, ...tool, parameters, strict: false })),
    });
    return output_text;
  },
  async anthropic() {
    const { Anthropic } = await import('@anthropic-ai/sdk');
    const { content } = await new Anthropic().messages.create({
      model: 'claude-sonnet-4-6',
      max_tokens: 100,
      messages,
      tools: tools.map((tool) => ({ ...tool, input_schema: parameters })),
    });
    return content[0]?.type === 'text' && content[0].text;
  },
  async 'ai-sdk-anthropic'() {
    const { generateText, tool, jsonSchema } = await import('ai');
    const { anthropic } = await import('@ai-sdk/anthropic');
    const { text } = await generateText({
      model: anthropic('claude-sonnet-4-6'),
      prompt: question,
      tools: Object.fromEntries(
        tools.map(({ name, description }) => [
          name,
          tool({ description, inputSchema: jsonSchema(parameters) }),
        ]),
      ),
    });
    return text;
  },
  async gemini() {
    const { GoogleGenAI } = await import('@google/genai');
    const { text } = await new GoogleGenAI({}).models.generateContent({
      model: 'gemini-2.5-flash',
      contents: question,
      config: {
        tools: [
          { functionDeclarations: tools.map((tool) => ({ ...tool, parametersJsonSchema: parameters })) },
        ],
      },
    });
    return text;
  },
  async ollama() {
    const { ChatOllama } = await import('@langchain/ollama');
    const model = new ChatOllama({ model: 'qwen3' }).bindTools(
      tools.map((tool) => ({ type: 'function' as const, function: { ...tool, parameters } })),
    );
    return (await model.invoke(question)).text;
  },
  async bedrock() {
    const { BedrockRuntimeClient, ConverseCommand } = await import('@aws-sdk/client-bedrock-runtime');
    const client = new BedrockRuntimeClient();
    const { output } = await client.send(
      new ConverseCommand({
        modelId: 'eu.amazon.nova-pro-v1:0',
        messages: [{ role: 'user', content: [{ text: question }] }],
        toolConfig: {
          tools: tools.map((tool) => ({ toolSpec: { ...tool, inputSchema: { json: parameters } } })),
        },
      }),
    );
    client.destroy();
    return output?.message?.content?.[0]?.text;
  },
};

console.log(await CLIENTS[process.argv[2] ?? '']!());

export {};
