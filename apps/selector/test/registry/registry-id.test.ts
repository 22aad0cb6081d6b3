import { expect, test } from 'vitest';
import { readRegistryId } from '../../src/search-registry.ts';

test.each([
  ['registry', { namespace: undefined }],
  ['registry:jira', { namespace: 'jira' }],
  ['registry:', { namespace: '' }],
  ['registry-of-mine', undefined],
  ['Registry', undefined],
  [undefined, undefined],
])('%s names %j', (id, expected) => {
  expect(readRegistryId(id)).toEqual(expected);
});
