import { DOCUMENT_TERMS_FORM } from '@winnow/ranking';
import type { Pool } from 'pg';
import type { Change } from '../../changes/change.ts';
import type { StoredTool } from '../../model/tool.ts';
import { readPages, TOOLS_PER_READ } from '../read-pages.ts';
import { type ToolRow, toRow } from '../tool-row.ts';
import { type Connection, inTransaction } from './connection.ts';
import { toVectors } from './lexemes.ts';

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

/** Writes the outcome of the changes, each tool once, with its search row. */
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
  if (gone.length > 0) await removeTools(connection, scope, gone);
  if (tools.length === 0) return;
  const rows = tools.map(toRow);
  await connection.query(
    `INSERT INTO winnow_registry_tools (scope, id, definition, rest)
     SELECT $1, * FROM unnest($2::text[], $3::text[], $4::text[])
     ON CONFLICT (scope, id) DO UPDATE SET definition = excluded.definition, rest = excluded.rest`,
    [scope, rows.map(({ id }) => id), rows.map(({ definition }) => definition), rows.map(({ rest }) => rest)],
  );
  await writeSearchRows(connection, scope, tools);
}

/** Rewrites the search rows of a scope when another version wrote them with different terms. */
export async function renewSearchRows(pool: Pool, scope: number): Promise<void> {
  const { rows } = await pool.query<{ form: number }>(FORM, [scope]);
  if (rows[0]!.form === DOCUMENT_TERMS_FORM) return;
  await inTransaction(pool, 'BEGIN', async (connection) => {
    // Another instance may have done the same meanwhile.
    const held = await connection.query<{ form: number }>(`${FORM} FOR UPDATE`, [scope]);
    if (held.rows[0]!.form === DOCUMENT_TERMS_FORM) return;
    for await (const page of readAllTools(connection, scope)) await writeSearchRows(connection, scope, page);
    await connection.query('UPDATE winnow_registry_scopes SET search_form = $2 WHERE id = $1', [
      scope,
      DOCUMENT_TERMS_FORM,
    ]);
  });
}

const FORM = 'SELECT search_form AS form FROM winnow_registry_scopes WHERE id = $1';

async function removeTools(connection: Connection, scope: number, ids: readonly string[]): Promise<void> {
  for (const table of ['winnow_registry_tools', 'winnow_registry_search'])
    await connection.query(`DELETE FROM ${table} WHERE scope = $1 AND id = ANY($2)`, [scope, ids]);
}

/** Writes search rows, except unchanged ones, which have many index entries. */
async function writeSearchRows(
  connection: Connection,
  scope: number,
  tools: readonly StoredTool[],
): Promise<void> {
  await connection.query(
    `INSERT INTO winnow_registry_search AS known (scope, id, vector)
     SELECT $1, * FROM unnest($2::text[], $3::tsvector[])
     ON CONFLICT (scope, id) DO UPDATE SET vector = excluded.vector WHERE known.vector <> excluded.vector`,
    [scope, tools.map(({ id }) => id), toVectors(scope, tools)],
  );
}
