import OpenAI from 'openai';
import type { FunctionTool, ResponseInput } from 'openai/resources/responses/responses';
import { CATALOGUE } from './catalogue.ts';
import { type DemoClient, TOOL_RESULT } from './client.ts';

const TOOLS = CATALOGUE.map((tool): FunctionTool => ({ type: 'function', ...tool, strict: false }));

/**
 * The official OpenAI library with Responses, streaming. Each turn continues the previous response. Only the
 * base URL differs from the usual setup.
 */
export function responsesClient(proxyUrl: string): DemoClient {
  const client = new OpenAI({ baseURL: `${proxyUrl}/v1`, apiKey: 'no-key-needed' });
  let previous: string | undefined;
  return {
    name: 'openai, responses',
    async say(content, events) {
      let input: ResponseInput = [{ role: 'user', content }];
      for (;;) {
        events.onRequest();
        const stream = client.responses.stream({
          model: 'gpt-5.4',
          input,
          tools: TOOLS,
          ...(previous !== undefined && { previous_response_id: previous }),
        });
        stream.on('response.output_text.delta', ({ delta }) => events.onText(delta));
        const response = await stream.finalResponse();
        previous = response.id;
        input = response.output.flatMap((item) => {
          if (item.type !== 'function_call') return [];
          events.onCall(item.name, JSON.parse(item.arguments));
          return [{ type: 'function_call_output' as const, call_id: item.call_id, output: TOOL_RESULT }];
        });
        await events.onAnswer();
        if (input.length === 0) return;
      }
    },
  };
}
