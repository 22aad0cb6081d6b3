import { joinBridged } from '../../bridge/join-bridged.ts';
import type { Format } from '../../format/format.ts';
import { bedrock } from '../../vendors/bedrock.ts';
import { anthropicMessages } from '../anthropic-messages.ts';
import { bridgeDialect } from '../bridge-dialect.ts';
import { toChunk } from './chunk-event.ts';
import { ChunkedCalls } from './chunked-calls.ts';
import { editInvocation } from './edit-invocation.ts';
import { joinInvocations } from './join-invocations.ts';
import { readInvocation } from './read-invocation.ts';

const { hostedSearches: _, ...capabilities } = anthropicMessages.capabilities;
const { nativeHeaders: __, changeHeaders: ___, changeRefusal: ____, ...loading } = anthropicMessages.loading;

/**
 * Claude on Bedrock through InvokeModel: the Messages API with the model in the path, and the version and
 * betas in the body. Its stream is an AWS event stream that carries each event as base64 in a frame. The
 * service runs the vendor's searches itself.
 *
 * Source:
 * https://docs.aws.amazon.com/bedrock/latest/userguide/model-parameters-anthropic-claude-messages.html
 */
export const anthropicBedrock: Format = {
  ...anthropicMessages,
  name: 'anthropic-bedrock',
  vendor: bedrock,
  heartbeat: toChunk('{"type": "ping"}'),
  loading,
  reading: {
    routes: [
      [/\/model\/[^/]+\/(?:invoke|invoke-with-response-stream)$/, 'answer'],
      [/\/model\/[^/]+\/count-tokens$/, 'count_tokens'],
    ],
    readRequest: readInvocation,
  },
  editing: { ...anthropicMessages.editing, editRequest: editInvocation },
  joining: {
    joinResponses: joinBridged(joinInvocations, {
      ...bridgeDialect,
      readCalls: (bridge) => new ChunkedCalls(bridgeDialect.readCalls(bridge)),
    }),
  },
  capabilities,
};
