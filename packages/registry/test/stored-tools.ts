import { generateTools, toProviderTool } from '@winnow/testkit';
import type { StoredTool } from '../src/model/tool.ts';
import { createStoredTool } from '../src/model/tool.ts';

/** A catalogue as a registry would keep it, in several namespaces. */
export function storedTools(count: number, seed: number): readonly StoredTool[] {
  return generateTools({ count, seed }).map((tool, n) =>
    createStoredTool({
      namespace: ['', 'one', 'two'][n % 3]!,
      tool: toProviderTool(tool, 'mcp') as never,
      tags: [`t${n % 5}`],
      version: undefined,
      backends: [{ kind: 'mcp', server: `s${n % 7}` }],
      examples: [],
    }),
  );
}
