import type { RequestView, ToolEntry } from '../../format/view.ts';
import { isJsonObject, removeMembers, splice, valueSpan } from '../../json/json-splice.ts';
import { type SectionEdit, writtenText } from '../../request/write-request.ts';

const DEFERRAL: ReadonlySet<string> = new Set(['defer_loading']);
const DEFERRAL_AND_MARK: ReadonlySet<string> = new Set(['defer_loading', 'cache_control']);

/**
 * Returns the tools of a request without deferral: the tools that are not deferred in their places, then the
 * shown deferred tools in the order of `shown`. If none would remain, all tools stay, because the API rejects
 * an empty list.
 *
 * @param replace returns the entry to send upstream; undefined to keep the entry.
 */
export function flattenTools(
  { tools, spans }: RequestView,
  shown: Iterable<string>,
  replace: (entry: ToolEntry) => string | undefined = () => undefined,
): SectionEdit[] {
  if (spans.tools === undefined) return [];
  const plain = tools
    .filter((entry) => !isDeferred(entry))
    .map((entry) => replace(entry) ?? without(entry, DEFERRAL));
  const deferred = tools.filter(isDeferred);
  const byName = new Map(deferred.toReversed().map((entry) => [entry.name, entry]));
  const loaded = [...shown].flatMap((name) => byName.get(name) ?? []);
  const all = [...plain, ...loaded.map((entry) => without(entry, DEFERRAL_AND_MARK))];
  const entries = all.length > 0 ? all : deferred.map((entry) => without(entry, DEFERRAL));
  return [{ ...spans.tools, ...writtenText(`[${entries.join(',')}]`) }];
}

/** Whether an entry has the member `defer_loading`. */
export function isMarked({ definition }: ToolEntry): boolean {
  return isJsonObject(definition) && 'defer_loading' in definition;
}

/** Whether an entry is deferred. */
export function isDeferred({ definition }: ToolEntry): boolean {
  return isJsonObject(definition) && definition.defer_loading === true;
}

function without({ text, definition }: ToolEntry, keys: ReadonlySet<string>): string {
  const isThere = isJsonObject(definition) && [...keys].some((key) => key in definition);
  return isThere ? splice(text, removeMembers(text, valueSpan(text), keys)) : text;
}
