import { createHmac, createSecretKey, hash, type KeyObject, timingSafeEqual } from 'node:crypto';
import { parseJson } from '@winnow/core';
import { REGISTRY_LIMITS } from './limits.ts';
import { type Outcome, type Refusal, refuse } from './problem.ts';
import type { Page, PageRequest } from './registry.ts';
import type { Epoch } from './stores/store.ts';

/** The kind of list that a cursor continues. */
type CursorKind = 'tools' | 'namespaces' | 'search';

/** The binding of a cursor, in addition to its scope and epoch. */
export interface CursorBinding {
  readonly kind: CursorKind;
  /** Identifies the list or search, its order and its viewer. */
  readonly key: string;
}

/** The position of a cursor, or the reason that it cannot be read. */
type ReadCursor =
  | { readonly ok: true; readonly position: CursorPosition }
  | { readonly ok: false; readonly code: 'invalid_cursor' | 'stale_cursor' };

/** The position of a cursor: after a row, or at an offset in the results of one version. */
type CursorPosition = { readonly after: string } | { readonly version: number; readonly offset: number };

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

/** Source of the rows of a list. */
interface PageSource<Item, Row> {
  /** Yields the items after a key, in order; all items without a key. */
  after(key: string | undefined): Generator<Item>;
  key(item: Item): string;
  row(item: Item): Row;
}

/** Context for reading a page. */
export interface PageReading {
  readonly cursors: Cursors;
  /** The version of the content. */
  readonly version: number;
  readonly binding: CursorBinding;
}

/** Reads one page of a list. It continues after the last item of the previous page, whatever changed since. */
export function listPage<Item, Row>(
  { cursors, version, binding }: PageReading,
  { cursor, pageSize = REGISTRY_LIMITS.defaultPageSize }: PageRequest,
  source: PageSource<Item, Row>,
): Outcome<Page<Row>> {
  if (!Number.isInteger(pageSize) || pageSize < 0 || pageSize > REGISTRY_LIMITS.pageSize) {
    return refuse(
      'invalid_request',
      `page_size must be a whole number up to ${REGISTRY_LIMITS.pageSize}.`,
      'page_size',
    );
  }
  const start = readStart(cursor, cursors, binding);
  if (!start.ok) return start;
  const items: Item[] = [];
  let hasMore = false;
  for (const item of source.after(start.after)) {
    hasMore = items.length === pageSize;
    if (hasMore) break;
    items.push(item);
  }
  const last = items.at(-1);
  const next =
    hasMore && last !== undefined ? cursors.write({ after: source.key(last) }, binding) : undefined;
  return {
    ok: true,
    rows: items.map((item) => source.row(item)),
    ...(next !== undefined && { nextCursor: next }),
    version,
  };
}

function readStart(
  cursor: string | undefined,
  cursors: Cursors,
  binding: CursorBinding,
): Refusal | { readonly ok: true; readonly after: string | undefined } {
  if (cursor === undefined) return { ok: true, after: undefined };
  const read = cursors.read(cursor, binding);
  if (!read.ok) return refuse(read.code, CURSOR_MESSAGES[read.code], 'cursor');
  // Cursors of lists have no other form.
  return { ok: true, after: 'after' in read.position ? read.position.after : undefined };
}

const CURSOR_MESSAGES = {
  invalid_cursor: 'The cursor does not belong to this list.',
  stale_cursor: 'The cursor is from before a reset of the registry: start again.',
} as const;
