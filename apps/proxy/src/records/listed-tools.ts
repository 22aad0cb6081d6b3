import { createHash } from 'node:crypto';
import type { MeasuredTool } from '@winnow/core';
import { rememberBy, type ToolSection } from '@winnow/wire';

/** The tools of a request by name and size, and its id for records. */
export interface ListedTools {
  /** Equal for lists with the same names, sizes and kept tools. */
  readonly id: string;
  /** The tools as JSON: most lists have been seen before, and are not read again. */
  readonly json: string;
}

/** Maximum length of a list, in characters: some 5,000 tools. A longer one is not recorded. */
const MOST_CHARS = 256 * 1024;

/** Maximum length of a name, in characters: no provider allows longer ones. */
export const MOST_NAME_CHARS = 200;

/** Length of an id, in hexadecimal digits, as that of a query's hash. */
const ID_CHARS = 16;

/** Returns the tools of a request of which a plan defers those in `defer`; undefined without any. */
export function listedTools(
  section: ToolSection | undefined,
  defer: readonly string[],
): ListedTools | undefined {
  return section && listedOf(section, defer);
}

const listedOf = rememberBy(({ entries }: ToolSection, defer: readonly string[]): ListedTools | undefined => {
  const isDeferred = new Set(defer);
  const tools = entries.flatMap(({ name, text }): MeasuredTool[] =>
    name === undefined
      ? []
      : [
          {
            name: name.slice(0, MOST_NAME_CHARS),
            bytes: text.length,
            ...(!isDeferred.has(name) && { kept: true as const }),
          },
        ],
  );
  const json = JSON.stringify(tools);
  if (tools.length === 0 || json.length > MOST_CHARS) return undefined;
  return { id: createHash('sha256').update(json).digest('hex').slice(0, ID_CHARS), json };
});
