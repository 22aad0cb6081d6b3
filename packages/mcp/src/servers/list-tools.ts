import { isJsonObject, type JsonObject, type McpTool } from '@winnow/registry';
import { type ListKind, type ListReading, type ReadList, readList } from './read-list.ts';

/** The list of tools of a server. */
export interface ListedTools extends Pick<ReadList, 'ttlMs' | 'leftOut'> {
  readonly tools: readonly McpTool[];
}

const TOOLS: ListKind = {
  member: 'tools',
  key: 'name',
  limits: { pages: 64, entries: 5_000, bytes: 32 * 2 ** 20 },
  isCut: false,
};

/** Reads a server's tools: the whole list within its limits, or a `ServerProblem`. */
export async function listTools(reading: ListReading): Promise<ListedTools> {
  const { entries, ...list } = await readList(reading, TOOLS);
  const isTask = (tool: JsonObject) =>
    isJsonObject(tool.execution) && tool.execution.taskSupport === 'required';
  const tasks = entries
    .filter(isTask)
    .map((tool) => ({ tool: String(tool.name), reason: 'It runs only as a task, which is not relayed.' }));
  const tools = entries.filter((tool) => !isTask(tool)).map(toCurrent);
  return {
    ...list,
    leftOut: [...list.leftOut, ...tasks],
    tools: tools as readonly unknown[] as readonly McpTool[],
  };
}

/** Dialects of JSON Schema that are read as one of the two that are checked. */
const DIALECTS: readonly (readonly [RegExp, string])[] = [
  [/draft-0[46]\b/, 'http://json-schema.org/draft-07/schema#'],
  [/draft\/2019-09\b/, 'https://json-schema.org/draft/2020-12/schema'],
];

/** Returns a tool without optional members that are null, and with older dialects of its schemas read as newer ones. */
function toCurrent(tool: JsonObject): JsonObject {
  const members = Object.entries(tool).filter(([key, value]) => value !== null || key === 'inputSchema');
  return Object.fromEntries(
    members.map(([key, value]) => [
      key,
      key.endsWith('Schema') && isJsonObject(value) ? inDialect(value) : value,
    ]),
  );
}

function inDialect(schema: JsonObject): JsonObject {
  const { $schema: written } = schema;
  const [, current] =
    DIALECTS.find(([dialect]) => typeof written === 'string' && dialect.test(written)) ?? [];
  return current === undefined ? schema : { ...schema, $schema: current };
}
