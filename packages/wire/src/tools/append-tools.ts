import type { AddedTool, ToolDeclarations } from '../format/capabilities.ts';
import type { RequestView } from '../format/view.ts';
import { appendElements, setMember, splice } from '../json/json-splice.ts';
import { writeRequest, writtenText } from '../request/write-request.ts';

/**
 * Returns the request with these tools after the client's own, or in a new section when it declares none.
 * Everything else keeps its bytes. Undefined when the member's value has no list of tools.
 */
export function appendTools(
  view: RequestView,
  tools: readonly AddedTool[],
  { member, writeTool, writeSection }: ToolDeclarations,
): Uint8Array | undefined {
  const { toolSection: section, spans, text } = view;
  const entries = tools.map((tool) => writeTool(tool, section));
  if (section === undefined || spans.tools === undefined) {
    const edit = setMember(text, spans.root, member, writeSection(entries.join(',')));
    return writeRequest(view, [edit]);
  }
  const list = section.lists[0];
  if (list === undefined && !isNothing(section.value)) return undefined;
  const written =
    list === undefined
      ? writeSection(entries.join(','))
      : splice(section.text, [appendElements(section.text, list.span, entries)]);
  return writeRequest(view, [{ ...spans.tools, ...writtenText(written) }]);
}

function isNothing(value: unknown): boolean {
  return value === null || (Array.isArray(value) && value.length === 0);
}
