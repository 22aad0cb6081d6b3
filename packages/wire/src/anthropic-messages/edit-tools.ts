import { SEARCH_PARAMETERS } from '../describe-search-tool.ts';
import {
  type Edit,
  isJsonObject,
  memberSpan,
  removeMembers,
  type Span,
  setMember,
  splice,
  textOf,
  valueSpan,
} from '../json-splice.ts';
import { deferredEntries, loadedEntries } from '../swap-tools.ts';
import type { Plan, RequestView, SearchTool, ToolEntry } from '../view.ts';

const CACHE_MARK = 'cache_control';
const CACHE_MARK_KEYS: ReadonlySet<string> = new Set([CACHE_MARK]);

/**
 * The edits that give a request the tools of a plan.
 *
 * A cache mark of a deferred tool moves to the last entry that is not deferred, and stays there while tools are loaded,
 * so that the marked prefix is the same on every round. `referencedNames` are the tools to which a result in the
 * history refers: in native mode a loaded tool without such a result would never be seen, so it is not deferred, on any
 * round of the exchange, whatever its searches find.
 */
export function editTools(view: RequestView, plan: Plan, referencedNames: ReadonlySet<string>): Edit[] {
  const span = view.spans.members.get('tools');
  if (span === undefined || view.tools.length === 0) return [];
  const deferred = deferredEntries(view, plan);
  if (deferred.size === 0 && plan.searchTool === undefined) return [];
  if (plan.loadMode === 'swap') return swap(view, plan, deferred);
  const unseen = new Set(plan.load.filter((name) => !referencedNames.has(name)));
  const marked = [...deferred].filter(({ name }) => !unseen.has(name!));
  return markDeferred(view, plan, new Set(marked));
}

function swap(view: RequestView, plan: Plan, deferred: ReadonlySet<ToolEntry>): Edit[] {
  const kept = view.tools
    .filter((entry) => !deferred.has(entry))
    .map((entry) => textOf(view.text, entry.span));
  const front = plan.searchTool === undefined ? kept : [...kept, writeSearchTool(plan.searchTool)];
  const mark = movedMark(view, deferred);
  const marked = front.map((entry, index) => (index === front.length - 1 ? addMark(entry, mark) : entry));
  const loaded = loadedEntries(plan, deferred).map((entry) => removeMark(textOf(view.text, entry.span)));
  const entries = [...marked, ...loaded];
  // An empty list is rejected.
  if (entries.length === 0) return [];
  return [{ ...view.spans.members.get('tools')!, text: `[${entries.join(',')}]` }];
}

function markDeferred(view: RequestView, plan: Plan, deferred: ReadonlySet<ToolEntry>): Edit[] {
  const { searchTool } = plan;
  // A request with every tool deferred is rejected.
  if (searchTool === undefined && deferred.size === view.tools.length) return [];
  const mark = movedMark(view, deferred);
  const edits = [...deferred].map((entry) => deferLoading(view.text, entry));
  if (searchTool !== undefined) {
    const entry = addMark(writeSearchTool(searchTool), mark);
    const { end } = view.tools.at(-1)!.span;
    return [...edits, { start: end, end, text: `,${entry}` }];
  }
  const lastKept = view.tools.findLast((entry) => !deferred.has(entry))!.span;
  if (mark === undefined) return edits;
  return [...edits, { ...lastKept, text: addMark(textOf(view.text, lastKept), mark) }];
}

function writeSearchTool({ name, description }: SearchTool): string {
  return JSON.stringify({ name, description, input_schema: SEARCH_PARAMETERS });
}

/** Most entries have neither member, and a catalogue may be long: only the others are read member by member. */
function deferLoading(text: string, { span, definition, isCacheMarked }: ToolEntry): Edit {
  const hasMember = isJsonObject(definition) && 'defer_loading' in definition;
  if (!hasMember && !isCacheMarked) return appendMember(text, span, '"defer_loading":true');
  const unmarked = removeMark(textOf(text, span));
  return {
    ...span,
    text: splice(unmarked, [setMember(unmarked, valueSpan(unmarked), 'defer_loading', 'true')]),
  };
}

/** The edit that puts a member behind the last one of an object that has some. */
function appendMember(text: string, { end }: Span, member: string): Edit {
  let position = end - 1;
  while (/\s/.test(text.charAt(position - 1))) position -= 1;
  return { start: position, end: position, text: `,${member}` };
}

/** The mark that the deferred entries lose, as JSON, of several the last; undefined when it must not or need not move. */
function movedMark(view: RequestView, deferred: ReadonlySet<ToolEntry>): string | undefined {
  const marked = [...deferred].findLast(({ isCacheMarked }) => isCacheMarked);
  if (marked === undefined) return undefined;
  const kept = view.tools.filter((entry) => entry.isCacheMarked && !deferred.has(entry));
  // A long-lived mark behind a short-lived one is rejected.
  if (isLongLived(marked) && !kept.every(isLongLived)) return undefined;
  return textOf(view.text, memberSpan(view.text, marked.span.start, CACHE_MARK)!);
}

function isLongLived({ definition }: ToolEntry): boolean {
  const mark = isJsonObject(definition) ? definition[CACHE_MARK] : undefined;
  return isJsonObject(mark) && mark.ttl === '1h';
}

/** The entry with a mark, unless it has one of its own, or is nothing that could have one. */
function addMark(entry: string, mark: string | undefined): string {
  if (mark === undefined || !entry.startsWith('{')) return entry;
  const span = valueSpan(entry);
  const present = memberSpan(entry, span.start, CACHE_MARK);
  if (present !== undefined && textOf(entry, present) !== 'null') return entry;
  return splice(entry, [setMember(entry, span, CACHE_MARK, mark)]);
}

/** The entry without its mark, in its own bytes otherwise; a mark that says null stays. */
function removeMark(entry: string): string {
  const mark = memberSpan(entry, 0, CACHE_MARK);
  if (mark === undefined || textOf(entry, mark) === 'null') return entry;
  return splice(entry, removeMembers(entry, valueSpan(entry), CACHE_MARK_KEYS));
}
