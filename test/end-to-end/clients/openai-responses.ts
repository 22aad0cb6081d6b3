import OpenAI from 'openai';
import { bedrock } from 'openai/providers/bedrock/aws';
import type { Response, ResponseInput } from 'openai/resources/responses/responses';
import OpenAI6 from 'openai-6';
import { AWS_CREDENTIALS, AWS_REGION, MANTLE_OPENAI } from './aws-credentials.ts';
import { azureClient } from './openai.ts';
import {
  askUnlessLeft,
  type ConversationRequest,
  MAX_STEPS,
  runTool,
  type TestClient,
  withFetch,
} from './test-client.ts';

/** The `openai` package with Responses, with the whole conversation in each request and nothing stored. */
export const openaiResponses: TestClient = {
  name: 'openai, responses',
  format: 'responses',
  converse: (request) => converse(request, OpenAI, 'history'),
};

/** The same, continuing the previous, stored response. */
export const openaiStored: TestClient = {
  name: 'openai, previous_response_id',
  format: 'responses',
  converse: (request) => converse(request, OpenAI, 'previous'),
};

/** The previous major version, which throws if the indexes of a stream's items have gaps. */
export const openai6Responses: TestClient = {
  name: 'openai 6, responses',
  format: 'responses',
  converse: (request) => converse(request, OpenAI6 as unknown as typeof OpenAI, 'history'),
};

/** The same, continuing the previous response. */
export const openai6Stored: TestClient = {
  name: 'openai 6, previous_response_id',
  format: 'responses',
  converse: (request) => converse(request, OpenAI6 as unknown as typeof OpenAI, 'previous'),
};

/** The same with the package's provider for Bedrock, which signs. */
export const openaiBedrock: TestClient = {
  name: 'openai, bedrock',
  format: 'responses',
  signs: MANTLE_OPENAI,
  converse: (request) =>
    converseWith(new OpenAI({ provider: signedProvider(request.url), maxRetries: 0 }), request, 'history'),
};

/** The same with the package's client for Azure. */
export const openaiAzure: TestClient = {
  name: 'openai, azure responses',
  format: 'responses',
  converse: (request) => converseWith(azureClient(request), request, 'history'),
};

/** The provider with the tests' credentials. */
export function signedProvider(url: string) {
  return bedrock({ endpoint: 'mantle', baseURL: `${url}/v1`, region: AWS_REGION, ...AWS_CREDENTIALS });
}

function converse(
  request: ConversationRequest,
  Client: typeof OpenAI,
  by: 'history' | 'previous',
): Promise<unknown[]> {
  const options = { baseURL: `${request.url}/v1`, apiKey: 'key', maxRetries: 0, ...withFetch(request) };
  return converseWith(new Client(options), request, by);
}

async function converseWith(
  client: OpenAI,
  request: ConversationRequest,
  by: 'history' | 'previous',
): Promise<unknown[]> {
  const { model, tools, userMessages, isStream, thinks } = request;
  const transcript: unknown[] = [];
  let input: ResponseInput = [];
  let previous: string | undefined;
  const ask = async (signal: AbortSignal | undefined): Promise<Response> => {
    const body = {
      model,
      input,
      store: by === 'previous',
      ...(previous !== undefined && { previous_response_id: previous }),
      ...(thinks && { reasoning: { effort: 'low' as const } }),
      tools: tools.map(({ name, description, parameters }) => ({
        type: 'function' as const,
        name,
        description,
        parameters: parameters as Record<string, unknown>,
        strict: false,
      })),
    };
    return isStream
      ? client.responses.stream(body, { signal }).finalResponse()
      : client.responses.create(body, { signal });
  };
  for (const content of userMessages) {
    input.push({ role: 'user', content });
    for (let step = 0; step < MAX_STEPS; step++) {
      const response = await askUnlessLeft(request, ask);
      transcript.push(shownOf(response));
      const results = response.output.flatMap((item) =>
        item.type === 'function_call'
          ? [
              {
                type: 'function_call_output' as const,
                call_id: item.call_id,
                output: runTool(item.name, JSON.parse(item.arguments)),
              },
            ]
          : [],
      );
      if (by === 'previous') {
        previous = response.id;
        input = results;
      } else input = [...input, ...(response.output as ResponseInput), ...results];
      if (results.length === 0) break;
    }
  }
  return transcript;
}

/**
 * A response as its user sees it, without reasoning and usage. After hidden searches, its id and times come
 * from another round; the mark after the id shows that.
 */
function shownOf({
  usage,
  id,
  created_at,
  completed_at,
  previous_response_id,
  ...response
}: Response): unknown {
  const { input_transformations, ...shown } = response as Response & { input_transformations?: unknown };
  return {
    ...shown,
    id: id.replace(/r\d+$/, ''),
    previous: previous_response_id?.replace(/r\d+$/, ''),
    output: shown.output.filter(({ type }) => type !== 'reasoning').map(withoutMark),
  };
}

/**
 * The upstream's ids show whether reasoning came directly before, which may also have been a hidden search's.
 */
function withoutMark(item: Response['output'][number]): unknown {
  return 'id' in item ? { ...item, id: item.id?.replace(/^(fc|msg)_[tn]/, '$1_') } : item;
}
