import { isJsonObject, type JsonObject } from '@winnow/registry';
import type { CallResult } from '../../servers/mcp-servers.ts';
import { type CallContext, type CallEnd, failed } from '../call-tool.ts';
import { textResult } from '../text-result.ts';
import type { NamedOffer } from './offer-directory.ts';
import type { OfferDoor } from './offer-door.ts';

/** An offer that a model calls like a tool. */
export type CallableOffer =
  | { readonly kind: 'prompt'; readonly named: NamedOffer }
  | { readonly kind: 'resource'; readonly uri: string; readonly server: NamedOffer['server'] };

/** Finds the prompt or the resource of a name; undefined for none. A URI of several servers is none. */
export function findOffer({ visible }: OfferDoor, name: string): CallableOffer | undefined {
  const named = visible.directory.find('prompt', name);
  if (named !== undefined) return { kind: 'prompt', named };
  const resource = URI.test(name) ? visible.directory.resolve(name) : undefined;
  return resource?.kind === 'found' ? { kind: 'resource', uri: name, server: resource.server } : undefined;
}

/** The beginning of a URI. An id of a tool looks like one as well; tools come first. */
const URI = /^[a-z][a-z0-9+.-]*:/i;

/** Gets a prompt, or reads a resource, and gives its content as the result of a tool. */
export async function callOffer(
  door: OfferDoor,
  offer: CallableOffer,
  given: JsonObject,
  context: CallContext,
): Promise<CallEnd> {
  const end =
    offer.kind === 'prompt'
      ? await door.getPrompt(offer.named.name, toTexts(given), context)
      : await door.readResource(offer.uri, context);
  if (end.kind === 'error') {
    const server = end.server === undefined ? {} : { server: end.server };
    return { ...failed(end.outcome === 'ok' ? 'refused' : end.outcome, end.error.message), ...server };
  }
  return end.outcome === 'input_required' ? end : { ...end, result: toToolResult(end.result) };
}

/** Arguments of prompts are texts. */
function toTexts(given: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(given).map(([name, value]) => [
      name,
      typeof value === 'string' ? value : JSON.stringify(value),
    ]),
  );
}

function toToolResult({ messages, contents, description }: CallResult): CallResult {
  if (Array.isArray(contents))
    return { content: contents.map((resource: unknown) => ({ type: 'resource', resource })) };
  if (!Array.isArray(messages)) return textResult('The server gave nothing.');
  const said = typeof description === 'string' ? [{ type: 'text', text: description }] : [];
  return { content: [...said, ...messages.filter(isJsonObject).map(toContent)] };
}

function toContent({ role, content }: JsonObject): unknown {
  if (!isJsonObject(content) || content.type !== 'text') return content;
  return { ...content, text: `${String(role)}: ${String(content.text)}` };
}
