import { globSync, readFileSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { Script } from 'node:vm';
import { expect, test } from 'vitest';
import { exchangePage, type ReportData, reportPage } from '../../src/page/page.ts';

const CLIENT = resolve(import.meta.dirname, '../../src/page/client');
const modules = globSync(`${CLIENT}/*.js`).map((file) => ({
  name: basename(file),
  text: readFileSync(file, 'utf8'),
}));
const { body } = exchangePage();
const script = body.slice(body.indexOf('<script type="module">') + 22, body.lastIndexOf('</script>'));

/** Returns the position of a module in the script, found by the first name that it exports or defines. */
function placeOf(text: string): number {
  const [, name] = /^(?:export )?(?:async )?(?:function|const|let) (\w+)/m.exec(text) ?? [];
  return script.search(new RegExp(`^(?:async )?(?:function|const|let) ${name}\\b`, 'm'));
}

test('the script of the page is one script: no imports, no exports, no name twice', () => {
  expect(script).not.toMatch(/^(import|export)\b/m);
  // In a block, as in a module, a function may not be declared twice.
  expect(() => new Script(`'use strict';{${script}}`)).not.toThrow();
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

const DATA: ReportData = {
  about: 'a file',
  headlines: [],
  verdict: {
    title: '</script><script>window.owned = true</script>',
    state: 'clear',
    summary: '',
    findings: [],
    notes: [],
  },
  totals: {} as ReportData['totals'],
  points: [],
  rows: [],
  costs: { tools: [], servers: [], listed: 0, unlisted: 0, dropped: 0 },
  parts: [],
};

test('a report is one file whose data cannot leave its element', () => {
  const page = reportPage(DATA);
  expect(page.match(/<script/g)).toHaveLength(2);
  const [, json] = /<script type="application\/json" id="data">(.*?)<\/script>/s.exec(page) ?? [];
  expect(JSON.parse(json!)).toMatchObject({ verdict: DATA.verdict });
  expect(page).toMatch(
    /http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'sha256-/,
  );
  expect(page).not.toMatch(/(?:src|href)="(?!data:)/);
});
