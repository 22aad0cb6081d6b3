import { GoogleGenAI, type Interactions } from '@google/genai';
import { CATALOGUE } from './catalogue.ts';
import { type DemoClient, TOOL_RESULT } from './client.ts';

const TOOLS = CATALOGUE.map((tool) => ({ type: 'function' as const, ...tool }));

/**
 * The official Google library with Interactions, streaming. Each turn continues the previous interaction.
 * Only the base URL differs from the usual setup.
 */
export function interactionsClient(proxyUrl: string): DemoClient {
  const client = new GoogleGenAI({ apiKey: 'no-key-needed', httpOptions: { baseUrl: proxyUrl } });
  let previous: string | undefined;
  return {
    name: '@google/genai, interactions',
    async say(words, events) {
      let input: string | Interactions.Step[] = words;
      while (input.length > 0) {
        events.onRequest();
        const stream = await client.interactions.create({
          model: 'gemini-3-demo',
          input,
          tools: TOOLS,
          stream: true,
          ...(previous !== undefined && { previous_interaction_id: previous }),
        });
        const calls = new Map<number, { readonly id: string; readonly name: string; text: string }>();
        for await (const event of stream) {
          if (event.event_type === 'interaction.created') previous = event.interaction.id;
          else if (event.event_type === 'step.start' && event.step.type === 'function_call') {
            calls.set(event.index, { id: event.step.id, name: event.step.name, text: '' });
          } else if (event.event_type === 'step.delta') {
            const { index, delta } = event;
            if (delta.type === 'text') events.onText(delta.text);
            if (delta.type === 'arguments_delta') calls.get(index)!.text += delta.arguments;
          }
        }
        for (const { name, text } of calls.values()) events.onCall(name, JSON.parse(text));
        input = [...calls.values()].map(({ id, name }) => ({
          type: 'function_result' as const,
          call_id: id,
          name,
          result: TOOL_RESULT,
        }));
        await events.onAnswer();
      }
    },
  };
}
