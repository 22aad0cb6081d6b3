import { createHmac } from 'node:crypto';
import { canonicalJson } from '../upstream/canonical-json.ts';
import { type JsonObject, objectsOf } from '../upstream/json-object.ts';
import { comparableBlock, type NormalMessage, normalBlocks } from './normal-messages.ts';

/** The position of a thinking block in a conversation. */
export interface ThinkingPlace {
  /** The request's body, for its system text and tools. */
  readonly body: JsonObject;
  /** The messages before the one that contains the block. */
  readonly before: readonly NormalMessage[];
  /** The blocks before it in its own message. */
  readonly earlierBlocks: readonly JsonObject[];
}

/**
 * The kind of a signature's fault: a change to the block itself, to its message, or to the prefix before the
 * message.
 */
export type SignatureFault = 'text' | 'message' | 'prefix';

// Readers of this source can forge a signature; its only purpose is to detect changes.
const KEY = 'winnow testkit';

/**
 * Signs a thinking block for its position.
 *
 * The signature binds the text, the earlier blocks of the message, and the prefix: system, tools that are not
 * deferred, and earlier messages. Cache marks and the form of text contents are not part of it.
 */
export function signThinking(text: string, place: ThinkingPlace): string {
  const { body, before, earlierBlocks } = place;
  const [own, earlier] = [text, earlierBlocks.map(comparableBlock)].map(canonicalJson);
  return [own!, earlier!, prefixOf(body, before)].map(hash).join('.');
}

/**
 * Returns the narrowest fault of a signature, or undefined if the block is at the position for which it was
 * signed.
 */
export function findSignatureFault(
  { text, signature }: { readonly text: string; readonly signature: unknown },
  place: ThinkingPlace,
): SignatureFault | undefined {
  const expected = signThinking(text, place).split('.');
  const found = String(signature).split('.');
  if (found.length !== expected.length || found[0] !== expected[0]) return 'text';
  if (found[1] !== expected[1]) return 'message';
  return found[2] === expected[2] ? undefined : 'prefix';
}

function prefixOf(body: JsonObject, before: readonly NormalMessage[]): string {
  return `{"messages":[${before.map(textOfMessage).join()}],${textOfHead(body)}}`;
}

/** Returns the canonical text of a message; a conversation has many blocks to sign behind the same ones. */
const textOfMessage = once(({ role, blocks }: NormalMessage) =>
  canonicalJson({ role, blocks: blocks.map(comparableBlock) }),
);

/** Returns the canonical members of a request for its system text and tools. */
const textOfHead = once((body: JsonObject) => {
  const system = normalBlocks(body.system).map(comparableBlock);
  const tools = objectsOf(body.tools)
    .filter((tool) => tool.defer_loading !== true)
    .map(({ cache_control, defer_loading, ...definition }) => definition);
  return `"system":${canonicalJson(system)},"tools":${canonicalJson(tools)}`;
});

/** Makes a function that computes the text of each object once. */
function once<Key extends object>(compute: (key: Key) => string): (key: Key) => string {
  const known = new WeakMap<Key, string>();
  return (key) => {
    const text = known.get(key) ?? compute(key);
    known.set(key, text);
    return text;
  };
}

function hash(text: string): string {
  return createHmac('sha256', KEY).update(text).digest('base64').slice(0, 40);
}
