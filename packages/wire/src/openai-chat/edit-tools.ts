import type { AddedTool } from '../format/capabilities.ts';
import type { Plan, RequestView, ToolEntry, ToolSection } from '../format/view.ts';
import { type Edit, memberSpan, setMember, splice } from '../json/json-splice.ts';
import { rememberBy } from '../remember-by.ts';
import { type SectionEdit, type WrittenText, writtenText } from '../request/write-request.ts';
import { writeOwnTools } from '../tools/own-tools.ts';
import { deferredOf, swapTools } from '../tools/swap-tools.ts';

/**
 * Returns the edits that give a request the tools of a plan. In native mode, every entry stays in its place,
 * the deferred ones get `defer_loading` in `function`, and the search tool follows the last entry. The
 * entries never depend on the tools found or called.
 */
export function editTools(view: RequestView, plan: Plan): SectionEdit[] {
  if (plan.loadMode !== 'native') return swapTools(view, plan, writeTool);
  return markTools(view, plan, writeOwnTools(plan, writeTool));
}

/** Writes a tool of the proxy. */
export const writeTool = rememberBy(({ name, description, parameters }: AddedTool): string =>
  JSON.stringify({ type: 'function', function: { name, description, parameters } }),
);

function markTools(
  { toolSection: section, spans }: RequestView,
  { defer }: Plan,
  searchTool: string | undefined,
): SectionEdit[] {
  if (section === undefined || spans.tools === undefined) return [];
  const written = markSection(section, defer, searchTool);
  return written === undefined ? [] : [{ ...spans.tools, ...written }];
}

const markSection = rememberBy(
  (
    section: ToolSection,
    defer: readonly string[],
    searchTool: string | undefined,
  ): WrittenText | undefined => {
    const { text, entries } = section;
    const deferred = deferredOf(section, defer);
    // With every tool deferred and no search tool, the model would have no tools.
    const isEmpty = searchTool === undefined && deferred.size === entries.length;
    const last = entries.at(-1);
    if (last === undefined || isEmpty) return undefined;
    const edits = [...deferred].map((entry) => deferLoading(text, entry));
    const { end } = last.span;
    if (searchTool !== undefined) edits.push({ start: end, end, text: `,${searchTool}` });
    return edits.length === 0 ? undefined : writtenText(splice(text, edits));
  },
);

/**
 * Marks an entry as deferred within `function`. vLLM and SGLang prefer this mark and fall back to one next to
 * `type`.
 */
function deferLoading(text: string, { span }: ToolEntry): Edit {
  return setMember(text, memberSpan(text, span.start, 'function')!, 'defer_loading', 'true');
}
