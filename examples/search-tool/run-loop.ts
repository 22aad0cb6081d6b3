import type OpenAI from 'openai';
import type { ChatCompletionMessageParam } from 'openai/resources/chat/completions';
import type { FunctionTool, RegistryApi } from './registry-api.ts';

/** What happens in a loop, for whoever wants to watch. */
export interface LoopEvents {
  onSearch(argumentsText: string, found: readonly string[]): void;
  onCall(name: string, argumentsText: string): void;
  onAnswer(text: string): void;
}

/** What a loop needs. */
export interface Loop {
  readonly client: OpenAI;
  readonly model: string;
  readonly system: string;
  readonly request: string;
  /** Carries a call out. */
  readonly callTool: (name: string, argumentsText: string) => Promise<string>;
  readonly events: LoopEvents;
}

/** Asks the model until it has nothing left to call. It sees the tools that are given, and no others. */
export async function runLoop(loop: Loop, tools: readonly FunctionTool[]): Promise<void> {
  await converse(loop, [...tools], async () => undefined);
}

/**
 * The same with the search tool of a registry: the model begins with that tool and those that are called most, and finds the others.
 *
 * Three things are new: the system prompt ends with the registry's text; a call of the search tool goes to the registry; and the
 * definitions that come back are added to the tools of the requests that follow.
 */
export async function runLoopWithSearch(loop: Loop, registry: RegistryApi): Promise<void> {
  const { definition, system_text: text, always_loaded: loaded } = await registry.describeSearchTool();
  const tools = [definition, ...loaded.map((tool) => tool.definition)];
  await converse({ ...loop, system: `${loop.system}\n\n${text}` }, tools, async (name, argumentsText) => {
    if (name !== definition.function.name) {
      await registry.reportCalls([name]);
      return undefined;
    }
    const known = tools.map((tool) => tool.function.name);
    const { tool_references: references, definitions } = await registry.search(argumentsText, known);
    // Behind the others: what was sent before stays the beginning of what is sent, and stays cached.
    tools.push(...definitions);
    loop.events.onSearch(
      argumentsText,
      references.map((reference) => reference.tool_name),
    );
    // Names and summaries are enough here: the model reads the definitions among its tools.
    return JSON.stringify(references.map(({ tool_name, summary }) => ({ tool_name, summary })));
  });
}

/** Answers a call itself, or gives undefined for one that is to be carried out. */
type Intercept = (name: string, argumentsText: string) => Promise<string | undefined>;

async function converse(
  { client, model, system, request, callTool, events }: Loop,
  tools: FunctionTool[],
  intercept: Intercept,
): Promise<void> {
  const messages: ChatCompletionMessageParam[] = [
    { role: 'system', content: system },
    { role: 'user', content: request },
  ];
  for (;;) {
    const completion = await client.chat.completions.create({ model, messages, tools });
    const { message } = completion.choices[0]!;
    messages.push(message);
    if (!message.tool_calls?.length) return events.onAnswer(message.content ?? '');
    for (const call of message.tool_calls) {
      if (call.type !== 'function') continue;
      const { name, arguments: argumentsText } = call.function;
      const intercepted = await intercept(name, argumentsText);
      if (intercepted === undefined) events.onCall(name, argumentsText);
      const content = intercepted ?? (await callTool(name, argumentsText));
      messages.push({ role: 'tool', tool_call_id: call.id, content });
    }
  }
}
