import { createRandom } from '@winnow/testkit';
import { describe, expect, test } from 'vitest';
import { DETAIL_LEVELS } from '../src/describe-tool.ts';
import { formatToolId, ModelNames, parseToolId } from '../src/model/tool-names.ts';
import { expectOk, makeRegistry, registration } from './make-registry.ts';

describe('ids', () => {
  test.each([['create_issue'], ['jira:create_issue'], ['a.b-c_d:X.y-Z_9'], ['0:0']])(
    'R67: %s is taken apart and put together again',
    (id) => {
      const parts = parseToolId(id);
      expect(parts && formatToolId(parts)).toBe(id);
    },
  );

  test.each([
    [''],
    [':'],
    ['a:'],
    [':a'],
    ['a:b:c'],
    ['a b'],
    ['a: b'],
    [' a'],
    ['Jira:x'],
    ['é'],
    ['a\n'],
    ['n'.repeat(129)],
  ])('R67: %j is no id', (text) => {
    expect(parseToolId(text)).toBeUndefined();
  });

  test('R67: a tool keeps every field, including those that no protocol defines', async () => {
    const registry = await makeRegistry();
    const text = `{"name":"x","title":"X","description":"d","inputSchema":{"type":"object","properties":{"__proto__":{"type":"string"},"a":{"default":1.50}}},
      "outputSchema":{"type":"object"},"annotations":{"readOnlyHint":true},"icons":[{"src":"data:,"}],"_meta":{"a/b":[null]},"later":{"x":[1,{"y":""}]},"__proto__":{"z":1}}`;
    await registry.register([{ tool: JSON.parse(text), backend: { kind: 'local', handler: 'x' } }]);
    const { definition } = (await registry.get('x', 'schema'))!;
    expect(JSON.stringify(definition)).toBe(JSON.stringify(JSON.parse(text)));
    expect(expectOk(await registry.expand(['x'])).tools[0]?.definition).toEqual(definition);
  });
});

describe('model names', () => {
  const namesOf = (ids: readonly string[]): Record<string, string> => {
    const names = new ModelNames();
    for (const id of ids) names.add(id);
    return Object.fromEntries(ids.map((id) => [id, names.nameOf(id)]));
  };

  test('are the namespace and the name, as every provider takes them', () => {
    expect(namesOf(['send', 'jira:create_issue', 'a.b:c.d'])).toEqual({
      send: 'send',
      'jira:create_issue': 'jira__create_issue',
      'a.b:c.d': 'a_b__c_d',
    });
  });

  test('are cut to 64 characters with digits of their own', () => {
    const id = `space:${'n'.repeat(100)}`;
    const name = namesOf([id])[id]!;
    expect(name).toMatch(/^space__n{48}_[0-9a-f]{8}$/);
    expect(name.length).toBe(64);
  });

  test('that would be alike all get digits, in whatever order they came', () => {
    const ids = ['a.b:c', 'a_b:c', 'a_b__c', 'other'];
    const names = namesOf(ids);
    expect(new Set(Object.values(names)).size).toBe(4);
    for (const id of ids.slice(0, 3)) expect(names[id]).toMatch(/^a_b__c_[0-9a-f]{8}$/);
    expect(names.other).toBe('other');
    expect(namesOf(ids.toReversed())).toEqual(names);
  });

  test('that look as if they had digits get some, so that none is ever taken for another', () => {
    const first = namesOf(['a.b', 'a_b'])['a.b']!;
    const names = namesOf(['a.b', 'a_b', first]);
    expect(new Set(Object.values(names)).size).toBe(3);
  });

  test('lead back to their tools, and to nothing when two share one', () => {
    const random = createRandom(1);
    const parts = ['a', 'b', 'a.b', 'a_b', 'a-b', 'x'.repeat(70)];
    const ids = new Set(
      Array.from({ length: 200 }, () =>
        formatToolId({
          namespace: random.pick(['', 'a', 'a.b', 'a_b']),
          name: random.sample(parts, 2).join('_'),
        }),
      ),
    );
    const names = new ModelNames();
    for (const id of ids) names.add(id);
    for (const id of ids) {
      expect(names.nameOf(id)).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
      expect(names.idOf(names.nameOf(id))).toBe(id);
    }
    for (const id of ids) names.remove(id);
    names.add('a.b');
    expect([names.nameOf('a.b'), names.idOf('a_b'), names.idOf('a-b')]).toEqual(['a_b', 'a.b', undefined]);
  });

  test('stand for a tool wherever an id does', async () => {
    const registry = await makeRegistry();
    await registry.register([registration('x', { namespace: 'n' })]);
    expect((await registry.get('n__x'))?.id).toBe('n:x');
    expect(expectOk(await registry.expand(['n__x', 'n:x', 'n:y', 'x'])).unknown).toEqual(['n:y', 'x']);
    expectOk(await registry.setExamples('n__x', [{ title: 'One', arguments: {} }]));
    expectOk(await registry.unregister('n__x'));
    expect(await registry.get('n:x')).toBeUndefined();
  });
});

describe('details', () => {
  test('R69: each level contains the previous one, and more', async () => {
    const registry = await makeRegistry();
    await registry.register([registration('x', { namespace: 'n', tags: ['t'], tool: { outputSchema: {} } })]);
    const [summary, schema, full] = await Promise.all(
      DETAIL_LEVELS.map((level) => registry.get('n:x', level)),
    );
    expect(summary).toEqual({
      id: 'n:x',
      modelName: 'n__x',
      namespace: 'n',
      name: 'x',
      title: '',
      summary: 'Handles x.',
      tags: ['t'],
      exampleTitles: [],
      version: undefined,
      annotations: {},
      hasTrustedAnnotations: true,
      server: undefined,
      contentHash: expect.stringMatching(/^[0-9a-f]{32}$/),
    });
    expect(schema).toMatchObject({ ...summary, definition: { description: 'Handles x.', outputSchema: {} } });
    expect(full).toMatchObject({
      ...schema,
      examples: [],
      backends: [{ handler: 'x' }],
      usage: { calls: 0 },
    });
    expect(Object.keys(schema!)).not.toContain('backends');
  });

  test('R69: the content hash changes with every visible member', async () => {
    const registry = await makeRegistry();
    const hashes = new Set<string | undefined>();
    const note = async () => hashes.add((await registry.get('x'))?.contentHash);
    await registry.register([registration('x')]);
    await note();
    await registry.register([registration('x', { tags: ['t'] })]);
    await note();
    await registry.register([registration('x', { tags: ['t'], version: '1' })]);
    await note();
    await registry.register([
      registration('x', { tags: ['t'], version: '1', backend: { kind: 'mcp', server: 's' } }),
    ]);
    await note();
    await registry.setExamples('x', [{ title: 'One', arguments: {} }]);
    await note();
    expect(hashes.size).toBe(5);
  });

  test('R70: at most 5 examples that the schema allows; 3 are shown', async () => {
    const registry = await makeRegistry();
    const inputSchema = { type: 'object', properties: { q: { type: 'string' } }, required: ['q'] };
    await registry.register([registration('x', { tool: { inputSchema } })]);
    const examples = Array.from({ length: 5 }, (_, n) => ({
      title: `Number ${n}`,
      arguments: { q: `${n}` },
    }));
    expectOk(await registry.setExamples('x', examples));
    expect((await registry.get('x'))?.examples).toEqual(examples.slice(0, 3));
    expect(await registry.setExamples('x', examples)).toMatchObject({ ok: true, version: 2, unchanged: 1 });

    expect(await registry.setExamples('x', [...examples, examples[0]!])).toMatchObject({
      code: 'limit_exceeded',
    });
    const bad: [unknown, string][] = [
      [{ title: 'No q', arguments: {} }, 'examples.1.arguments'],
      [{ title: 'Wrong q', arguments: { q: 1 } }, 'examples.1.arguments/q'],
      [{ title: ' ', arguments: { q: '' } }, 'examples.1.title'],
      [{ title: 'x', arguments: { q: 'x'.repeat(8_192) } }, 'examples.1'],
      [{ title: 'x', arguments: { q: '\ud800' } }, 'examples.1'],
      [{ title: 'x', arguments: [] }, 'examples.1.arguments'],
      [null, 'examples.1'],
    ];
    for (const [example, path] of bad) {
      const outcome = await registry.setExamples('x', [examples[0]!, example as never]);
      expect(outcome).toMatchObject({ ok: false, code: 'invalid_example', problems: [{ path }] });
    }
    expect((await registry.get('x'))?.examples?.length).toBe(3);
    expectOk(await registry.setExamples('x', []));
    expect((await registry.get('x'))?.examples).toEqual([]);
  });

  test('R70: titles of examples are searched, arguments are not, and both go with the schema that allowed them', async () => {
    const registry = await makeRegistry();
    const schemaOf = (type: string) => ({ tool: { inputSchema: { properties: { q: { type } } } } });
    await registry.register([registration('x', schemaOf('string'))]);
    const before = (await registry.stats()).indexHash;
    const matches = async (query: string) => expectOk(await registry.search(query)).totalMatches;
    const kept = { title: 'Kept', arguments: {} };
    await registry.setExamples('x', [{ title: 'My laptop is broken', arguments: { q: 'zebra' } }, kept]);
    expect((await registry.stats()).indexHash).not.toBe(before);
    expect([await matches('laptop'), await matches('zebra')]).toEqual([1, 0]);
    await registry.register([registration('x', schemaOf('number'))], { onDifference: 'replace' });
    expect((await registry.get('x'))?.examples).toEqual([kept]);
    expect(await matches('laptop')).toBe(0);
  });
});
