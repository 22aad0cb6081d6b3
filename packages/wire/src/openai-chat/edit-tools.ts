import { SEARCH_PARAMETERS } from '@winnow/text';
import type { Plan, RequestView, SearchTool, ToolEntry, ToolSection } from '../format/view.ts';
import { type Edit, memberSpan, setMember, splice } from '../json/json-splice.ts';
import { rememberBy } from '../remember-by.ts';
import { type SectionEdit, type WrittenText, writtenText } from '../request/write-request.ts';
import { deferredOf, swapTools } from '../tools/swap-tools.ts';

/**
 * The edits that give a request the tools of a plan. Natively every entry stays at its place, the deferred ones with `defer_loading` within
 * `function`, and the search tool stands behind the last: nothing that was found or called changes an entry.
 */
export function editTools(view: RequestView, plan: Plan): SectionEdit[] {
  const searchTool = plan.searchTool && writeSearchTool(plan.searchTool);
  if (plan.loadMode === 'native') return markTools(view, plan, searchTool);
  const edit = swapTools(view, plan, searchTool);
  return edit === undefined ? [] : [edit];
}

function writeSearchTool({ name, description }: SearchTool): string {
  return JSON.stringify({
    type: 'function',
    function: { name, description, parameters: SEARCH_PARAMETERS },
  });
}

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
    // With every tool deferred and none to search with, the model would be left without any.
    const isEmpty = searchTool === undefined && deferred.size === entries.length;
    const last = entries.at(-1);
    if (last === undefined || isEmpty) return undefined;
    const edits = [...deferred].map((entry) => deferLoading(text, entry));
    const { end } = last.span;
    if (searchTool !== undefined) edits.push({ start: end, end, text: `,${searchTool}` });
    return edits.length === 0 ? undefined : writtenText(splice(text, edits));
  },
);

/** Within `function`, where it counts before a mark beside `type`: vLLM and SGLang read both, and take the latter where the former is not there. */
function deferLoading(text: string, { span }: ToolEntry): Edit {
  return setMember(text, memberSpan(text, span.start, 'function')!, 'defer_loading', 'true');
}
