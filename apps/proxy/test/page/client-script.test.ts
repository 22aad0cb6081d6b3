import { globSync, readFileSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { Script } from 'node:vm';
import { expect, test } from 'vitest';
import { clientScript } from '../../src/page/client-script.ts';

const CLIENT = resolve(import.meta.dirname, '../../src/page/client');
const modules = globSync(`${CLIENT}/*.js`).map((file) => ({
  name: basename(file),
  text: readFileSync(file, 'utf8'),
}));
const script = clientScript();

/** Returns the position of a module in the script, found by the first name that it exports or defines. */
function placeOf(text: string): number {
  const [, name] = /^(?:export )?(?:async )?(?:function|const|let) (\w+)/m.exec(text) ?? [];
  return script.search(new RegExp(`^(?:async )?(?:function|const|let) ${name}\\b`, 'm'));
}

test('the script of the page is one script: no imports, no exports, no name twice', () => {
  expect(script).not.toMatch(/^(import|export)\b/m);
  expect(() => new Script(script)).not.toThrow();
});

test('the script holds every module, each after those that it imports', () => {
  const places = new Map(modules.map(({ name, text }) => [name, placeOf(text)]));
  expect([...places].filter(([, place]) => place < 0)).toEqual([]);
  for (const { name, text } of modules) {
    const imported = [...text.matchAll(/^import [^;]* from '\.\/([\w-]+\.js)';$/gm)].map(([, file]) => file!);
    const later = imported.filter((file) => places.get(file)! > places.get(name)!);
    expect([name, later]).toEqual([name, []]);
  }
});
