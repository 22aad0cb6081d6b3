import { createRandom } from '@winnow/testkit';
import { describe, expect, test } from 'vitest';
import { BACKEND_KINDS, type Backend, preferKinds, type Registration } from '../src/index.ts';
import { isSameBackend } from '../src/model/tool.ts';
import { expectOk, makeRegistry, registration } from './make-registry.ts';

/** The rules of content, at the library. */

const LOCAL: Backend = { kind: 'local', handler: 'run' };
const PROVIDER: Backend = { kind: 'provider', provider: 'acme', tool: 'run' };
const MCP: Backend = { kind: 'mcp', server: 'main' };

describe('registering', () => {
  test('R1: with a namespace the id is namespace:name, without one the name', async () => {
    const registry = await makeRegistry();
    await registry.register([
      registration('create_issue', { namespace: 'jira' }),
      registration('create_issue'),
      registration('send', { namespace: '' }),
    ]);
    const { rows } = expectOk(await registry.list());
    expect(rows.map((row) => row.id)).toEqual(['create_issue', 'jira:create_issue', 'send']);
    expect((await registry.get('jira:create_issue'))?.namespace).toBe('jira');
  });

  const deep = (levels: number): object => (levels === 0 ? {} : { properties: deep(levels - 1) });
  const refused: [string, unknown, string][] = [
    ['a missing name', { tool: { inputSchema: {} } }, 'tools.0.tool.name'],
    ['a name of 129 characters', registration('n'.repeat(129)), 'tools.0.tool.name'],
    ['a name with a space', registration('create issue'), 'tools.0.tool.name'],
    ['a name with a colon', registration('a:b'), 'tools.0.tool.name'],
    ['an empty name', registration(''), 'tools.0.tool.name'],
    ['a name that is no text', registration('x', { tool: { name: 7 } }), 'tools.0.tool.name'],
    ['a namespace in capitals', registration('x', { namespace: 'Jira' }), 'tools.0.namespace'],
    ['a namespace that begins with a dot', registration('x', { namespace: '.x' }), 'tools.0.namespace'],
    ['a namespace of 65 characters', registration('x', { namespace: 'n'.repeat(65) }), 'tools.0.namespace'],
    ['a missing inputSchema', { tool: { name: 'x' }, backend: LOCAL }, 'tools.0.tool.inputSchema'],
    [
      'an inputSchema that is no object',
      registration('x', { tool: { inputSchema: [] } }),
      'tools.0.tool.inputSchema',
    ],
    [
      'a dialect of another draft',
      registration('x', { tool: { inputSchema: { $schema: 'http://json-schema.org/draft-04/schema#' } } }),
      'tools.0.tool.inputSchema.$schema',
    ],
    [
      'a dialect that is no text',
      registration('x', { tool: { inputSchema: { $schema: 7 } } }),
      'tools.0.tool.inputSchema.$schema',
    ],
    [
      'an outputSchema that is no object',
      registration('x', { tool: { outputSchema: true } }),
      'tools.0.tool.outputSchema',
    ],
    [
      'a definition above 256 KiB',
      registration('x', { tool: { description: 'é'.repeat(131_072) } }),
      'tools.0.tool',
    ],
    ['a definition 65 deep', registration('x', { tool: { inputSchema: deep(63) } }), 'tools.0.tool'],
    ['half a surrogate pair', registration('x', { tool: { description: 'a\ud800b' } }), 'tools.0.tool'],
    ['half a pair in a key', registration('x', { tool: { _meta: { '\udc00': 1 } } }), 'tools.0.tool'],
    [
      'a description that is no text',
      registration('x', { tool: { description: 7 } }),
      'tools.0.tool.description',
    ],
    ['icons that are no list', registration('x', { tool: { icons: {} } }), 'tools.0.tool.icons'],
    [
      'annotations that are a list',
      registration('x', { tool: { annotations: [] } }),
      'tools.0.tool.annotations',
    ],
    ['tags that are no list', { ...registration('x'), tags: 'a' }, 'tools.0.tags'],
    ['a version that is no text', { ...registration('x'), version: 2 }, 'tools.0.version'],
    ['no object at all', null, 'tools.0'],
  ];
  test.each(refused)('R2: refuses %s', async (_, value, path) => {
    const registry = await makeRegistry();
    const outcome = await registry.register([value as Registration]);
    expect(outcome).toMatchObject({ ok: false, code: 'invalid_tool' });
    expect(outcome.ok ? [] : outcome.problems.map((problem) => problem.path)).toContain(path);
    expect(registry.version).toBe(0);
  });

  const taken: [string, Registration][] = [
    ['a name of 128 characters', registration('n'.repeat(128))],
    ['all characters of names', registration('Az09_.-')],
    ['a namespace of 64 characters', registration('x', { namespace: `0${'a._-'.repeat(15)}abc` })],
    [
      '2020-12',
      registration('x', {
        tool: { inputSchema: { $schema: 'https://json-schema.org/draft/2020-12/schema' } },
      }),
    ],
    [
      'draft-07',
      registration('x', { tool: { inputSchema: { $schema: 'http://json-schema.org/draft-07/schema#' } } }),
    ],
    ['a definition 64 deep', registration('x', { tool: { inputSchema: deep(62) } })],
    ['a pair of surrogates', registration('x', { tool: { description: '🎟️' } })],
  ];
  test.each(taken)('R2: takes %s', async (_, value) => {
    const registry = await makeRegistry();
    expectOk(await registry.register([value]));
  });

  test('R2: ends on a definition that holds itself', async () => {
    const registry = await makeRegistry();
    const round: Record<string, unknown> = {};
    round.properties = { round };
    const outcome = await registry.register([registration('x', { tool: { inputSchema: round } })]);
    expect(outcome).toMatchObject({ ok: false, code: 'invalid_tool' });
  });

  test('R3: marks a schema with an external reference and keeps it as it is', async () => {
    const registry = await makeRegistry();
    const external = { properties: { a: { $ref: 'https://example.com/a.json#/x' } } };
    const local = {
      $defs: { a: { $id: 'a.json' } },
      properties: { a: { $ref: 'a.json' }, b: { $ref: '#/$defs/a' } },
    };
    await registry.register([
      registration('external', { tool: { inputSchema: external } }),
      registration('answers', { tool: { outputSchema: external } }),
      registration('local', { tool: { inputSchema: local } }),
      registration('data', { tool: { inputSchema: { const: { $ref: 'https://example.com' } } } }),
    ]);
    const [marked, plain, data, answers] = await Promise.all(
      ['external', 'local', 'data', 'answers'].map((id) => registry.get(id, 'schema')),
    );
    expect(answers).toMatchObject({ hasExternalRef: true, definition: { outputSchema: external } });
    expect(marked).toMatchObject({ hasExternalRef: true, definition: { inputSchema: external } });
    expect(plain).toMatchObject({ hasExternalRef: false });
    expect(data).toMatchObject({ hasExternalRef: false });
  });

  test.each([
    [{ kind: 'mcp', server: '' }, 'tools.0.backend.server'],
    [{ kind: 'provider', provider: 'acme', tool: '' }, 'tools.0.backend.tool'],
    [{ kind: 'provider', tool: 'run' }, 'tools.0.backend.provider'],
    [{ kind: 'local' }, 'tools.0.backend.handler'],
    [{ kind: 'magic' }, 'tools.0.backend'],
    [{ kind: 'constructor' }, 'tools.0.backend'],
    [undefined, 'tools.0.backend'],
  ])('R4: refuses the backend %j', async (backend, path) => {
    const registry = await makeRegistry();
    const outcome = await registry.register([{ ...registration('x'), backend: backend as Backend }]);
    expect(outcome).toMatchObject({ ok: false, code: 'invalid_backend', problems: [{ path }] });
  });

  test('R4: compares backends by their kinds, too', async () => {
    const registry = await makeRegistry();
    const both: Backend[] = [
      { kind: 'mcp', server: 'same' },
      { kind: 'local', handler: 'same' },
    ];
    await registry.register(both.map((backend) => registration('x', { backend })));
    expect(await registry.backends('x')).toEqual(both);
  });

  test('R4: compares backends field by field, never as one joined text', async () => {
    const left: Backend = { kind: 'provider', provider: 'a:b', tool: 'c' };
    const right: Backend = { kind: 'provider', provider: 'a', tool: 'b:c' };
    expect(isSameBackend(left, right)).toBe(false);
    const registry = await makeRegistry();
    await registry.register([registration('x', { backend: left }), registration('x', { backend: right })]);
    expect(await registry.backends('x')).toEqual([left, right]);
  });

  test('R5: the only backend of a tool changes its definition only where replacing is allowed', async () => {
    const registry = await makeRegistry();
    await registry.register([registration('x')]);
    const changed = registration('x', { tool: { description: 'New.' }, version: '2' });
    expect(await registry.register([changed])).toMatchObject({
      ok: false,
      problems: [{ code: 'tool_conflict', message: expect.stringContaining('a different description') }],
    });
    const replacing = await makeRegistry({ onDifference: 'replace' });
    await replacing.register([registration('x')]);
    expect(await replacing.register([changed], { onDifference: 'refuse' })).toMatchObject({ ok: false });
    expect(await replacing.register([changed])).toMatchObject({ ok: true, updated: 1 });
    const outcome = await registry.register([changed], { onDifference: 'replace' });
    expect(outcome).toMatchObject({ ok: true, version: 2, updated: 1 });
    expect(await registry.get('x')).toMatchObject({ summary: 'New.', version: '2' });
  });

  test.each(['title', 'description', 'inputSchema', 'outputSchema', 'annotations', 'icons', '_meta'])(
    'R5: refuses a second backend that gives a different %s, and names it',
    async (field) => {
      const registry = await makeRegistry();
      await registry.register([registration('x', { backend: LOCAL })]);
      // The name cannot differ: another name would be another tool.
      const different: Record<string, unknown> = {
        title: 'X',
        description: 'Other.',
        inputSchema: { type: 'object', required: ['a'] },
        outputSchema: {},
        annotations: { readOnlyHint: true },
        icons: [],
        _meta: { a: 1 },
      };
      const outcome = await registry.register([
        registration('x', { backend: MCP, tool: { [field]: different[field] } }),
      ]);
      expect(outcome).toMatchObject({ ok: false, code: 'tool_conflict', problems: [{ path: 'tools.0' }] });
      expect(outcome.ok ? '' : outcome.problems[0]!.message).toContain(`different ${field}.`);
      expect(await registry.backends('x')).toEqual([LOCAL]);
    },
  );

  test('R5: a backend of several may not change the definition either', async () => {
    const registry = await makeRegistry();
    await registry.register([registration('x', { backend: LOCAL }), registration('x', { backend: MCP })]);
    const outcome = await registry.register([
      registration('x', { backend: MCP, tool: { description: 'New.' } }),
    ]);
    expect(outcome).toMatchObject({ ok: false, code: 'tool_conflict' });
  });

  test('R5: tags and version of the latest registration stand for all', async () => {
    const registry = await makeRegistry();
    await registry.register([registration('x', { backend: LOCAL, tags: ['old'], version: '1' })]);
    await registry.register([registration('x', { backend: MCP, tags: ['new'], version: '2' })]);
    expect(await registry.get('x')).toMatchObject({ tags: ['new'], version: '2', backends: [LOCAL, MCP] });
  });

  test('R5: equal JSON is equal however it is spelled', async () => {
    const random = createRandom(5);
    for (let round = 0; round < 200; round++) {
      const schema = randomJson(random, 3);
      const tool = { inputSchema: { type: 'object', x: schema } };
      const respelled = JSON.parse(respell(random, tool)) as typeof tool;
      const registry = await makeRegistry();
      await registry.register([registration('x', { backend: LOCAL, tool })]);
      expectOk(await registry.register([registration('x', { backend: MCP, tool: respelled })]));
    }
  });

  test('R6: backends keep the order of their registration, and replacing one keeps its place', async () => {
    const registry = await makeRegistry();
    for (const backend of [MCP, LOCAL, PROVIDER, MCP, LOCAL]) {
      expectOk(await registry.register([registration('x', { backend })]));
    }
    expect(await registry.backends('x')).toEqual([MCP, LOCAL, PROVIDER]);
  });

  test('R7: one bad tool keeps the whole batch out, and every problem is listed by its position', async () => {
    const registry = await makeRegistry();
    await registry.register([registration('taken', { backend: LOCAL })]);
    const outcome = await registry.register([
      registration('fine'),
      registration('bad name'),
      registration('taken', { backend: MCP, tool: { title: 'Other' } }),
      registration('x', { backend: { kind: 'local', handler: '' } }),
    ]);
    expect(outcome).toMatchObject({
      ok: false,
      code: 'invalid_tool',
      problems: [
        { code: 'invalid_tool', path: 'tools.1.tool.name' },
        { code: 'tool_conflict', path: 'tools.2' },
        { code: 'invalid_backend', path: 'tools.3.backend.handler' },
      ],
    });
    expect(await registry.get('fine')).toBeUndefined();
    expect(registry.version).toBe(1);
  });

  test('R7: lists at most 100 problems', async () => {
    const registry = await makeRegistry();
    const outcome = await registry.register(Array.from({ length: 300 }, () => registration('bad name')));
    expect(outcome.ok ? 0 : outcome.problems.length).toBe(100);
  });

  test('R7: tools of one batch can conflict with each other', async () => {
    const registry = await makeRegistry();
    const outcome = await registry.register([
      registration('x', { backend: LOCAL }),
      registration('x', { backend: MCP }),
      registration('x', { backend: PROVIDER, tool: { title: 'Other' } }),
    ]);
    expect(outcome).toMatchObject({ ok: false, code: 'tool_conflict', problems: [{ path: 'tools.2' }] });
  });

  test('R7: a dry run says what would happen and changes nothing', async () => {
    const registry = await makeRegistry();
    await registry.register([registration('same'), registration('old')]);
    const batch = [registration('same'), registration('old', { tags: ['a'] }), registration('new')];
    const outcome = await registry.register(batch, { dryRun: true });
    expect(outcome).toMatchObject({
      ok: true,
      version: 1,
      registered: 1,
      updated: 1,
      unchanged: 1,
      effects: [
        { id: 'same', effect: 'unchanged' },
        { id: 'old', effect: 'updated' },
        { id: 'new', effect: 'registered', modelName: 'new' },
      ],
    });
    expect(registry.version).toBe(1);
    expect(await registry.get('new')).toBeUndefined();
    expect(await registry.register([registration('bad name')], { dryRun: true })).toMatchObject({
      ok: false,
    });
  });

  test('R7: a change that expects another version is refused', async () => {
    const registry = await makeRegistry();
    await registry.register([registration('x')]);
    const late = await registry.register([registration('y')], { expectVersion: 0 });
    expect(late).toMatchObject({ ok: false, code: 'version_mismatch' });
    expectOk(await registry.register([registration('y')], { expectVersion: 1 }));
    expect(await registry.unregister('y', undefined, { expectVersion: 1 })).toMatchObject({ ok: false });
  });

  test('R8: registering what is there changes nothing: no event, no new version', async () => {
    const registry = await makeRegistry();
    const one = registration('x', {
      tags: ['b', 'a'],
      version: '1',
      tool: { title: 'X', later: { field: 1 } },
    });
    await registry.register([one]);
    const events: unknown[] = [];
    registry.onChange((event) => events.push(event));
    expect(await registry.register([one])).toMatchObject({ ok: true, version: 1, unchanged: 1 });
    expect(await registry.register([structuredClone(one)])).toMatchObject({ version: 1 });
    expect(events).toEqual([]);
  });

  test('R8: a field that the protocol does not know counts as well', async () => {
    const registry = await makeRegistry();
    await registry.register([registration('x', { tool: { later: 1 } })]);
    expect(await registry.register([registration('x', { tool: { later: 2 } })])).toMatchObject({
      updated: 1,
    });
  });

  test('R8: other tags, another version and another backend are changes', async () => {
    const registry = await makeRegistry();
    await registry.register([registration('x', { tags: ['a'] })]);
    for (const more of [{ tags: ['a', 'b'] }, { tags: ['b'], version: '2' }, { backend: MCP }]) {
      expect(await registry.register([registration('x', more)])).toMatchObject({ updated: 1 });
    }
    expect(registry.version).toBe(4);
  });

  test('R9: tags have one spelling', async () => {
    const registry = await makeRegistry();
    const tags = [
      ' Issue  Tracker ',
      'issue-tracker',
      'C++',
      'v1.2_x',
      '日本',
      '',
      '!!',
      'x'.repeat(80),
      'B',
      'a',
    ];
    await registry.register([registration('x', { tags })]);
    expect((await registry.get('x'))?.tags).toEqual([
      'issue-tracker',
      'c',
      'v1.2_x',
      'x'.repeat(64),
      'b',
      'a',
    ]);
  });

  test('R9: the first 20 tags are kept', async () => {
    const registry = await makeRegistry();
    await registry.register([registration('x', { tags: Array.from({ length: 30 }, (_, n) => `t${n}`) })]);
    expect((await registry.get('x'))?.tags).toEqual(Array.from({ length: 20 }, (_, n) => `t${n}`));
  });

  test('R10: a scope has a limit of tools, which replacing does not reach', async () => {
    const registry = await makeRegistry({ limits: { tools: 2 } });
    const over = await registry.register([registration('a'), registration('b'), registration('c')]);
    expect(over).toMatchObject({ ok: false, code: 'limit_exceeded', problems: [{ path: 'tools.2' }] });
    expectOk(await registry.register([registration('a'), registration('b')]));
    expectOk(await registry.register([registration('b', { tags: ['x'] })]));
    expect(await registry.register([registration('c')])).toMatchObject({ ok: false, code: 'limit_exceeded' });
    await registry.unregister('a');
    expectOk(await registry.register([registration('c')]));
  });

  test('R10: a tool has at most 32 backends, a batch at most 1,000 tools and at least one', async () => {
    const registry = await makeRegistry();
    const many = Array.from({ length: 33 }, (_, n) =>
      registration('x', { backend: { kind: 'mcp', server: `s${n}` } }),
    );
    expectOk(await registry.register(many.slice(0, 32)));
    // One that is there may be replaced.
    expect(await registry.register([{ ...many[5]!, version: '2' }])).toMatchObject({ updated: 1 });
    expect(await registry.register(many.slice(32))).toMatchObject({ ok: false, code: 'limit_exceeded' });
    const batch = Array.from({ length: 1_001 }, (_, n) => registration(`t${n}`));
    expect(await registry.register(batch)).toMatchObject({ ok: false, code: 'limit_exceeded' });
    expectOk(await registry.register(batch.slice(1)));
    expect(await registry.register([])).toMatchObject({ ok: false, code: 'invalid_request' });
  });
});

describe('removing', () => {
  test('R11: a tool goes with its last backend, and a namespace with its last tool', async () => {
    const registry = await makeRegistry();
    await registry.register([
      registration('x', { namespace: 'n', backend: LOCAL }),
      registration('x', { namespace: 'n', backend: MCP }),
    ]);
    expect(await registry.unregister('n:x', LOCAL)).toMatchObject({ ok: true, updated: 1, removed: 0 });
    expect(await registry.backends('n:x')).toEqual([MCP]);
    expect(await registry.unregister('n:x', MCP)).toMatchObject({ ok: true, updated: 0, removed: 1 });
    expect(await registry.get('n:x')).toBeUndefined();
    expect(expectOk(await registry.namespaces()).rows).toEqual([]);
  });

  test('R11: removing a tool takes all of its backends', async () => {
    const registry = await makeRegistry();
    await registry.register([registration('x', { backend: LOCAL }), registration('x', { backend: MCP })]);
    expectOk(await registry.unregister('x'));
    expect(await registry.backends('x')).toBeUndefined();
  });

  test('R12: an unknown tool or backend is not_found', async () => {
    const registry = await makeRegistry();
    await registry.register([registration('x', { backend: LOCAL })]);
    expect(await registry.unregister('y')).toMatchObject({ ok: false, code: 'not_found' });
    expect(await registry.unregister('x', MCP)).toMatchObject({ ok: false, code: 'not_found' });
    expect(await registry.unregister('no such: thing')).toMatchObject({ ok: false, code: 'not_found' });
    expect(await registry.setExamples('y', [])).toMatchObject({ ok: false, code: 'not_found' });
  });
});

describe('reading', () => {
  test('R13: changing what is returned, or what was registered, changes nothing', async () => {
    const registry = await makeRegistry();
    const given = registration('x', {
      tags: ['a'],
      tool: { annotations: { readOnlyHint: true }, inputSchema: { type: 'object', required: ['q'] } },
      backend: { ...MCP },
    });
    await registry.register([given]);
    await registry.setExamples('x', [{ title: 'One', arguments: { q: [1] } }]);
    const before = structuredClone(await registry.get('x'));
    const events: unknown[] = [];
    registry.onChange((event) => {
      damage(event);
      events.push(event);
    });
    const damage = (value: unknown): void => {
      if (typeof value !== 'object' || value === null) return;
      for (const key of Object.keys(value)) {
        damage((value as Record<string, unknown>)[key]);
        (value as Record<string, unknown>)[key] = 'damaged';
      }
    };
    for (const returned of [
      await registry.get('x'),
      await registry.backends('x'),
      await registry.list(),
      await registry.search('x'),
      await registry.expand(['x']),
      given,
    ]) {
      damage(returned);
    }
    expect(await registry.get('x')).toEqual(before);
    expect(expectOk(await registry.search('handles x')).tools[0]?.id).toBe('x');
    await registry.register([registration('y')]);
    expect(events).toHaveLength(1);
    const { events: kept } = expectOk(registry.changesSince({ version: 2, index: Number.POSITIVE_INFINITY }));
    expect(kept).toMatchObject([{ type: 'tool_registered', id: 'y', backend: { kind: 'local' } }]);
  });

  test('R14: the default backend is local, then provider, then MCP, then the one that came first', async () => {
    const registry = await makeRegistry();
    const second: Backend = { kind: 'mcp', server: 'second' };
    await registry.register([MCP, second].map((backend) => registration('x', { backend })));
    expect((await registry.get('x'))?.defaultBackend).toEqual(MCP);
    await registry.register([registration('x', { backend: PROVIDER })]);
    expect((await registry.get('x'))?.defaultBackend).toEqual(PROVIDER);
    await registry.register([registration('x', { backend: LOCAL })]);
    expect((await registry.get('x'))?.defaultBackend).toEqual(LOCAL);
    expect(BACKEND_KINDS).toEqual(['local', 'provider', 'mcp']);
  });

  test('R14: a policy replaces that order', async () => {
    const policies = [preferKinds(['mcp', 'local', 'provider']), () => MCP];
    for (const backendPolicy of policies) {
      const registry = await makeRegistry({ backendPolicy });
      await registry.register([LOCAL, PROVIDER, MCP].map((backend) => registration('x', { backend })));
      expect(await registry.get('x')).toMatchObject({ defaultBackend: MCP, server: 'main' });
    }
  });

  test('R15: namespaces are unique and sorted, the empty one first', async () => {
    const registry = await makeRegistry();
    await registry.register(
      ['b', '', 'a-b', 'a.b', 'a', 'b', 'a_b', 'a0'].map((namespace, n) =>
        registration(`t${n}`, { namespace }),
      ),
    );
    const first = expectOk(await registry.namespaces());
    expect(first.rows).toEqual([
      { name: '', tools: 1 },
      { name: 'a', tools: 1 },
      { name: 'a-b', tools: 1 },
      { name: 'a.b', tools: 1 },
      { name: 'a0', tools: 1 },
      { name: 'a_b', tools: 1 },
      { name: 'b', tools: 2 },
    ]);
    expect(await registry.namespaces()).toEqual(first);
  });

  test('R16: lists and searches give the first sentence and no schema', async () => {
    const registry = await makeRegistry();
    const description = 'Opens an issue. It needs a project.';
    const long = `${'🎫'.repeat(200)}`;
    await registry.register([
      registration('open', { tool: { description } }),
      registration('opened', { tool: { description: long } }),
    ]);
    const { rows } = expectOk(await registry.list());
    const { tools } = expectOk(await registry.search('opens issue open'));
    for (const row of [...rows, ...tools]) expect(Object.keys(row)).not.toContain('definition');
    expect(rows[0]?.summary).toBe('Opens an issue.');
    expect(rows[1]?.summary.length).toBeLessThanOrEqual(120);
    expect(rows[1]?.summary.isWellFormed()).toBe(true);
  });
});

type Random = ReturnType<typeof createRandom>;

function randomJson(random: Random, depth: number): unknown {
  if (depth === 0 || random.chance(0.3)) {
    return random.pick([null, true, 0, -0, 1.5, 1e21, 'text', 'é\u0000', '', 12]);
  }
  const count = random.below(4);
  const keys = ['a', 'b', '__proto__', 'é', '10', '9'];
  if (random.chance(0.4)) return Array.from({ length: count }, () => randomJson(random, depth - 1));
  return Object.fromEntries(random.sample(keys, count).map((key) => [key, randomJson(random, depth - 1)]));
}

/** The same JSON in another spelling: members in another order, white space, numbers and letters written otherwise. */
function respell(random: Random, value: unknown): string {
  const space = () => random.pick(['', ' ', '\n\t']);
  if (Array.isArray(value))
    return `[${space()}${value.map((item) => respell(random, item)).join(`,${space()}`)}]`;
  if (typeof value === 'object' && value !== null) {
    const members = Object.entries(value).map(
      ([key, member]) => `${space()}${JSON.stringify(key)}${space()}:${respell(random, member)}`,
    );
    return `{${random.sample(members, members.length).join(',')}${space()}}`;
  }
  if (Number.isInteger(value) && Math.abs(value as number) < 1e6)
    return random.pick([`${value}`, `${value}.0`, `${value}e0`]);
  if (typeof value === 'string') {
    return `"${Array.from(value, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`).join('')}"`;
  }
  return JSON.stringify(value);
}
