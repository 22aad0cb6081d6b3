import { expect, test } from 'vitest';
import { describeApi } from '../src/openapi.ts';

test('every reference in the description leads to a schema in it', () => {
  const document = describeApi();
  const text = JSON.stringify(document);
  const references = [...text.matchAll(/"\$ref":"#\/components\/schemas\/([^"]+)"/g)].map(([, name]) => name);
  const { schemas } = document.components as { readonly schemas: object };
  expect(references.length).toBeGreaterThan(0);
  expect(references.filter((name) => !Object.hasOwn(schemas, name!))).toEqual([]);
  expect(text).not.toContain('$defs');
});
