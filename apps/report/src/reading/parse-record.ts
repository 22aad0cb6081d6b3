import { parseJson, RECORD_VERSION, StoredRecord, ToolListRecord } from '@winnow/core';

/** The reason why a line is not a countable record. */
export type Unreadable =
  /** No JSON object: a line of text, or one that was cut in two. */
  | 'not_json'
  /** JSON of something else: a service writes other events to its log as well. */
  | 'other_line'
  /** A record of another version than this report knows. */
  | 'other_version'
  /** A record of this version with a field that is missing or wrong. */
  | 'invalid';

export type ParsedLine =
  | { readonly ok: true; readonly record: StoredRecord; readonly list?: undefined }
  | { readonly ok: true; readonly list: ToolListRecord }
  | { readonly ok: false; readonly reason: Unreadable };

/** Reads one line of a file of records. Never throws. */
export function parseRecord(line: string): ParsedLine {
  const value = readObject(line);
  if (value === undefined) return { ok: false, reason: 'not_json' };
  if (value.event !== 'exchange' && value.event !== 'tool_list') return { ok: false, reason: 'other_line' };
  if (value.version !== RECORD_VERSION) return { ok: false, reason: 'other_version' };
  if (value.event === 'tool_list') {
    const { data: list } = ToolListRecord.safeParse(value);
    return list === undefined ? { ok: false, reason: 'invalid' } : { ok: true, list };
  }
  const parsed = StoredRecord.safeParse(value);
  return parsed.success ? { ok: true, record: parsed.data } : { ok: false, reason: 'invalid' };
}

function readObject(line: string): Record<string, unknown> | undefined {
  const value = parseJson(line);
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
}
