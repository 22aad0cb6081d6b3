import { createHmac, createSecretKey, hash, type KeyObject, timingSafeEqual } from 'node:crypto';
import { parseJson } from '@winnow/core';
import type { Epoch } from '../stores/store.ts';

/** The kind of list that a cursor continues. */
type CursorKind = 'tools' | 'namespaces' | 'search';

/** The binding of a cursor, in addition to its scope and epoch. */
export interface CursorBinding {
  readonly kind: CursorKind;
  /** Identifies the list or search, its order and its viewer. */
  readonly key: string;
}

/** The position of a cursor, or the reason that it cannot be read. */
export type ReadCursor =
  | { readonly ok: true; readonly position: CursorPosition }
  | { readonly ok: false; readonly code: 'invalid_cursor' | 'stale_cursor' };

/** The position of a cursor: after a row, or at an offset in the results of one version. */
export type CursorPosition =
  | { readonly after: string }
  | { readonly version: number; readonly offset: number };

const MAX_CHARS = 512;
const MAC_CHARS = 22;
const TEXT = /^[A-Za-z0-9_-]+$/;

/**
 * Writes and reads cursors. Clients cannot read, forge or change them: an HMAC with a key of the epoch covers their
 * position and their binding.
 *
 * A cursor of another epoch of this scope is stale, so that a client can start again. A cursor that was changed, or
 * belongs to another scope, query, order or viewer, is invalid.
 */
export class Cursors {
  /** A key object, because a key given as bytes would be parsed for every cursor. */
  readonly #key: KeyObject;
  readonly #epochMark: string;
  readonly #scopeMark: string;

  constructor(scope: string, epoch: Epoch) {
    this.#key = createSecretKey(epoch.key, 'hex');
    this.#epochMark = mark(epoch.id);
    this.#scopeMark = mark(`scope ${scope}`);
  }

  /** Writes a cursor of at most 512 characters. */
  write(position: CursorPosition, binding: CursorBinding): string {
    const said = 'after' in position ? ['a', position.after] : ['o', position.version, position.offset];
    const payload = JSON.stringify([this.#scopeMark, this.#epochMark, ...said]);
    const body = Buffer.from(payload).toString('base64url');
    return body + this.#mac(body, binding);
  }

  read(cursor: string, binding: CursorBinding): ReadCursor {
    if (cursor.length > MAX_CHARS || cursor.length <= MAC_CHARS || !TEXT.test(cursor)) return INVALID;
    const body = cursor.slice(0, -MAC_CHARS);
    const [scope, epoch, ...said] = parseList(Buffer.from(body, 'base64url').toString('utf8'));
    if (scope !== this.#scopeMark || typeof epoch !== 'string') return INVALID;
    // Its key is gone with its epoch, so it cannot be verified; the client can only start again.
    if (epoch !== this.#epochMark) return { ok: false, code: 'stale_cursor' };
    const given = Buffer.from(cursor.slice(-MAC_CHARS));
    if (!timingSafeEqual(given, Buffer.from(this.#mac(body, binding)))) return INVALID;
    return { ok: true, position: toPosition(said) };
  }

  /** Covers the body as written, so that each cursor has one spelling. */
  #mac(body: string, { kind, key }: CursorBinding): string {
    const hmac = createHmac('sha256', this.#key);
    return hmac
      .update(JSON.stringify([body, kind, key]))
      .digest('base64url')
      .slice(0, MAC_CHARS);
  }
}

const INVALID = { ok: false, code: 'invalid_cursor' } as const;

function mark(text: string): string {
  return hash('sha256', text, 'base64url').slice(0, 11);
}

function parseList(text: string): readonly unknown[] {
  const value = parseJson(text);
  return Array.isArray(value) ? value : [];
}

/** Reads a position that `write` wrote. */
function toPosition([form, first, second]: readonly unknown[]): CursorPosition {
  return form === 'a' ? { after: first as string } : { version: first as number, offset: second as number };
}
