import type { Plan, ToolSection } from '@winnow/wire';
import { describe, expect, test } from 'vitest';
import type { ExchangeFact } from '../src/records/exchange-fact.ts';
import { toolListFields } from '../src/records/fold-record.ts';
import { listedTools } from '../src/records/request-facts.ts';

/** A section of tools with these names; each definition is as long as its name, twice. */
const sectionOf = (...names: (string | undefined)[]) =>
  ({ entries: names.map((name) => ({ name, text: `${name}${name}` })) }) as unknown as ToolSection;

const LIST = listedTools(sectionOf('read', 'create', 'merge'), ['create', 'merge'])!;
const shown = { counts: { total: 3, deferred: 2, loaded: 0 }, bytesBefore: 0, bytesAfter: 0 };

/** The use of the list by an exchange whose requests defer two tools and load these. */
function useOf(load: readonly string[], ...facts: readonly ExchangeFact[]) {
  const planned: ExchangeFact = {
    kind: 'planned',
    reason: 'deferred',
    loadMode: 'swap',
    tools: shown,
    list: LIST,
    look: {
      plan: { defer: ['create', 'merge'], load } as unknown as Plan,
      section: undefined,
      preloaded: [],
      chosen: [],
    },
  };
  return toolListFields([planned, ...facts].map((fact, at) => ({ at, fact }))).toolList;
}

const loaded = (...names: string[]): ExchangeFact => ({ kind: 'loaded', tools: shown, names });

describe('the list of a request', () => {
  test('has names, sizes and kept tools', () => {
    expect(JSON.parse(LIST.json)).toEqual([
      { name: 'read', bytes: 8, kept: true },
      { name: 'create', bytes: 12 },
      { name: 'merge', bytes: 10 },
    ]);
  });

  test('has an id that changes with the kept tools', () => {
    const section = sectionOf('read', 'create', 'merge');
    expect(listedTools(section, ['create', 'merge'])!.id).toBe(LIST.id);
    expect(LIST.id).toMatch(/^[0-9a-f]{16}$/);
    expect(listedTools(section, ['merge'])!.id).not.toBe(LIST.id);
  });

  test('leaves out tools without a name, and is missing when nothing remains', () => {
    expect(JSON.parse(listedTools(sectionOf('read', undefined), [])!.json)).toHaveLength(1);
    expect(listedTools(sectionOf(undefined), [])).toBeUndefined();
    expect(listedTools(undefined, [])).toBeUndefined();
  });

  test('cuts names that no provider allows, and is missing when it is too long to record', () => {
    const [tool] = JSON.parse(listedTools(sectionOf('x'.repeat(1_000)), [])!.json) as { name: string }[];
    expect(tool!.name).toBe('x'.repeat(200));
    const many = Array.from({ length: 10_000 }, (_, number) => `tool_${number}`);
    expect(listedTools(sectionOf(...many), [])).toBeUndefined();
  });
});

describe('the use of a list', () => {
  test('counts each request once, and loaded tools by the requests that showed them', () => {
    expect(useOf(['merge'], loaded('merge', 'create', 'read'))).toEqual({
      id: LIST.id,
      // The second request showed all tools.
      whole: 1,
      loaded: { merge: 1 },
    });
    expect(useOf(['merge'], loaded('merge'))).toMatchObject({ loaded: { merge: 2 } });
  });

  test('counts original bytes as all tools, after edited ones or in their place', () => {
    expect(useOf([], { kind: 'restored', because: 'upstream_rejected_edit' })).toEqual({
      id: LIST.id,
      whole: 1,
    });
    expect(useOf(['merge'], { kind: 'left_alone', reason: 'short_of_memory' })).toEqual({
      id: LIST.id,
      whole: 1,
    });
  });

  test('is missing without a list', () => {
    expect(toolListFields([{ at: 0, fact: { kind: 'received' } }])).toEqual({});
  });
});
