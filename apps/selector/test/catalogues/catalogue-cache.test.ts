import { buildCatalogue, type Catalogue } from '@winnow/ranking';
import { describe, expect, it } from 'vitest';
import { CatalogueCache } from '../../src/catalogues/catalogue-cache.ts';

const catalogue: Catalogue = buildCatalogue([{ name: 'a' }]);
const text = (letters: string) => Buffer.from(letters);
const roomFor = (maxCatalogues: number) => new CatalogueCache({ maxBytes: 1_000_000_000, maxCatalogues });
const texts = (cache: CatalogueCache) => cache.candidates().map(({ tools }) => tools.toString());

describe('CatalogueCache', () => {
  it('evicts the least recently used catalogue', () => {
    const cache = roomFor(2);
    const first = cache.add(catalogue, text('first'));
    cache.add(catalogue, text('second'));
    cache.touch(first);
    cache.add(catalogue, text('third'));
    expect(texts(cache).sort()).toEqual(['first', 'third']);
    expect(cache.evictions).toBe(1);
  });

  it('counts the bytes of text and index, and evicts until they fit', () => {
    const each = catalogue.bytes + 1_024 + 100_000;
    const cache = new CatalogueCache({ maxBytes: 2 * each, maxCatalogues: 100 });
    for (const letter of ['a', 'b', 'c']) cache.add(catalogue, text(letter.repeat(100_000)));
    expect(cache.size).toBe(2);
    expect(cache.bytes).toBe(2 * each);
  });

  it('does not keep a catalogue larger than the cache, and keeps the others', () => {
    const cache = new CatalogueCache({ maxBytes: catalogue.bytes + 5_000, maxCatalogues: 100 });
    cache.add(catalogue, text('small'));
    const large = cache.add(catalogue, text('x'.repeat(100_000)));
    cache.bind({ scope: '', id: 'large' }, large);
    expect(texts(cache)).toEqual(['small']);
    expect(cache.findById({ scope: '', id: 'large' })).toBeUndefined();
  });

  it('keeps nothing when there is room for no catalogue', () => {
    const cache = roomFor(0);
    cache.add(catalogue, text('a'));
    expect(cache.size).toBe(0);
  });

  it('keeps one of two with the same text', () => {
    const cache = roomFor(10);
    expect(cache.add(catalogue, text('same'))).toBe(cache.add(catalogue, text('same')));
    expect(cache.size).toBe(1);
  });

  it('forgets the ids of an evicted catalogue', () => {
    const cache = roomFor(1);
    cache.bind({ scope: 's', id: 'x' }, cache.add(catalogue, text('first')));
    cache.add(catalogue, text('second'));
    expect(cache.findById({ scope: 's', id: 'x' })).toBeUndefined();
  });

  it('lets an id name another catalogue, also after the first one went', () => {
    const cache = roomFor(2);
    const id = { scope: '', id: 'x' };
    cache.bind(id, cache.add(catalogue, text('first')));
    const second = cache.add(catalogue, text('second'));
    cache.bind(id, second);
    cache.add(catalogue, text('third'));
    cache.touch(second);
    expect(cache.findById(id)).toBe(second);
  });

  it('keeps ids of different scopes apart', () => {
    const cache = roomFor(2);
    cache.bind({ scope: 'a', id: 'x' }, cache.add(catalogue, text('first')));
    expect(cache.findById({ scope: 'b', id: 'x' })).toBeUndefined();
  });

  it('does not collect ids without end', () => {
    const cache = roomFor(1);
    const only = cache.add(catalogue, text('only'));
    for (let number = 0; number < 17; number++) cache.bind({ scope: '', id: `id-${number}` }, only);
    expect(cache.findById({ scope: '', id: 'id-0' })).toBeUndefined();
    expect(cache.findById({ scope: '', id: 'id-1' })).toBe(only);
    expect(cache.findById({ scope: '', id: 'id-16' })).toBe(only);
  });

  it('does not retain a large body for small tools', () => {
    const body = Buffer.alloc(1_000_000);
    const kept = roomFor(1).add(catalogue, body.subarray(0, 10));
    expect(kept.tools.buffer.byteLength).toBeLessThan(100_000);
  });
});
