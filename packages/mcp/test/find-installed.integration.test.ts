import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, describe, expect, test } from 'vitest';
import { findInstalled } from '../src/servers/load-client.ts';

const folders: string[] = [];

/** A folder with an empty `node_modules`, as of a program without its optional packages. */
function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'winnow-installed-'));
  folders.push(folder);
  mkdirSync(join(folder, 'node_modules', '@vendor'), { recursive: true });
  return folder;
}

afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

const DESCRIPTION = {
  name: '@vendor/client',
  type: 'module',
  exports: {
    '.': { require: './index.cjs', import: { types: './index.d.mts', default: './index.mjs' } },
    './plain': './plain.mjs',
    './types': { types: './types.d.mts' },
  },
};

function install(folder: string): void {
  const home = join(folder, 'node_modules', '@vendor', 'client');
  mkdirSync(home, { recursive: true });
  writeFileSync(join(home, 'package.json'), JSON.stringify(DESCRIPTION));
  writeFileSync(join(home, 'index.mjs'), 'export const answer = 42;');
}

describe('a package', () => {
  test('is found from folders below, by the entry that an import takes', () => {
    const folder = makeFolder();
    const from = pathToFileURL(join(folder, 'src', 'deep', 'module.ts')).href;
    const find = (entry: string) => findInstalled('@vendor/client', entry, from)?.href;
    expect(find('.')).toBeUndefined();
    install(folder);
    const home = pathToFileURL(join(folder, 'node_modules', '@vendor', 'client')).href;
    expect(find('.')).toBe(`${home}/index.mjs`);
    expect(find('./plain')).toBe(`${home}/plain.mjs`);
    expect(find('./types')).toBeUndefined();
    expect(find('./other')).toBeUndefined();
  });

  test('that was installed after an import failed is loaded without a restart', () => {
    const folder = makeFolder();
    const helper = new URL('../src/servers/load-client.ts', import.meta.url).href;
    const program = `
      import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
      import { findInstalled } from ${JSON.stringify(helper)};
      const name = '@vendor/client';
      const load = () => import(name).then(({ answer }) => answer, ({ code }) => code);
      const said = [await load()];
      mkdirSync('node_modules/@vendor/client', { recursive: true });
      writeFileSync('node_modules/@vendor/client/package.json', ${JSON.stringify(JSON.stringify(DESCRIPTION))});
      writeFileSync('node_modules/@vendor/client/index.mjs', 'export const answer = 42;');
      const found = findInstalled(name, '.', import.meta.url);
      said.push((await import(found.href)).answer);
      console.log(JSON.stringify(said));
    `;
    writeFileSync(join(folder, 'program.mjs'), program);
    const said = execFileSync(process.execPath, ['program.mjs'], { cwd: folder, encoding: 'utf8' });
    expect(JSON.parse(said)).toEqual(['ERR_MODULE_NOT_FOUND', 42]);
  });
});
