import { removeInvisible } from '@winnow/core';

/** Shorter texts are not secrets, and without them a message would be unreadable. */
const LEAST_SECRET_CHARS = 5;
const MAX_MESSAGE_CHARS = 300;

/** Takes secrets out of texts. More may be learnt while it is in use. */
export class Redactor {
  #secrets: readonly string[] = [];

  constructor(secrets: readonly string[]) {
    for (const secret of secrets) this.add(secret);
  }

  add(secret: string): void {
    if (secret.length < LEAST_SECRET_CHARS || this.#secrets.includes(secret)) return;
    // The longest first, so that no part of one is left when another is within it.
    this.#secrets = [...new Set([...this.#secrets, secret, ...inBase64(secret)])].sort(
      (a, b) => b.length - a.length,
    );
  }

  /** The text with each secret as `***`. */
  redact(text: string): string {
    return this.#secrets.reduce((redacted, secret) => redacted.replaceAll(secret, '***'), text);
  }

  /** Returns a text from outside for use in a message or a log line: without secrets, in one line, shortened. */
  quote(text: string, maxChars: number = MAX_MESSAGE_CHARS): string {
    // Cut first: a server may answer with megabytes. Twice as much, so that a secret is not cut in half.
    const start = text.slice(0, 2 * maxChars + 4_096);
    return removeInvisible(this.redact(start)).replace(/\s+/g, ' ').trim().slice(0, maxChars).toWellFormed();
  }
}

/**
 * Base64 of a secret, alone or anywhere in a longer text, in both alphabets. Which digits it gives depends on the bytes
 * before it, modulo three; digits that share bits with its neighbours are left out.
 */
function inBase64(secret: string): readonly string[] {
  const bytes = Buffer.from(secret);
  return [0, 1, 2].flatMap((before) => {
    const digits = Buffer.concat([Buffer.alloc(before), bytes]).toString('base64');
    const own = digits.slice(Math.ceil((before * 8) / 6), Math.floor(((before + bytes.length) * 8) / 6));
    return own.length < LEAST_SECRET_CHARS ? [] : [own, own.replaceAll('+', '-').replaceAll('/', '_')];
  });
}
