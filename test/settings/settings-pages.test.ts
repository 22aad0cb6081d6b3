import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { entriesOf, printDefault } from '@winnow/service';
import { describe, expect, test } from 'vitest';
import { ROOT, SERVICES } from './services.ts';

const readPage = (page: string) => readFileSync(join(ROOT, page), 'utf8').split('\n');

/**
 * Settings whose default is described in words, because it depends on the machine, the vendor or another
 * setting.
 */
const IN_WORDS = /^(server\.port|sessions\.secret|upstreams\.NAME\.(base_url|format))$/;

/** The table of the settings that several services have, in which `SERVICE` stands for the prefix of each. */
const SHARED = readPage('docs/reference/settings.md');

describe.each(SERVICES)('$page', ({ declaration, page }) => {
  const shared = SHARED.map((line) => line.replace('`SERVICE_', `\`${declaration.prefix}_`));
  const lines = [...readPage(page), ...shared];

  test.each(entriesOf(declaration).map((entry) => [entry.key, entry] as const))(
    'lists %s with its variable and default',
    (key, entry) => {
      const [row, ...others] = lines.filter((line) => line.startsWith(`| \`${key}\` |`));
      expect(others).toEqual([]);
      expect(row).toContain(`| \`${entry.variable}\` |`);
      if (IN_WORDS.test(key)) return;
      const fallback = printDefault(entry)?.replaceAll('"', '');
      const isEmpty = fallback === undefined || fallback === '' || fallback === '[]';
      expect(row?.split(' | ')[2]).toBe(isEmpty ? 'not set' : `\`${fallback}\``);
    },
  );
});
