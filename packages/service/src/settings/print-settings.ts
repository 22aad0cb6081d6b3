import type { SettingsTable, ValuesOf } from './setting.ts';

/** The lines of a table's values, one setting each, with `prefix` before its key. Secrets are replaced by `***`. */
export function printSettings<Table extends SettingsTable>(
  table: Table,
  values: ValuesOf<Table>,
  prefix = '',
): string[] {
  return Object.entries(table).map(([key, { isSecret }]) => {
    const value: unknown = values[key as keyof Table];
    return `${prefix}${key}: ${isSecret ? hidden(value) : JSON.stringify(value)}`;
  });
}

function hidden(value: unknown): string {
  const isUnset = value === '' || value === undefined || (Array.isArray(value) && value.length === 0);
  return isUnset ? '(not set)' : '***';
}
