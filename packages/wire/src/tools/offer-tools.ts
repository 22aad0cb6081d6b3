import type { AddedTool, Format, ReadOptions } from '../format/format.ts';
import type { RequestView, ToolSection } from '../format/view.ts';
import { rememberBy } from '../remember-by.ts';
import { BodyBytes } from '../request/body-bytes.ts';

/**
 * A request as if its client had declared these tools as well; undefined where the format, or what the request declares, lets it have none, and where
 * there is no memory for it. They are no functions of the client's: no plan defers them.
 */
export function offerTools(
  format: Format,
  view: RequestView,
  tools: readonly AddedTool[],
  options: ReadOptions,
): RequestView | undefined {
  const bytes = format.addTools?.(view, tools);
  if (bytes === undefined) return undefined;
  const reading = format.readRequest(new BodyBytes([bytes]), options);
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
