import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto';

/**
 * The version in every stored value. It changes when older proxies could not read new values; these are then
 * missing for them.
 */
const VERSION = '2';

/** 128 bits of the seal as base64url: too many to guess. */
const SEAL_CHARS = 22;

/** Length of the version and the seal, which distinguish a stored value from any other under its key. */
export const HEAD_CHARS = VERSION.length + 1 + SEAL_CHARS;

/**
 * Seals a value for storage: version, seal and JSON, separated by dots.
 *
 * The seal binds the text to its key, so that a third party with write access to the store can neither invent
 * model output nor move it to another session. Equal values have equal texts.
 */
export function sealValue(value: unknown, key: string, secret: KeyObject): string {
  const json = JSON.stringify(value);
  return `${VERSION}.${sealOf(json, key, secret)}.${json}`;
}

/**
 * Returns the value in a stored text; undefined if it has another version or was not stored under this key.
 * Never throws.
 */
export function openValue(text: string, key: string, secret: KeyObject): unknown {
  if (!text.startsWith(`${VERSION}.`)) return undefined;
  const start = VERSION.length + 1;
  const json = text.slice(start + SEAL_CHARS + 1);
  const [given, right] = [text.slice(start, start + SEAL_CHARS), sealOf(json, key, secret)];
  if (!isEqual(given, right)) return undefined;
  // The seal is genuine, so the text is JSON.
  return JSON.parse(json);
}

function sealOf(json: string, key: string, secret: KeyObject): string {
  const seal = createHmac('sha256', secret).update(`${VERSION}\n${key}\n`).update(json).digest('base64url');
  return seal.slice(0, SEAL_CHARS);
}

function isEqual(one: string, other: string): boolean {
  const [left, right] = [Buffer.from(one), Buffer.from(other)];
  return left.length === right.length && timingSafeEqual(left, right);
}
