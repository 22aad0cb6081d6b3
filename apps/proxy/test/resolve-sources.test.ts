import type { ResolveHookContext } from 'node:module';
import { expect, test } from 'vitest';
import { createResolve } from '../src/resolve-sources.ts';

const PARENT = 'file:///home/winnow%20house/apps/proxy/src/run.ts';

/** The imports that are left to Node, and their results. */
function resolving() {
  const left: string[] = [];
  const resolve = createResolve();
  const from = (parentURL: string | undefined, specifier: string) =>
    resolve(specifier, { parentURL, conditions: [], importAttributes: {} } as ResolveHookContext, (asked) => {
      left.push(asked);
      return { url: `file:///node/${asked}`, format: 'module' };
    });
  return { left, from };
}

test('resolves a source by its path, as an ES module of TypeScript, without Node', () => {
  const { left, from } = resolving();
  expect(from(PARENT, './config.ts')).toMatchObject({
    url: 'file:///home/winnow%20house/apps/proxy/src/config.ts',
    format: 'module-typescript',
  });
  expect(from(PARENT, '../../../packages/wire/src/index.ts').url).toBe(
    'file:///home/winnow%20house/packages/wire/src/index.ts',
  );
  expect(left).toEqual([]);
});

test('resolves a package once per folder', () => {
  const { left, from } = resolving();
  for (const parent of [PARENT, PARENT.replace('run', 'server'), PARENT.replace('run', 'page/feed')])
    expect(from(parent, 'zod')).toMatchObject({ url: 'file:///node/zod', format: 'module' });
  expect(left).toEqual(['zod', 'zod']);
  from(PARENT, '@winnow/wire');
  expect(left).toEqual(['zod', 'zod', '@winnow/wire']);
});

test('leaves everything else to Node: files that are not sources, imports within packages, and entry points', () => {
  const { left, from } = resolving();
  from(PARENT, './prices.json');
  from('file:///house/node_modules/zod/index.js', './external.js');
  from('file:///house/node_modules/zod/index.js', './odd.ts');
  from(undefined, 'file:///house/apps/proxy/src/main.ts');
  expect(left).toEqual([
    './prices.json',
    './external.js',
    './odd.ts',
    'file:///house/apps/proxy/src/main.ts',
  ]);
});
