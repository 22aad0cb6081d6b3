import type { AddedTool } from '../format/capabilities.ts';
import type { Format } from '../format/format.ts';
import type { ReadOptions } from '../format/request-reader.ts';
import type { RequestView, ToolSection } from '../format/view.ts';
import { rememberBy } from '../remember-by.ts';
import { BodyBytes } from '../request/body-bytes.ts';
import { appendTools } from './append-tools.ts';

/**
 * A request as if its client had declared these tools as well; undefined where the format, or what the request declares, lets it have none, and where
 * there is no memory for it. They are no functions of the client's: no plan defers them.
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

/** The section with the entries of these names as what no plan touches; the same one for a section that comes again. */
const withOthers = rememberBy((section: ToolSection, names: readonly string[]): ToolSection => {
  const added = new Set(names);
  const entries = section.entries.map((entry) =>
    entry.name !== undefined && added.has(entry.name) ? { ...entry, kind: 'other' as const } : entry,
  );
  return { ...section, entries };
});
