import { REGISTRY_LIMITS } from '../limits.ts';
import type { CursorBinding, Cursors } from '../pages/cursor.ts';
import { type Outcome, type Refusal, refuse } from '../problem.ts';
import type { Page, PageRequest } from '../registry.ts';

/** Source of the rows of a list. */
export interface PageSource<Item, Row> {
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
