import type OpenAI from 'openai';
import type { ChatCompletionMessageParam } from 'openai/resources/chat/completions';
import type { FunctionTool, RegistryApi } from './registry-api.ts';

/** Events of a loop, for observers. */
export interface LoopEvents {
  onSearch(argumentsText: string, found: readonly string[]): void;
  onCall(name: string, argumentsText: string): void;
  onAnswer(text: string): void;
}

/** The dependencies of a loop. */
export interface Loop {
  readonly client: OpenAI;
  readonly model: string;
  readonly system: string;
  readonly request: string;
  /** Executes a call. */
  readonly callTool: (name: string, argumentsText: string) => Promise<string>;
  readonly events: LoopEvents;
}

/** Asks the model until it makes no more calls. The model sees only the given tools. */
export async function runLoop(loop: Loop, tools: readonly FunctionTool[]): Promise<void> {
  await converse(loop, [...tools], async () => undefined);
}

/**
 * The same loop with a registry's search tool: the model starts with that tool and the most-called ones, and
 * finds the others.
 *
 * It adds three steps: the registry's text ends the system prompt; calls of the search tool go to the
 * registry; and the definitions that it returns join the tools of later requests.
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
    const answer = await registry.search(argumentsText, known);
    const { tool_references: references, next_names, definitions, certainty, unknown_words } = answer;
    // Appended, so that the start of the prompt does not change and stays cached.
    tools.push(...definitions);
    loop.events.onSearch(
      argumentsText,
      references.map((reference) => reference.tool_name),
    );
    // Names and summaries are enough here: the definitions are among the tools.
    const named = references.map(({ tool_name, summary }) => ({ tool_name, summary }));
    if (certainty === undefined) return JSON.stringify({ found: named, next_names });
    return JSON.stringify({ advice: NOT_FOUND, unknown_words, come_near: named });
  });
}

/** Keeps a model from searching on for a tool that does not exist. */
const NOT_FOUND =
  'No tool clearly matches. Search for the exact name of one that comes near to use it; otherwise say that no tool does this.';

/** Resolves a search call; returns undefined for calls that the application must execute. */
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
