import { SearchRequest } from '@winnow/contract';
import { expect, test } from 'vitest';
import { bindingBody, CatalogueSource, catalogIdBody, inlineBody } from '../../src/selector/catalogue.ts';

test('never gives the same catalogue twice, and the same sequence again for the same first seed', () => {
  const source = new CatalogueSource(1);
  const [first, second] = [source.next(20), source.next(20)];
  expect(first.toolsJson).not.toBe(second.toolsJson);
  expect(first.id).not.toBe(second.id);
  const again = new CatalogueSource(1);
  expect([again.next(20), again.next(20)]).toEqual([first, second]);
});

test('writes bodies that the search contract accepts', () => {
  const catalogue = new CatalogueSource(1).next(20);
  const inline = SearchRequest.parse(JSON.parse(inlineBody(catalogue, 0)));
  expect(inline.tools).toHaveLength(20);
  expect(inline.catalog_id).toBeUndefined();

  const binding = SearchRequest.parse(JSON.parse(bindingBody(catalogue)));
  expect(binding).toEqual({ ...inline, catalog_id: catalogue.id });

  const byId = SearchRequest.parse(JSON.parse(catalogIdBody(catalogue, 0)));
  expect(byId.tools).toBeUndefined();
  expect(byId.catalog_id).toBe(catalogue.id);
});

test('asks something else in the next turn, of the same tools byte for byte', () => {
  const catalogue = new CatalogueSource(1).next(20);
  const [first, second] = [inlineBody(catalogue, 0), inlineBody(catalogue, 1)];
  expect(first).not.toBe(second);
  expect(first.endsWith(`"tools":${catalogue.toolsJson}}`)).toBe(true);
  expect(second.endsWith(`"tools":${catalogue.toolsJson}}`)).toBe(true);
});
