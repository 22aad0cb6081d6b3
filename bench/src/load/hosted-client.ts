import { MESSAGES_CLIENT } from './messages-client.ts';
import { type ClientAnswer, insist, type WireClient } from './wire-client.ts';

interface Block {
  readonly type: string;
  readonly id?: string;
  readonly tool_use_id?: string;
}

/**
 * Anthropic Messages, by a client that leaves its tool searches to the provider, through an upstream that
 * runs none.
 */
export const HOSTED_CLIENT: WireClient = {
  ...MESSAGES_CLIENT,
  path: '/plain/v1/messages',
  writeBody({ model, isStream, catalogue, thinking }, history) {
    const head = { model, max_tokens: 8_192, stream: isStream, ...(thinking && { thinking }) };
    return `${JSON.stringify({ ...head, messages: history }).slice(0, -1)},"tools":${catalogue.json.hosted}}`;
  },
  readStream: (events) => withSoundSearches(MESSAGES_CLIENT.readStream(events)),
  readWhole: (json) => withSoundSearches(MESSAGES_CLIENT.readWhole(json)),
};

/**
 * Checks that every search is followed by its result, except searches next to a call. The start of a message
 * may hold results for the previous one.
 */
function withSoundSearches(answer: ClientAnswer): ClientAnswer {
  const { content } = answer.message as { content: readonly Block[] };
  const isResult = ({ type }: Block) => type === 'tool_search_tool_result';
  const first = content.findIndex((block) => !isResult(block));
  const open = new Set<string | undefined>();
  for (const [at, block] of content.entries()) {
    if (block.type === 'server_tool_use') open.add(block.id);
    if (!isResult(block)) continue;
    insist(open.delete(block.tool_use_id) || at < first, `a result of no search: ${block.tool_use_id}`);
  }
  insist(open.size === 0 || answer.calls.length > 0, 'a search has no result');
  return answer;
}
