import { SearchRequest } from '@winnow/core';
import { expect, test } from 'vitest';
import {
  bindingBody,
  CatalogueSource,
  catalogIdBody,
  changedBody,
  inlineBody,
} from '../../src/selector/catalogue.ts';

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

test('changes one tool in each turn, and never the same way twice', () => {
  const catalogue = new CatalogueSource(1).next(50);
  const toolsOf = (body: string) =>
    JSON.parse(body).tools.map((tool: object) => JSON.stringify(tool)) as string[];
  const original = toolsOf(inlineBody(catalogue, 0));
  const changes = [1, 2, 3].map((turn) =>
    toolsOf(changedBody(catalogue, turn)).filter((tool, position) => tool !== original[position]),
  );
  expect(changes.map((changed) => changed.length)).toEqual([1, 1, 1]);
  expect(new Set(changes.flat()).size).toBe(3);
});
