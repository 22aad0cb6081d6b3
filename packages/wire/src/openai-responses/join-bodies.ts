import { sumCounts } from '../joining/sum-counts.ts';
import { memberOf, withMembers } from '../json/json-members.ts';
import { isJsonObject, type JsonObject } from '../json/json-splice.ts';
import { parseJson } from '../json/parse-json.ts';
import { withoutHiddenInputs } from './restore-echo.ts';
import type { RoundReader } from './round-reader.ts';

/** What several responses come to. */
export interface JoinedRounds {
  readonly readers: readonly RoundReader[];
  /** The one by which the client's response began. */
  readonly opener: RoundReader | undefined;
  /** Whether the client is given the last response's id, and not the first one's. */
  readonly isLastId: boolean;
  /** The items for the client, as JSON; undefined to leave the last response's. */
  readonly items: readonly string[] | undefined;
  /** Undefined to leave the last response's. */
  readonly usage: JsonObject | undefined;
}

/** The last response's body, with the first one's identity, and what all of them said to the client. */
export function joinBodies(body: string, { readers, opener, isLastId, items, usage }: JoinedRounds): string {
  const first = (opener ?? readers[0])?.start ?? '{}';
  // A failure may come without either.
  const identity = (key: string) => (memberOf(body, key) === undefined ? undefined : memberOf(first, key));
  const created = readers.length === 1 ? undefined : identity('created_at');
  const id = isLastId ? undefined : identity('id');
  const toolUsage = readers.length === 1 ? undefined : sumMember(readers, 'tool_usage');
  const hidden = new Set(readers.slice(0, -1).flatMap((reader) => reader.itemIds));
  const inputs = withoutHiddenInputs(body, hidden);
  return withMembers(body, {
    ...(items !== undefined && { output: `[${items.join(',')}]` }),
    ...(id !== undefined && { id }),
    ...(created !== undefined && { created_at: created }),
    ...(usage !== undefined && memberOf(body, 'usage') !== undefined && { usage: JSON.stringify(usage) }),
    ...(toolUsage !== undefined && { tool_usage: JSON.stringify(toolUsage) }),
    ...(inputs !== undefined && { input_transformations: inputs }),
    ...(items !== undefined && outputText(body, items)),
  });
}

function sumMember(readers: readonly RoundReader[], key: string): JsonObject | undefined {
  const reported = readers.flatMap(({ end }) => {
    const response = end?.body.response;
    const value = isJsonObject(response) ? response[key] : undefined;
    return isJsonObject(value) ? [value] : [];
  });
  return reported.length === 0 ? undefined : reported.reduce(sumCounts);
}

/** Some servers repeat the text of all messages in a member of its own. */
function outputText(body: string, items: readonly string[]): { readonly output_text?: string } {
  if (memberOf(body, 'output_text') === undefined) return {};
  const texts = items.flatMap((item) => {
    const read = parseJson(item);
    const content = isJsonObject(read) && Array.isArray(read.content) ? (read.content as unknown[]) : [];
    return content.flatMap((part) =>
      isJsonObject(part) && part.type === 'output_text' && typeof part.text === 'string' ? [part.text] : [],
    );
  });
  return { output_text: JSON.stringify(texts.join('')) };
}
