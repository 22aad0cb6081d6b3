import type { Change } from '../../changes/change.ts';
import type { StoredTool } from '../../model/tool.ts';
import { readPages, TOOLS_PER_READ } from '../read-pages.ts';
import { type ToolRow, toRow } from '../tool-row.ts';
import type { Connection } from './connection.ts';

/** Yields all tools of a scope in order of id, a thousand at a time. */
export function readAllTools(connection: Connection, scope: number): AsyncGenerator<readonly StoredTool[]> {
  return readPages(async (after) => {
    const { rows } = await connection.query<ToolRow>(
      'SELECT id, definition, rest FROM winnow_registry_tools WHERE scope = $1 AND id > $2 ORDER BY id LIMIT $3',
      [scope, after, TOOLS_PER_READ],
    );
    return rows;
  });
}

/** Writes the outcome of the changes, each tool once. */
export async function writeTools(
  connection: Connection,
  scope: number,
  changes: readonly Change[],
): Promise<void> {
  const outcome = new Map<string, StoredTool | undefined>();
  for (const { upserts, removals } of changes) {
    for (const tool of upserts) outcome.set(tool.id, tool);
    for (const id of removals) outcome.set(id, undefined);
  }
  const tools = [...outcome.values()].filter((tool) => tool !== undefined);
  const gone = [...outcome].filter(([, tool]) => tool === undefined).map(([id]) => id);
  if (gone.length > 0) {
    await connection.query('DELETE FROM winnow_registry_tools WHERE scope = $1 AND id = ANY($2)', [
      scope,
      gone,
    ]);
  }
  if (tools.length === 0) return;
  const rows = tools.map(toRow);
  await connection.query(
    `INSERT INTO winnow_registry_tools (scope, id, definition, rest)
     SELECT $1, * FROM unnest($2::text[], $3::text[], $4::text[])
     ON CONFLICT (scope, id) DO UPDATE SET definition = excluded.definition, rest = excluded.rest`,
    [scope, rows.map(({ id }) => id), rows.map(({ definition }) => definition), rows.map(({ rest }) => rest)],
  );
}
