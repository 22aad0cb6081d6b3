import { describe, expect, test } from 'vitest';
import { acebenchEn } from '../../src/sets/acebench-en.ts';
import { ALL_SETS } from '../../src/sets/all-sets.ts';
import { bfcl } from '../../src/sets/bfcl.ts';
import { convert as convertMetatool } from '../../src/sets/metatool.ts';
import { nestful } from '../../src/sets/nestful.ts';
import { restbench } from '../../src/sets/restbench.ts';
import { sealtools } from '../../src/sets/sealtools.ts';
import { stabletoolbench } from '../../src/sets/stabletoolbench.ts';
import { tauBenchAirline } from '../../src/sets/tau-bench-airline.ts';
import { toollinkos } from '../../src/sets/toollinkos.ts';

/** Reads invented files in a repository's shape; those left out are empty lists, or files without a line. */
const reader =
  (files: Record<string, unknown>, empty = '[]') =>
  (path: string) => {
    const name = Object.keys(files).find((end) => path.endsWith(`/${end}`));
    const content = name === undefined ? empty : files[name];
    return typeof content === 'string' ? content : JSON.stringify(content);
  };
const lines = (...values: unknown[]) => values.map((value) => `${JSON.stringify(value)}\n`).join('');

describe('every set', () => {
  test.each(ALL_SETS)('$name is pinned to a commit, a licence and two checksums', (set) => {
    expect(set.commit).toMatch(/^[0-9a-f]{40}$/);
    expect(set.sha256.tools).toMatch(/^[0-9a-f]{64}$/);
    expect(set.sha256.queries).toMatch(/^[0-9a-f]{64}$/);
    expect(['MIT', 'Apache-2.0']).toContain(set.licence);
    expect(set.files.length).toBeGreaterThan(1);
  });
});

describe('restbench', () => {
  const document = {
    components: {
      parameters: {
        Shelf: {
          name: 'shelf',
          required: 'false',
          schema: { description: 'Where it stands', example: 'a', title: 'Shelf', type: 'string' },
        },
      },
    },
    paths: {
      '/plants/{plant_id}': {
        parameters: [{ name: 'plant_id', required: true, schema: { type: 'integer', minimum: 1 } }],
        get: { summary: 'Get a plant', description: 'One plant.' },
        put: {
          summary: 'Change a plant',
          parameters: [{ $ref: '#/components/parameters/Shelf' }],
          requestBody: {
            content: {
              'application/json': {
                schema: { properties: { tags: { items: {}, type: 'array' } }, required: ['tags'] },
              },
            },
          },
        },
      },
    },
  };
  const { tools, queries } = restbench.convert(
    reader({
      'tmdb_oas.json': document,
      'spotify_oas.json': { paths: {} },
      'tmdb.json': [
        { query: ' water it ', solution: ['GET /plants/{id}', 'GET /plants/{plant_id} ', 'GET /nothing'] },
      ],
    }),
  );

  test('makes a tool of each operation, with the parameters of its path and its body', () => {
    expect(tools).toEqual([
      {
        name: 'tmdb__get_plants_plant_id',
        description: 'Get a plant One plant.',
        parameters: {
          type: 'object',
          properties: { plant_id: { type: 'integer' } },
          required: ['plant_id'],
        },
        group: 'tmdb',
      },
      {
        name: 'tmdb__put_plants_plant_id',
        description: 'Change a plant',
        parameters: {
          type: 'object',
          properties: {
            plant_id: { type: 'integer' },
            shelf: { description: 'Where it stands', title: 'Shelf', type: 'string' },
            tags: { type: 'array' },
          },
          required: ['plant_id', 'shelf'],
        },
        group: 'tmdb',
      },
    ]);
  });

  test('finds called operations whatever the path calls its parts, and drops what is no call of one', () => {
    expect(queries).toEqual([
      { id: 'tmdb-0', query: 'water it', gold: ['tmdb__get_plants_plant_id'], kind: 'request-multi' },
    ]);
  });
});

describe('nestful', () => {
  const { tools, queries } = nestful.convert(
    reader({
      'executable-spec.json': [
        {
          name: 'sow',
          description: 'Sows',
          query_parameters: {
            seed: { type: 'String', description: 'Which', required: true, example: 'oat' },
          },
        },
      ],
      'non-executable-glaive-spec.json': [
        { name: 'sow', description: 'Another', parameters: {} },
        { name: 'reap', description: 'Reaps', parameters: { on: { type: 'Date', default: 'today' } } },
      ],
      'executable-data.json': [
        { input: 'sow and eat', output: ['sow', 'sow', 'eat', 'var_result'].map((name) => ({ name })) },
      ],
    }),
  );

  test('keeps the first tool of a name, and a string where the type is none of JSON schema', () => {
    const described = tools.map(({ name, parameters, group }) => ({ name, parameters, group }));
    expect(described).toEqual([
      {
        name: 'sow',
        parameters: {
          type: 'object',
          properties: { seed: { type: 'string', description: 'Which' } },
          required: ['seed'],
        },
        group: 'executable/executable',
      },
      {
        name: 'reap',
        parameters: {
          type: 'object',
          properties: { on: { type: 'string', default: 'today' } },
          required: [],
        },
        group: 'glaive',
      },
    ]);
  });

  test('counts specified tools as gold, each once', () => {
    expect(queries).toEqual([
      { id: 'executable/executable-0', query: 'sow and eat', gold: ['sow'], kind: 'request-multi' },
    ]);
  });
});

describe('metatool', () => {
  test('takes the drawn rows, by their place among them, and all requests for two tools', () => {
    const files = {
      'plugin_des.json': { spade: 'Digs!', Rake: 'Rakes!' },
      'all_clean_data.csv':
        'Query,Tool\r\nnot drawn,Rake\r\n"Dig ""here"", please",spade\r\nRake it,Rake\r\n',
      'multi_tool_query_golden.json': [{ query: 'Rake and dig ', tool: ['Rake', 'spade'] }],
    };
    expect(convertMetatool(reader(files), [1, 2])).toEqual({
      tools: [
        { name: 'Rake', description: 'Rakes!', parameters: null, group: null },
        { name: 'spade', description: 'Digs!', parameters: null, group: null },
      ],
      queries: [
        { id: 'single-0', query: 'Dig "here", please', gold: ['spade'], kind: 'request' },
        { id: 'single-1', query: 'Rake it', gold: ['Rake'], kind: 'request' },
        { id: 'multi-0', query: 'Rake and dig', gold: ['Rake', 'spade'], kind: 'request-multi' },
      ],
    });
    expect(() => convertMetatool(reader(files), [3])).toThrow('has no row 3');
  });
});

describe('toollinkos', () => {
  test('names types as JSON schema does, and gives a repeated query the tools of all', () => {
    const tool = (name: string, func_type: string) => ({
      name,
      description: name,
      parameters: [{ name: 'n', required: true, enum: [1], description: 'How many', type: 'int' }],
      func_type,
    });
    const instance = (user_query: string, main_golden_function_name: string) => ({
      user_query,
      main_golden_function_name,
      golden_function_names: ['other'],
    });
    const { tools, queries } = toollinkos.convert(
      reader({
        'regular_tools.json': [tool('plant', 'regular')],
        'core_tools.json': [tool('today', 'core')],
        'instances.json': [instance('a', 'plant'), instance('b', 'today'), instance('a ', 'today')],
      }),
    );
    expect(tools.map(({ name, group }) => [name, group])).toEqual([
      ['plant', 'regular'],
      ['today', 'core'],
    ]);
    expect(JSON.stringify(tools[0]?.parameters)).toBe(
      '{"type":"object","properties":{"n":{"type":"integer","description":"How many","enum":[1]}},"required":["n"]}',
    );
    expect(queries.map(({ id, gold }) => [id, gold])).toEqual([
      ['q0', ['plant', 'today']],
      ['q1', ['today']],
    ]);
  });
});

describe('sealtools', () => {
  test('keeps type and description of parameters, and tells easy from difficult by the id', () => {
    const { tools, queries } = sealtools.convert(
      reader(
        {
          'tool.jsonl': lines({
            api_name: 'plant',
            api_description: 'Plants',
            field: 'Garden/Beds',
            parameters: { depth: { type: 'float', description: 'cm', example: 3 } },
            required: ['depth'],
          }),
          'dev.jsonl': lines(
            { id: 'dev-easy-0', query: 'plant', calling: [{ api: 'plant' }] },
            { id: 'dev-difficult-1', query: 'plant twice', calling: [{ api: 'plant' }, { api: 'plant' }] },
          ),
        },
        '',
      ),
    );
    expect(tools[0]).toEqual({
      name: 'plant',
      description: 'Plants',
      parameters: {
        type: 'object',
        properties: { depth: { type: 'number', description: 'cm' } },
        required: ['depth'],
      },
      group: 'Garden/Beds',
    });
    expect(queries.map(({ gold, kind }) => [gold, kind])).toEqual([
      [['plant'], 'request'],
      [['plant'], 'request-multi'],
    ]);
  });
});

describe('acebench-en', () => {
  test('reads numbered calls as calls of one tool, and nested types', () => {
    const parameters = { type: 'object', properties: { deep: { properties: { x: { type: 'float' } } } } };
    const { tools, queries } = acebenchEn.convert(
      reader(
        {
          'data_en/data_normal_atom_bool.json': lines({
            id: 'a_0',
            question: 'user: Water both beds.\nsystem: Which?\n',
            function: [
              { name: 'water', description: 'Waters', parameters },
              { name: 'dig_2', description: 'Digs', arguments: parameters },
            ],
          }),
          'possible_answer/data_normal_atom_bool.json': lines({
            id: 'a_0',
            ground_truth: { water_1: {}, water_2: {}, dig_2: {} },
          }),
        },
        '',
      ),
    );
    expect(tools.map((tool) => tool.parameters)).toEqual(
      Array(2).fill({ type: 'object', properties: { deep: { properties: { x: { type: 'number' } } } } }),
    );
    expect(queries).toEqual([
      {
        id: 'a_0',
        query: 'Water both beds.\nsystem: Which?',
        gold: ['water', 'dig_2'],
        kind: 'request-multi',
        candidates: ['water', 'dig_2'],
      },
    ]);
  });
});

describe('bfcl', () => {
  const definition = (parameters: string) =>
    `{"name":"bed.dig","description":"Digs","parameters":{"type":"dict","properties":${parameters}}}`;
  const question = (id: string, ...functions: string[]) =>
    `{"id":"${id}","question":[[{"role":"system","content":"no"},{"role":"user","content":"${id}?"}]],"function":[${functions}]}\n`;
  const files = (...functions: string[]) => ({
    'data/BFCL_v4_multiple.json': question('m_0', ...functions),
    'data/BFCL_v4_irrelevance.json': question(
      'i_0',
      '{"name":"any","description":"","parameters":{"type":"dict","properties":{"type":{"type":"any","optional":true}}}}',
    ),
    'possible_answer/BFCL_v4_multiple.json': lines({ id: 'm_0', ground_truth: [{ 'bed.dig': {} }] }),
  });

  test('takes requests that have an answer, and tools of the others as well', () => {
    const { tools, queries } = bfcl.convert(reader(files(definition('{}')), ''));
    expect(tools.map(({ name, group, parameters }) => [name, group, parameters])).toEqual([
      ['any', null, { type: 'object', properties: { type: {} } }],
      ['bed.dig', 'bed', { type: 'object', properties: {} }],
    ]);
    expect(queries).toEqual([{ id: 'm_0', query: 'm_0?', gold: ['bed.dig'], kind: 'request' }]);
  });

  test('keeps the longest definition as written, 1.0 being longer than 10', () => {
    const [one, other] = [definition('{"x":{"default":1.0}}'), definition('{"x":{"default":10}}')];
    for (const order of [
      [one, other],
      [other, one],
    ]) {
      const { tools } = bfcl.convert(reader(files(...order), ''));
      expect(JSON.stringify(tools[1]?.parameters)).toBe(
        '{"type":"object","properties":{"x":{"default":1.0}}}',
      );
    }
  });

  test('keeps the later text of equally long definitions, whatever their order', () => {
    const [one, other] = [definition('{"x":{"title":"a"}}'), definition('{"x":{"title":"b"}}')];
    for (const order of [
      [one, other],
      [other, one],
    ]) {
      const { tools } = bfcl.convert(reader(files(...order), ''));
      expect(JSON.stringify(tools[1]?.parameters)).toContain('"b"');
    }
  });
});

describe('stabletoolbench', () => {
  test('leaves out what the source leaves empty, and gives a list of one no candidates', () => {
    const endpoint = (api_name: string) => ({
      category_name: 'Garden',
      tool_name: 'Beds',
      api_name,
      api_description: '',
      required_parameters: [{ name: 'n\t', type: 'NUMBER', description: '', default: [] }],
      optional_parameters: [{ name: 'on', type: 'DATE (YYYY-MM-DD)', description: 'When', default: '1' }],
    });
    const request = (query_id: number, names: string[]) => ({
      query_id,
      query: `query ${query_id}`,
      api_list: names.map(endpoint),
      'relevant APIs': [
        ['Beds', 'water'],
        ['Beds', 'water'],
      ],
    });
    const { tools, queries } = stabletoolbench.convert(
      reader({ 'G1_tool.json': [request(7, ['water', 'dig']), request(8, ['water'])] }),
    );
    expect(tools.map(({ name }) => name)).toEqual(['Beds__dig', 'Beds__water']);
    expect(tools[0]).toEqual({
      name: 'Beds__dig',
      description: '',
      parameters: {
        type: 'object',
        properties: { n: { type: 'number' }, on: { type: 'string', description: 'When', default: '1' } },
        required: ['n'],
      },
      group: 'Garden/Beds',
    });
    expect(queries).toEqual([
      {
        id: 'G1_tool-7',
        query: 'query 7',
        gold: ['Beds__water'],
        kind: 'request-multi',
        candidates: ['Beds__water', 'Beds__dig'],
      },
      { id: 'G1_tool-8', query: 'query 8', gold: ['Beds__water'], kind: 'request-multi' },
    ]);
  });
});

describe('tau-bench-airline', () => {
  const python = `
class Calculate(Tool):
    @staticmethod
    def invoke(data, expression: str) -> str:
        return {"no": "definition"}

    @staticmethod
    def get_info() -> Dict[str, Any]:
        return {
            "type": "function",
            "function": {
                "name": "calculate",
                "description": "Calculate the result "
                "of an expression.",
                "parameters": {
                    "type": "object",
                    "properties": {"expression": {"type": "string"},},
                    "required": ["expression"],
                    "additionalProperties": True,
                },
            },
        }
`;
  const call = { id: 'c', function: { name: 'calculate', arguments: '{"expression":"1+1"}' } };
  const trajectories = [
    {
      task_id: 3,
      trial: 1,
      traj: [
        { role: 'system', content: 'Be polite.' },
        { role: 'user', content: 'What is 1+1?' },
        { role: 'assistant', content: null, tool_calls: [call] },
        { role: 'tool', content: '2', tool_call_id: 'c' },
        { role: 'assistant', content: 'It is 2.' },
        { role: 'user', content: 'Bye.' },
      ],
    },
    { task_id: 4, trial: 0, traj: [{ role: 'user', content: 'Hello' }] },
  ];
  const { tools, conversations } = tauBenchAirline.convert((path) =>
    path.endsWith('.json') ? JSON.stringify(trajectories) : python,
  );

  test('has the definitions of its Python files', () => {
    expect(tools[0]).toEqual({
      name: 'calculate',
      description: 'Calculate the result of an expression.',
      parameters: {
        type: 'object',
        properties: { expression: { type: 'string' } },
        required: ['expression'],
        additionalProperties: true,
      },
      group: 'airline',
    });
  });

  test('has conversations with a call, each with its result', () => {
    expect(conversations).toEqual([
      {
        id: '3-1',
        turns: [
          {
            user: 'What is 1+1?',
            steps: [[{ name: 'calculate', input: { expression: '1+1' }, result: '2' }]],
            answer: 'It is 2.',
          },
          { user: 'Bye.', steps: [], answer: 'Goodbye.' },
        ],
      },
    ]);
  });
});
