import type { AddedTool } from '../format/format.ts';
import type { RequestView } from '../format/view.ts';
import { appendElements, setMember, splice } from '../json/json-splice.ts';
import { writeRequest, writtenText } from '../request/write-request.ts';

/** How a format declares tools. */
export interface ToolDeclarations {
  /** The member of the request that declares them. */
  readonly member: string;
  /** A tool as JSON of an entry. */
  readonly writeTool: (tool: AddedTool) => string;
  /** These entries as the whole value of the member, where the request has none. */
  readonly writeSection: (entries: string) => string;
}

/**
 * The request with these tools behind the client's own, or, where it declares none, in a section of their own. Everything else stays byte
 * for byte. Undefined where the member holds something that has no list of tools.
 */
export function appendTools(
  view: RequestView,
  tools: readonly AddedTool[],
  { member, writeTool, writeSection }: ToolDeclarations,
): Uint8Array | undefined {
  const entries = tools.map(writeTool);
  const { toolSection: section, spans, text } = view;
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
