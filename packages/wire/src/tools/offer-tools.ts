import type { AddedTool, ToolDeclarations } from '../format/capabilities.ts';
import type { Format } from '../format/format.ts';
import type { ReadOptions } from '../format/request-reader.ts';
import type { RequestView, ToolSection } from '../format/view.ts';
import { appendElements, setMember, splice } from '../json/json-splice.ts';
import { rememberBy } from '../remember-by.ts';
import { BodyBytes } from '../request/body-bytes.ts';
import { writeRequest, writtenText } from '../request/write-request.ts';

/**
 * Returns a request as if its client had declared these tools as well. Undefined when the format or the
 * request's declarations do not allow it, or when there is too little memory. No plan defers them, because
 * they are not functions of the client.
 */
export function offerTools(
  format: Pick<Format, 'reading' | 'capabilities'>,
  view: RequestView,
  tools: readonly AddedTool[],
  options: ReadOptions,
): RequestView | undefined {
  const { reading: reader, capabilities } = format;
  const declarations = capabilities.addedTools;
  const bytes = declarations && appendTools(view, tools, declarations);
  if (bytes === undefined) return undefined;
  const reading = reader.readRequest(new BodyBytes([bytes]), options);
  if (!reading.ok || reading.view.toolSection === undefined) return undefined;
  const names = tools.map(({ name }) => name);
  const toolSection = withOthers(reading.view.toolSection, names);
  return {
    ...reading.view,
    toolSection,
    tools: toolSection.entries,
    clientTools: view.toolSection?.text ?? '[]',
    bypass: undefined,
  };
}

/**
 * Returns the section with the entries of these names marked as `other`, so that no plan defers them; the
 * same section for a repeated one.
 */
const withOthers = rememberBy((section: ToolSection, names: readonly string[]): ToolSection => {
  const added = new Set(names);
  const entries = section.entries.map((entry) =>
    entry.name !== undefined && added.has(entry.name) ? { ...entry, kind: 'other' as const } : entry,
  );
  return { ...section, entries };
});

/**
 * Returns the request with these tools after the client's own, or in a new section when it declares none.
 * Everything else keeps its bytes. Undefined when the member's value has no list of tools.
 */
function appendTools(
  view: RequestView,
  tools: readonly AddedTool[],
  { member, writeTool, writeSection = (list) => `[${list}]` }: ToolDeclarations,
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
