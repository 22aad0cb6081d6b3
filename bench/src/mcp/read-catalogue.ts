import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { McpTool } from '@winnow/registry';
import { InputError } from '../input-error.ts';

/** An MCP server with real tools. */
export interface CatalogueServer {
  readonly name: string;
  readonly tools: readonly McpTool[];
}

/** Typical number of tools on a server. */
const TOOLS_OF_A_SERVER = 20;

/**
 * Returns servers of 20 tools each from the catalogues in a folder (`*.jsonl`, one tool per line: `name`,
 * `description`, `parameters`). Starts over when the tools run out: the sizes are those of real tools,
 * however many servers are requested.
 */
export function readServers(folder: string, count: number): readonly CatalogueServer[] {
  const tools = globSync('*.jsonl', { cwd: folder })
    .sort()
    .flatMap((file) => readTools(join(folder, file)));
  if (tools.length === 0) throw new InputError(`${basename(folder)} has no catalogue (*.jsonl)`);
  return Array.from({ length: count }, (_, server) => ({
    name: `server_${server + 1}`,
    tools: Array.from(
      { length: TOOLS_OF_A_SERVER },
      (__, place) => tools[(server * TOOLS_OF_A_SERVER + place) % tools.length]!,
    ),
  }));
}

function readTools(file: string): readonly McpTool[] {
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map(
      (line) =>
        JSON.parse(line) as { name: string; description?: string; parameters: McpTool['inputSchema'] | null },
    )
    .map(({ name, description = '', parameters }) => ({
      name,
      description,
      inputSchema: parameters ?? { type: 'object' },
    }));
}
