import type { AddedTool } from '../format/capabilities.ts';
import type { Plan, RequestView, ToolEntry, ToolSection } from '../format/view.ts';
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
} from '../json/json-splice.ts';
import { rememberBy } from '../remember-by.ts';
import { type SectionEdit, type WrittenText, writtenText } from '../request/write-request.ts';
import { writeOwnTools } from '../tools/own-tools.ts';
import { deferredOf, loadedEntries } from '../tools/swap-tools.ts';

const CACHE_MARK = 'cache_control';
const CACHE_MARK_KEYS: ReadonlySet<string> = new Set([CACHE_MARK]);

/**
 * Returns the edits that give a request the tools of a plan.
 *
 * The cache mark of a deferred tool moves to the last entry that is not deferred, and stays there while tools
 * are loaded, so that the marked prefix is the same in every round. In native mode, the entries never depend
 * on the tools found or called.
 */
export function editTools({ toolSection: section, spans }: RequestView, plan: Plan): SectionEdit[] {
  if (section === undefined || spans.tools === undefined || section.entries.length === 0) return [];
  const own = writeOwnTools(plan, writeTool) ?? '';
  const load = plan.loadMode === 'swap' ? plan.load : NO_NAMES;
  const written =
    plan.loadMode === 'native'
      ? markSection(section, plan.defer, own)
      : swapSection(section, plan.defer, load, own);
  return written === undefined ? [] : [{ ...spans.tools, ...written }];
}

const swapSection = rememberBy(
  (
    section: ToolSection,
    defer: readonly string[],
    load: readonly string[],
    own: string,
  ): WrittenText | undefined => {
    const deferred = deferredOf(section, defer);
    if (deferred.size === 0 && own === '') return undefined;
    const text = swap(section, deferred, load, own);
    return text === undefined ? undefined : writtenText(text);
  },
);

const markSection = rememberBy(
  (section: ToolSection, defer: readonly string[], own: string): WrittenText | undefined => {
    const deferred = deferredOf(section, defer);
    if (deferred.size === 0 && own === '') return undefined;
    const edits = marksFor(section, deferred, own);
    return edits.length === 0 ? undefined : writtenText(splice(section.text, edits));
  },
);

function swap(
  section: ToolSection,
  deferred: ReadonlySet<ToolEntry>,
  load: readonly string[],
  own: string,
): string | undefined {
  const kept = section.entries.filter((entry) => !deferred.has(entry)).map((entry) => entry.text);
  const front = own === '' ? kept : [...kept, own];
  const mark = movedMark(section, deferred);
  const marked = front.map((entry, index) => (index === front.length - 1 ? addMark(entry, mark) : entry));
  const loaded = loadedEntries(load, deferred).map((entry) => removeMark(entry.text));
  const entries = [...marked, ...loaded];
  // The API rejects an empty list.
  return entries.length === 0 ? undefined : `[${entries.join(',')}]`;
}

function marksFor(section: ToolSection, deferred: ReadonlySet<ToolEntry>, own: string): Edit[] {
  // The API rejects a request that defers every tool.
  if (own === '' && deferred.size === section.entries.length) return [];
  const mark = movedMark(section, deferred);
  const edits = [...deferred].map((entry) => deferLoading(section.text, entry));
  if (own !== '') {
    const entry = addMark(own, mark);
    const { end } = section.entries.at(-1)!.span;
    return [...edits, { start: end, end, text: `,${entry}` }];
  }
  if (mark === undefined) return edits;
  const lastKept = section.entries.findLast((entry) => !deferred.has(entry))!;
  return [...edits, { ...lastKept.span, text: addMark(lastKept.text, mark) }];
}

/** Writes a tool of the proxy. */
export const writeTool = rememberBy(({ name, description, parameters }: AddedTool): string =>
  JSON.stringify({ name, description, input_schema: parameters }),
);

const NO_NAMES: readonly string[] = [];

/**
 * Marks an entry as deferred. Most entries have neither member, so only the others are parsed member by
 * member: a catalogue may be long.
 */
function deferLoading(section: string, { text, span, definition, isCacheMarked }: ToolEntry): Edit {
  const hasMember = isJsonObject(definition) && 'defer_loading' in definition;
  if (!hasMember && !isCacheMarked) return appendMember(section, span, '"defer_loading":true');
  const unmarked = removeMark(text);
  return {
    ...span,
    text: splice(unmarked, [setMember(unmarked, valueSpan(unmarked), 'defer_loading', 'true')]),
  };
}

/** Returns the edit that appends a member to an object that is not empty. */
function appendMember(text: string, { end }: Span, member: string): Edit {
  let position = end - 1;
  while (/\s/.test(text.charAt(position - 1))) position -= 1;
  return { start: position, end: position, text: `,${member}` };
}

/**
 * Returns the cache mark that the deferred entries lose, as JSON: the last of several. Undefined when the
 * mark must not or need not move.
 */
function movedMark({ entries }: ToolSection, deferred: ReadonlySet<ToolEntry>): string | undefined {
  const marked = [...deferred].findLast(({ isCacheMarked }) => isCacheMarked);
  if (marked === undefined) return undefined;
  const kept = entries.filter((entry) => entry.isCacheMarked && !deferred.has(entry));
  // The API rejects a long-lived mark after a short-lived one.
  if (isLongLived(marked) && !kept.every(isLongLived)) return undefined;
  return textOf(marked.text, memberSpan(marked.text, 0, CACHE_MARK)!);
}

function isLongLived({ definition }: ToolEntry): boolean {
  const mark = isJsonObject(definition) ? definition[CACHE_MARK] : undefined;
  return isJsonObject(mark) && mark.ttl === '1h';
}

/** Returns the entry with a mark, unless it already has one or is not an object. */
function addMark(entry: string, mark: string | undefined): string {
  if (mark === undefined || !entry.startsWith('{')) return entry;
  const span = valueSpan(entry);
  const present = memberSpan(entry, span.start, CACHE_MARK);
  if (present !== undefined && textOf(entry, present) !== 'null') return entry;
  return splice(entry, [setMember(entry, span, CACHE_MARK, mark)]);
}

/** Returns the entry without its mark, otherwise in its own bytes; a null mark stays. */
function removeMark(entry: string): string {
  const mark = memberSpan(entry, 0, CACHE_MARK);
  if (mark === undefined || textOf(entry, mark) === 'null') return entry;
  return splice(entry, removeMembers(entry, valueSpan(entry), CACHE_MARK_KEYS));
}
