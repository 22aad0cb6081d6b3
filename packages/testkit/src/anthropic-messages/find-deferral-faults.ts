import type { IncomingHttpHeaders } from 'node:http';
import { type JsonObject, objectsOf } from '../upstream/json-object.ts';
import { badRequest, type Rejection } from '../upstream/rejection.ts';
import { referencesIn } from './references-in.ts';

/** Finds everything that a server without deferral refuses, in the words of a strict validator. */
export function* findDeferralFaults(body: JsonObject, headers: IncomingHttpHeaders): Generator<Rejection> {
  for (const [position, tool] of objectsOf(body.tools).entries()) {
    if ('defer_loading' in tool) {
      yield badRequest(`tools.${position}.custom.defer_loading: Extra inputs are not permitted`);
    }
    if (String(tool.type).startsWith('tool_search_tool')) {
      const fault = `Input tag '${tool.type}' found using 'type' does not match any of the expected tags`;
      yield badRequest(`tools.${position}: ${fault}`);
    }
  }
  for (const { place } of referencesIn(body.messages)) {
    yield badRequest(`${place}: Input tag 'tool_reference' does not match any of the expected tags`);
  }
  for (const [position, { content }] of objectsOf(body.messages).entries()) {
    const block = objectsOf(content).find(({ type, name }) => isOfSearch(type, name));
    if (block) {
      yield badRequest(
        `messages.${position}.content: Input tag '${block.type}' found using 'type' does not match any of the expected tags`,
      );
    }
  }
  const beta = /advanced-tool-use-[\d-]+|tool-search-tool-[\d-]+/.exec(String(headers['anthropic-beta']));
  if (beta) yield badRequest(`Unexpected value(s) \`${beta[0]}\` for the \`anthropic-beta\` header.`);
}

/** Whether a block is one of the vendor's own tool searches. */
function isOfSearch(type: unknown, name: unknown): boolean {
  return (
    type === 'tool_search_tool_result' ||
    (type === 'server_tool_use' && String(name).startsWith('tool_search_tool'))
  );
}
