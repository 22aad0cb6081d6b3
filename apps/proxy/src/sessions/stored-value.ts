import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto';

/** Stands in every stored value. It changes when older proxies could not read the new ones, which are then a miss for them. */
const VERSION = '2';

/** 128 bits of the seal, as base64url: more than anybody can guess. */
const SEAL_CHARS = 22;

/** The version and the seal: as much of a stored value as tells it from any other under its key. */
export const HEAD_CHARS = VERSION.length + 1 + SEAL_CHARS;

/**
 * A value as it is stored: version, seal and JSON, with dots between.
 *
 * The seal binds the text to the key that it is stored under, so that whoever may write to the store can neither invent what a model has
 * said, nor move it from one session to another. Equal values have equal texts.
 */
export function sealValue(value: unknown, key: string, secret: KeyObject): string {
  const json = JSON.stringify(value);
  return `${VERSION}.${sealOf(json, key, secret)}.${json}`;
}

/** The value in a stored text; undefined when it is of another version, or not what was stored under this key. Never throws. */
export function openValue(text: string, key: string, secret: KeyObject): unknown {
  if (!text.startsWith(`${VERSION}.`)) return undefined;
  const start = VERSION.length + 1;
  const json = text.slice(start + SEAL_CHARS + 1);
  const [given, right] = [text.slice(start, start + SEAL_CHARS), sealOf(json, key, secret)];
  if (!isEqual(given, right)) return undefined;
  // Ours beyond doubt, so it is JSON.
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
