import { sightOf } from '@winnow/registry';
import { describe, expect, test } from 'vitest';
import { makeFrontDoor, NOW, onServer, textOf } from './make-front-door.ts';

const CREATE_ISSUE = onServer('jira', 'create_issue', {
  description: 'Create an issue in a Jira project. It may have labels.',
  inputSchema: {
    type: 'object',
    properties: {
      labels: { type: 'array', items: { type: 'string' } },
      project: { type: 'string', description: 'Key of the\n project' },
      priority: { enum: ['low', 'high'] },
      fields: { $ref: '#/$defs/fields' },
      due: { anyOf: [{ type: 'string' }, { type: 'null' }] },
    },
    required: ['project'],
    $defs: { fields: { type: 'object', properties: { summary: {}, story_points: {} } } },
  },
});

/** Some 500 characters of parameters. */
const PARAMETERS = {
  type: 'object',
  properties: Object.fromEntries(
    Array.from({ length: 5 }, (_, n) => [`p${n}`, { type: 'string', description: 'y'.repeat(80) }]),
  ),
};

const search = (args: Record<string, unknown>) => ({ name: 'search_tools', arguments: args as never });

describe('search_tools', () => {
  test.each([
    [{ queries: ['create jira issue', 'send a mail', 'launch a zeppelin'] }],
    [{ queries: 'create jira issue\nsend a mail\nlaunch a zeppelin' }],
    [
      {
        queries: [{ query: 'create jira issue' }, ['send a mail'], { verb: 'launch', object: 'a zeppelin' }],
      },
    ],
  ])('finds tools for several needs at once, and says which found nothing: %j', async (args) => {
    const { door } = await makeFrontDoor([
      CREATE_ISSUE,
      onServer('mail', 'send', { description: 'Send a mail.' }),
      onServer('mail', 'drop', { description: 'Drop a mail.' }),
    ]);
    const text = textOf(await door.callTool(search({ ...args, limit: 2 })));
    expect(text).toContain('### jira__create_issue');
    expect(text).toContain('### mail__send');
    expect(text).toContain(
      'No tool matches "launch a zeppelin".\nWords that no tool contains: launch, zeppelin.',
    );
    expect(text).toContain('once a search for the name has found them: mail__drop.');
  });

  test('R60: gives a tool with one line and its parameters, required ones first', async () => {
    const { door } = await makeFrontDoor([CREATE_ISSUE, onServer('mail', 'send')]);
    const end = await door.callTool(search({ query: 'create jira issue' }));
    expect(textOf(end)).toBe(
      [
        '1 of 1 matching tool, the best first.',
        '',
        '### jira__create_issue',
        'Create an issue in a Jira project.',
        'Call with call_tool. Parameters:',
        '- project (string, required): Key of the project',
        '- labels (string[])',
        '- priority ("low" | "high")',
        '- fields ({ summary, story_points })',
        '- due (string | null)',
      ].join('\n'),
    );
  });

  test('R60: gives programs the search response, with definitions of the first three', async () => {
    const tools = ['a1', 'd4', 'b2', 'c3'].map((name) => onServer('n', `make_${name}`));
    const { door } = await makeFrontDoor(tools);
    const end = await door.callTool(search({ query: 'make', limit: 4 }));
    const structured = end.kind === 'result' ? end.result.structuredContent : undefined;
    expect(structured).toMatchObject({
      tool_references: [
        {
          tool_name: 'n__make_a1',
          id: 'n:make_a1',
          namespace: 'n',
          server: 'n',
          summary: 'Handles make_a1.',
        },
        { tool_name: 'n__make_b2' },
        { tool_name: 'n__make_c3' },
        { tool_name: 'n__make_d4' },
      ],
      total_matches: 4,
    });
    expect(structured).not.toHaveProperty('notes');
    const { tool_references: references } = structured as { tool_references: { definition?: unknown }[] };
    expect(references.map(({ definition }) => definition)).toEqual([
      { name: 'n__make_a1', description: 'Handles make_a1.', inputSchema: { type: 'object' } },
      { name: 'n__make_b2', description: 'Handles make_b2.', inputSchema: { type: 'object' } },
      { name: 'n__make_c3', description: 'Handles make_c3.', inputSchema: { type: 'object' } },
      undefined,
    ]);
  });

  test('R60: has at most 8,000 characters and whole tools, and says how many are left', async () => {
    const properties = Object.fromEntries(
      Array.from({ length: 20 }, (_, n) => [
        `parameter_${n}`,
        { type: 'string', description: 'x'.repeat(90) },
      ]),
    );
    const tools = Array.from({ length: 20 }, (_, n) =>
      onServer('big', `make_${String(n).padStart(2, '0')}`, { inputSchema: { type: 'object', properties } }),
    );
    const { door } = await makeFrontDoor(tools);
    const text = textOf(await door.callTool(search({ query: 'make', limit: 20 })));
    expect(text.length).toBeLessThanOrEqual(8_000);
    const blocks = text.split('### ').slice(1);
    const whole = blocks.filter((block) => block.includes('- parameter_19 (string): '));
    const short = blocks.filter((block) => block.includes('Its parameters: ask describe_tools.'));
    expect(whole.length).toBeGreaterThanOrEqual(3);
    expect(whole.length + short.length).toBe(blocks.length);
    const shown = blocks.length;
    expect(text.startsWith(`${shown} of 20 matching tools`)).toBe(true);
  });

  test('R60: a tool that is too long alone is shown without its parameters', async () => {
    const properties = Object.fromEntries(
      Array.from({ length: 900 }, (_, n) => [`p${n}`, { type: 'string' }]),
    );
    const { door } = await makeFrontDoor([
      onServer('big', 'make', { inputSchema: { type: 'object', properties } }),
    ]);
    const text = textOf(await door.callTool(search({ query: 'make' })));
    expect(text).toContain(
      '### big__make\nHandles make.\nCall with call_tool. Parameters:\nIts parameters: ask describe_tools.',
    );
  });

  test('R60: finds in a namespace and by tags, and says when a namespace does not exist', async () => {
    const tagged = { ...onServer('mail', 'create_rule'), tags: ['rules'] };
    const { door } = await makeFrontDoor([CREATE_ISSUE, onServer('mail', 'create_draft'), tagged]);
    const names = async (args: Record<string, unknown>) => {
      const text = textOf(await door.callTool(search({ query: 'create', ...args })));
      return [[...text.matchAll(/### (\S+)/g)].map(([, name]) => name).sort(), text] as const;
    };
    expect((await names({ namespace: 'mail' }))[0]).toEqual(['mail__create_draft', 'mail__create_rule']);
    expect((await names({ tags: ['rules'] }))[0]).toEqual(['mail__create_rule']);
    expect((await names({ namespace: 'mail', tags: 'rules' }))[0]).toEqual(['mail__create_rule']);
    expect((await names({ namespace: 'jira', tags: ['rules'] }))[0]).toEqual([]);
    for (const nothing of [{ namespace: '' }, { namespace: null }, { tags: [] }, { tags: null }]) {
      const [found, text] = await names(nothing);
      expect(found).toHaveLength(3);
      expect(text).not.toContain('There is no namespace');
    }
    const [all, text] = await names({ namespace: 'mial' });
    expect(all).toHaveLength(3);
    expect(text).toContain('There is no namespace "mial": all were searched.');
  });

  test('R60: brings a limit into its range, and refuses what makes no sense with a sentence', async () => {
    const { door } = await makeFrontDoor(Array.from({ length: 30 }, (_, n) => onServer('n', `make_${n}`)));
    const count = async (limit: unknown) =>
      textOf(await door.callTool(search({ query: 'make', limit }))).split('### ').length - 1;
    expect(await count(0)).toBe(1);
    expect(await count(1_000)).toBe(20);
    expect(await count('3')).toBe(3);
    expect(await count(2.7)).toBe(2);
    for (const [args, problem] of [
      [{ query: null, limit: 3 }, '"queries" must be a list of phrases.'],
      [{ query: 'make', limit: 'many' }, '"limit" must be a whole number.'],
      [{ query: 'make', namespace: 7 }, '"namespace" must be a text.'],
      [{ query: 'make', tags: ['n', 7] }, '"tags" must be a list of texts.'],
    ] as const) {
      const wrong = await door.callTool(search(args));
      expect(wrong).toMatchObject({
        kind: 'result',
        outcome: 'invalid_arguments',
        result: { isError: true },
      });
      expect(textOf(wrong)).toBe(`invalid_arguments: ${problem}`);
    }
  });

  test('R60: programs get a summary of at most 240 characters, and no definition of more than 8,000', async () => {
    const { door } = await makeFrontDoor([
      onServer('n', 'make_long', { description: `Makes ${'very '.repeat(100)}much` }),
      onServer('n', 'make_titled', { description: '', title: 't'.repeat(300) }),
      onServer('n', 'make_large', {
        inputSchema: {
          type: 'object',
          properties: { a: { type: 'string', description: 'x'.repeat(8_000) } },
        },
      }),
    ]);
    const end = await door.callTool(search({ query: 'make', namespace: 'none' }));
    const structured = end.kind === 'result' ? end.result.structuredContent : undefined;
    const { tool_references: references } = structured as { tool_references: Record<string, string>[] };
    const [large, long] = references.toSorted((left, right) => (left.id! < right.id! ? -1 : 1));
    expect(large).not.toHaveProperty('definition');
    expect(long).toHaveProperty('definition');
    expect(long!.summary!.length).toBeLessThanOrEqual(240);
    expect(textOf(end)).toContain(`\n${'t'.repeat(239)}…\n`);
    expect(structured).toMatchObject({ notes: ['There is no namespace "none": all were searched.'] });
  });

  test('R60: notes take their room from the tools of the text', async () => {
    const tools = Array.from({ length: 20 }, (_, n) =>
      onServer('big', `make_${n}`, {
        description: `Makes ${'x'.repeat(190)} ${n}.`,
        inputSchema: PARAMETERS,
      }),
    );
    const { door, servers } = await makeFrontDoor(tools);
    servers.known = Array.from({ length: 10 }, (_, n) => ({
      ...{ name: `${n}`.repeat(64), namespace: `s${n}`, tools: 0 },
      status: n % 2 === 0 ? 'down' : 'connecting',
    }));
    const text = textOf(await door.callTool(search({ query: 'make', limit: 20 })));
    expect(text).toContain('Not reached so far: 0000');
    expect(text.length).toBeLessThanOrEqual(8_000);
  });

  test('R60: nothing found is said with namespaces that have a similar name', async () => {
    const { door } = await makeFrontDoor([onServer('github', 'merge')]);
    const end = await door.callTool(search({ query: 'gitqqqqqqq' }));
    expect(textOf(end)).toBe(
      'No tool matches this search. Words that no tool contains: gitqqqqqqq. Groups with a similar name: github. Tell the user that no tool here does this, rather than search for it again.',
    );
    expect(end).toMatchObject({
      result: { structuredContent: { no_match: true, nearest_namespaces: ['github'] } },
    });
  });

  test('R62: what is out of sight is neither found nor counted', async () => {
    const { door } = await makeFrontDoor([CREATE_ISSUE, onServer('mail', 'create_draft')], {
      view: (registry) => registry.within(sightOf(['mail'])),
    });
    const text = textOf(await door.callTool(search({ query: 'create' })));
    expect(text).toContain('1 of 1 matching tool');
    expect(text).not.toContain('jira');
  });

  test('R54: shows no characters that hide something from a reader', async () => {
    const { door } = await makeFrontDoor([
      onServer('n', 'make', {
        description: 'Makes\u202e a\u{e0041} cake.',
        inputSchema: { type: 'object', properties: { a: { type: 'string', description: 'so\u2066 me' } } },
      }),
    ]);
    const end = await door.callTool(search({ query: 'make' }));
    expect(textOf(end)).toContain('Makes a cake.');
    expect(JSON.stringify(end)).not.toMatch(/[\u202e\u2066\u{e0041}]/u);
  });

  test('R48: says when a server has not answered lately', async () => {
    const staleSince = () => NOW - 60_000;
    const { door } = await makeFrontDoor([onServer('n', 'make')], { registry: { staleSince } });
    expect(textOf(await door.callTool(search({ query: 'make' })))).toContain(
      'The server n has not answered since 2026-11-22T11:59:00.000Z: its tools may have changed.',
    );
  });
});

test('R55: a search names servers in sight that have listed nothing so far', async () => {
  const { door, servers } = await makeFrontDoor([onServer('n', 'make')], {
    view: (registry) => registry.within(sightOf(['n', 'm*'])),
  });
  servers.known = [
    { name: 'mail', namespace: 'mail', status: 'connecting', tools: 0 },
    { name: 'maps', namespace: 'maps', status: 'down', tools: 0 },
    { name: 'n', namespace: 'n', status: 'down', tools: 1 },
    { name: 'hidden', namespace: 'hidden', status: 'connecting', tools: 0 },
  ];
  const text = textOf(await door.callTool(search({ query: 'make' })));
  expect(text).toContain('Still starting, their tools come later: mail.\nNot reached so far: maps.');
  expect(text).not.toContain('hidden');
});

test.each([
  { name: 'call_tool', arguments: { name: 'mail__send' } },
  { name: 'describe_tools', arguments: { names: ['mail__send'] } },
])('R55: $name says of an unknown tool which servers have listed nothing so far', async (call) => {
  const { door, servers } = await makeFrontDoor([onServer('n', 'make')]);
  servers.known = [{ name: 'mail', namespace: 'mail', status: 'connecting', tools: 0 }];
  expect(textOf(await door.callTool(call))).toMatch(
    /There is no tool "mail__send"\..* Find tools with search_tools\. Still starting, their tools come later: mail\.$/,
  );
});

describe('describe_tools', () => {
  const describeTools = (names: unknown) => ({ name: 'describe_tools', arguments: { names } as never });

  test('R65: gives full definitions under the names by which they are called', async () => {
    const { door, registry } = await makeFrontDoor([CREATE_ISSUE]);
    await registry.setExamples('jira:create_issue', [{ title: 'A bug', arguments: { project: 'P' } }]);
    const end = await door.callTool(describeTools(['jira__create_issue', 'jira:create_issue']));
    const expected = {
      name: 'jira__create_issue',
      description: 'Create an issue in a Jira project. It may have labels.',
      inputSchema: CREATE_ISSUE.tool.inputSchema,
      examples: [{ title: 'A bug', arguments: { project: 'P' } }],
    };
    expect(end).toMatchObject({ outcome: 'ok', result: { structuredContent: { tools: [expected] } } });
    expect(JSON.parse(textOf(end))).toEqual(expected);
  });

  test('R65: describes at most 20, and names what it does not know', async () => {
    const { door } = await makeFrontDoor([CREATE_ISSUE]);
    const many = await door.callTool(describeTools(Array.from({ length: 21 }, (_, n) => `t${n}`)));
    expect(textOf(many)).toBe('invalid_arguments: "names" has 21 names; at most 20 are described at once.');
    const mixed = await door.callTool(describeTools(['create_issue', 'jira__creat_issue']));
    expect(mixed).toMatchObject({ outcome: 'ok' });
    expect(textOf(mixed)).toContain(
      'There is no tool "jira__creat_issue". The nearest names: jira__create_issue. Find tools with search_tools.',
    );
    expect(await door.callTool(describeTools(['nothing']))).toMatchObject({ result: { isError: true } });
    expect(await door.callTool(describeTools('create_issue'))).toMatchObject({ outcome: 'ok' });
    expect(await door.callTool(describeTools([]))).toMatchObject({ outcome: 'invalid_arguments' });
  });
});
