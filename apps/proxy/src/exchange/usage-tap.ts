import { decodeStream } from '@winnow/service';
import { type Format, rememberBy, type Usage } from '@winnow/wire';
import { headerValue } from '../upstream/headers.ts';
import { isGood } from '../upstream/proxy-error.ts';
import type { UpstreamResponse } from '../upstream/send-upstream.ts';
import { UpstreamBody } from '../upstream/upstream-body.ts';

/** The most characters of a value that counts tokens, and of what stands between a name and its value. */
const MOST_VALUE_CHARS = 8_192;
const MOST_SPACE_CHARS = 64;

/** The most responses that are decoded at the same time to be counted, and the most encoded bytes that wait. */
const MOST_DECODING = 64;
const MOST_WAITING_BYTES = 1024 * 1024;

let decoding = 0;

/**
 * Counts the tokens of a response while it passes: no byte is changed, delayed or kept, apart from a value that is
 * not complete yet.
 */
export class UsageTap {
  readonly #passing: Format['joining']['passing'];
  readonly #counts: Record<string, unknown> = {};
  /** The end of the text so far, which may be the start of a member. */
  #rest = '';
  #isFollowing = false;
  #encoded: UpstreamBody | undefined;
  #decoded: Promise<void> | undefined;

  constructor({ joining }: Pick<Format, 'joining'>) {
    this.#passing = joining.passing;
  }

  /** Whether it has seen a response that it can count. */
  get isFollowing(): boolean {
    return this.#isFollowing;
  }

  /** Follows a response that is about to flow, if it is a successful one. */
  follow(response: UpstreamResponse): void {
    if (this.#passing === undefined || !isGood(response)) return;
    this.#isFollowing = true;
    const encoding = headerValue(response.headers, 'content-encoding');
    if (encoding === undefined || encoding === 'identity') {
      response.body.tap((piece) => this.see(piece));
    } else if (decoding < MOST_DECODING) this.#decode(response.body, encoding);
  }

  /** Counts what a piece of the decoded body reports. */
  see(piece: Uint8Array): void {
    const { expression, names, longest } = membersOf(this.#passing!.members);
    // Names and numbers are ASCII, whatever the encoding of the text between them.
    const text = this.#rest + toBuffer(piece).toString('latin1');
    // Most pieces of a stream have no name.
    if (!names.some((name) => text.includes(name))) {
      this.#rest = text.slice(-longest);
      return;
    }
    expression.lastIndex = 0;
    let end = 0;
    for (let match = expression.exec(text); match !== null; match = expression.exec(text)) {
      const value = valueAt(text, expression.lastIndex);
      if (value === undefined) {
        this.#rest = text.slice(match.index);
        return;
      }
      this.#add(match[1]!, value);
      end = expression.lastIndex;
    }
    this.#rest = text.slice(Math.max(end, text.length - longest));
  }

  /** Returns the tokens, once no more bytes will pass; undefined if the response has reported none. */
  usage(): Usage | undefined | Promise<Usage | undefined> {
    this.#encoded?.finish();
    return this.#decoded === undefined ? this.#counted() : this.#decoded.then(() => this.#counted());
  }

  #counted(): Usage | undefined {
    const usage = this.#passing?.toUsage(this.#counts);
    return usage && (usage.inputTokens > 0 || usage.outputTokens > 0) ? usage : undefined;
  }

  #add(member: string, text: string): void {
    try {
      const value: unknown = JSON.parse(text);
      const before = this.#counts[member];
      // A stream reports some counts at its start, and others at its end.
      this.#counts[member] =
        typeof value === 'object' && typeof before === 'object' ? { ...before, ...value } : (value ?? before);
    } catch {
      // Not the JSON of a count.
    }
  }

  #decode(body: UpstreamBody, encoding: string): void {
    const passed = new UpstreamBody({ pause() {}, resume() {}, abort() {} });
    const decoded = decodeStream(passed, encoding);
    if (decoded === undefined) return;
    let waiting = 0;
    body.tap((piece) => {
      waiting += piece.length;
      if (waiting > MOST_WAITING_BYTES) passed.destroy();
      else passed.push(piece);
    });
    const read = async () => {
      for await (const piece of decoded) {
        waiting = 0;
        this.see(piece);
      }
    };
    this.#encoded = passed;
    decoding++;
    this.#decoded = read()
      .catch(() => {})
      .finally(() => decoding--);
  }
}

function toBuffer(piece: Uint8Array): Buffer {
  return piece instanceof Buffer ? piece : Buffer.from(piece.buffer, piece.byteOffset, piece.length);
}

/** The names of counts between quotes, as an expression and one by one, and the length of the longest. */
const membersOf = rememberBy((members: readonly string[]) => {
  const names = members.map((member) => `"${member}"`);
  return {
    expression: new RegExp(`"(${members.join('|')})"`, 'g'),
    names,
    longest: Math.max(...names.map(({ length }) => length)),
  };
});

/** Returns the text of the value after a name; empty if it is neither number nor object, undefined if it is cut off. */
function valueAt(text: string, from: number): string | undefined {
  const space = /\s*:?\s*/y;
  space.lastIndex = from;
  space.exec(text);
  const start = space.lastIndex;
  if (start === text.length) return start - from > MOST_SPACE_CHARS ? '' : undefined;
  if (text[start] !== '{') {
    const number = /[\d.]+(?=(\D)?)/y;
    number.lastIndex = start;
    const [value, next] = number.exec(text) ?? [''];
    return value !== '' && next === undefined && value!.length < MOST_SPACE_CHARS ? undefined : value;
  }
  let depth = 0;
  for (let at = start; at < text.length; at++) {
    if (at - start > MOST_VALUE_CHARS) return '';
    if (text[at] === '{') depth++;
    else if (text[at] === '}' && --depth === 0) return text.slice(start, at + 1);
  }
  return undefined;
}
