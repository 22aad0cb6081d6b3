// biome-ignore-all lint/suspicious/noTemplateCurlyInString: configuration files have that syntax.
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { at, printSettings, readSettings, setting } from '../../src/index.ts';

const DECLARATION = {
  table: {
    'desk.port': setting.wholeNumber(0, 65_535, 80),
    'desk.hours': setting.duration('8h', 1_000),
    tokens: at('desk.tokens', setting.bearerTokens()),
    lamp: at('lamp', setting.oneOf(['on', 'off'], 'off')),
    restMs: at('desk.rest', setting.duration('1s', 1)),
    loanBytes: at('desk.loan', setting.byteSize('1MiB', 1, 2 ** 30)),
    key: at('desk.key', setting.secret('every_request')),
  },
  families: { shelves: { size: setting.byteSize('1MiB'), key: setting.secret('every_request') } },
  reservedNames: ['desk'],
  builtIn: { 'shelves.first.size': '2MiB' },
  prefix: 'LIBRARY',
  defaultFile: '/no/such/library.yaml',
  synonyms: { 'reading.room': 'desk' },
};

function fileOf(yaml: string): string {
  const file = join(mkdtempSync(join(tmpdir(), 'winnow-library-')), 'library.yaml');
  writeFileSync(file, yaml);
  return file;
}

const read = (yaml: string, environment: Record<string, string> = {}) =>
  readSettings(DECLARATION, { file: fileOf(yaml), environment });

/** Reads variables alone. */
const readVariables = (environment: Record<string, string>) => readSettings(DECLARATION, { environment });

/** Returns the problems without the file's path, with which each must begin. */
const problemsIn = (yaml: string, environment: Record<string, string> = {}) => {
  const file = fileOf(yaml);
  return readSettings(DECLARATION, { file, environment }).problems.map((problem) =>
    problem.replaceAll(`${file}: `, 'FILE: '),
  );
};

describe('readSettings', () => {
  it('needs no file unless one is named', () => {
    expect(readVariables({})).toMatchObject({
      values: { 'desk.port': 80, 'desk.hours': 28_800_000, tokens: [], restMs: 1_000, loanBytes: 1_048_576 },
      members: { shelves: { first: { size: 2_097_152, key: '' } } },
      problems: [],
    });
    expect(readSettings(DECLARATION, { file: '/no/such/file', environment: {} }).problems).toEqual([
      'The configuration file /no/such/file cannot be read.',
    ]);
  });

  it('lets the file override built-in values, and variables override the file', () => {
    const yaml = 'desk: { port: 81 }\nshelves: { first: { size: 3MiB }, second: }';
    const environment = { LIBRARY_DESK_PORT: '82', LIBRARY_SHELVES_THE_THIRD_SIZE: '4MiB' };
    const { values, members, problems } = read(yaml, environment);
    expect(problems).toEqual([]);
    expect(values['desk.port']).toBe(82);
    expect(Object.entries(members.shelves).map(([name, { size }]) => [name, size / 2 ** 20])).toEqual([
      ['first', 3],
      ['second', 1],
      ['the-third', 4],
    ]);
  });

  it('reads a dotted key', () => {
    const { values, members, problems } = read('desk.port: 81\nshelves.first.size: 3MiB');
    expect(problems).toEqual([]);
    expect(values['desk.port']).toBe(81);
    expect(members.shelves.first?.size).toBe(3_145_728);
  });

  it('tells which keys were set, and where', () => {
    const file = fileOf('desk:\n  port: 80\n');
    const { originOf } = readSettings(DECLARATION, { file, environment: { LIBRARY_DESK_HOURS: '8h' } });
    expect(originOf('desk.port')).toBe(`${file}: Line 2: desk.port`);
    expect(originOf('desk.hours')).toBe('LIBRARY_DESK_HOURS');
    expect(originOf('shelves.first.size')).toBeUndefined();
  });

  it("accepts a specification's name of a section", () => {
    const file = fileOf('reading: { room: { port: 81 } }');
    const environment = { LIBRARY_READING_ROOM_HOURS: '2h' };
    const { values, originOf, problems } = readSettings(DECLARATION, { file, environment });
    expect(problems).toEqual([]);
    expect(values).toMatchObject({ 'desk.port': 81, 'desk.hours': 7_200_000 });
    expect(originOf('desk.port')).toBe(`${file}: Line 1: reading.room.port`);
  });

  it('names the file, the line and the nearest key, of all and of a member', () => {
    expect(
      problemsIn('desk: { prot: 1 }\nshelves: { first: { sise: 1MiB } }', { LIBRARY_DESK_PROT: '1' }),
    ).toEqual([
      'FILE: Line 1: desk.prot is not a setting; the nearest one is desk.port.',
      'FILE: Line 2: shelves.first.sise is not a setting; of shelves.first there are size, key, the nearest one is size.',
      'LIBRARY_DESK_PROT is not a setting; the nearest one is LIBRARY_DESK_PORT.',
    ]);
  });

  it('names the file that is not YAML', () => {
    expect(problemsIn('desk: [')[0]).toMatch(/^FILE: Line 1: /);
  });

  it('refuses a reserved name', () => {
    expect(problemsIn('shelves: { desk: { size: 1MiB } }')).toEqual([
      'FILE: Line 1: shelves.desk.size: a name in `shelves` must be lower-case letters, digits and -, and none of desk.',
    ]);
  });
});

describe('variables', () => {
  it('count as not set when empty', () => {
    expect(readVariables({ LIBRARY_DESK_PORT: '', LIBRARY_LAMP: '' })).toMatchObject({
      values: { 'desk.port': 80, lamp: 'off' },
      problems: [],
    });
  });

  it('tokens that are empty are refused: they would open the service', () => {
    expect(readVariables({ LIBRARY_DESK_TOKENS: '' }).problems).toEqual([
      `LIBRARY_DESK_TOKENS must be a comma-separated list of bearer tokens, none of them empty; leave it out to need none.`,
    ]);
  });

  it.each(['tokens:', 'tokens:\n    # - reader-1', 'tokens: ""'])(
    'tokens without a value in the file (%j) are refused, too',
    (tokens) => {
      expect(problemsIn(`desk:\n  ${tokens}`)).toEqual([
        'FILE: Line 2: desk.tokens must be a comma-separated list of bearer tokens, none of them empty; leave it out to need none.',
      ]);
    },
  );

  it('with wrong values are named with the allowed values, never with their own', () => {
    const environment = { LIBRARY_DESK_PORT: 'hunter2', LIBRARY_DESK_LOAN: '5', LIBRARY_LAMP: 'dim' };
    expect(readVariables(environment).problems).toEqual([
      'LIBRARY_DESK_PORT must be a whole number from 0 to 65535.',
      'LIBRARY_DESK_LOAN must be a size with its unit, such as 1MiB, up to 1GiB.',
      'LIBRARY_LAMP must be one of on, off.',
    ]);
  });

  it("with the service's prefix must exist; others are ignored", () => {
    expect(readVariables({ LIBRARY_TOKENS: 'a', OTHER_TOKEN: 'b', WINNOW_CINEMA: 'c' }).problems).toEqual([
      'LIBRARY_TOKENS is not a setting; the nearest one is LIBRARY_DESK_TOKENS.',
    ]);
  });

  it.each([
    ['LIBRARY_LOAN', 'LIBRARY_DESK_LOAN'],
    ['LIBRARY_LOAN_MS', 'LIBRARY_DESK_LOAN'],
  ])('%s without its section is told the one with the same words', (name, nearest) => {
    expect(readVariables({ [name]: '1' }).problems).toEqual([
      `${name} is not a setting; the nearest one is ${nearest}.`,
    ]);
  });

  it.each([
    ['LIBRARY_SHELVES_FIRST_SIZ', 'LIBRARY_SHELVES_FIRST_SIZE'],
    ['LIBRARY_SHELVES_OLD_BOOKS_K_EY', 'LIBRARY_SHELVES_OLD_BOOKS_KEY'],
  ])('%s of a member is told the nearest one of its member', (name, nearest) => {
    expect(readVariables({ [name]: '1' }).problems).toEqual([
      `${name} is not a setting; the nearest one is ${nearest}.`,
    ]);
  });

  it.each([
    ['WINNOW_DESK_PORT', 'LIBRARY_DESK_PORT'],
    ['WINNOW_LAMP', 'LIBRARY_LAMP'],
  ])('%s, under the name of the product, is refused', (name, nearest) => {
    expect(readVariables({ [name]: '1' }).problems).toEqual([
      `${name} is not a setting; the nearest one is ${nearest}.`,
    ]);
  });

  it.each([
    ['LIBRARY_SERVICE_HOST', '10.0.0.1'],
    ['LIBRARY_PORT', 'x'],
    ['LIBRARY_PORT_80_TCP_ADDR', '10.0.0.1'],
    ['WINNOW_TWO_SERVICE_PORT_HTTP', '80'],
    ['LIBRARY_DESK_PORT', 'tcp://10.0.0.1:80'],
    ['LIBRARY_ANNEX_PORT', 'tcp://10.0.0.1:80'],
  ])('%s=%s is left to the cluster', (variable, text) => {
    expect(readVariables({ [variable]: text })).toMatchObject({ problems: [], values: { 'desk.port': 80 } });
  });
});

describe('lists', () => {
  const lists = {
    ...DECLARATION,
    table: {
      ...DECLARATION.table,
      readers: at('desk.readers', setting.restriction('readers')),
      shelf: at('desk.shelf', setting.list('books')),
    },
    families: {
      shelves: { ...DECLARATION.families.shelves, 'match.reader': setting.restriction('readers') },
    },
  };
  const readLists = (yaml: string) => readSettings(lists, { file: fileOf(yaml), environment: {} });
  const problemsOf = (yaml: string) => readLists(yaml).problems.map((one) => one.replace(/^.*yaml: /, ''));

  const TOKENS =
    'must be a comma-separated list of bearer tokens, none of them empty; leave it out to need none.';

  it.each(['[]', '{}', '""', '', '","', '[""]'])(
    'tokens: %s is refused instead of opening the service',
    (text) => {
      const { problems, values } = readLists(`desk:\n  tokens: ${text}\n`);
      expect(problems).toHaveLength(1);
      expect(problems[0]).toMatch(/: Line 2: desk\.tokens must/);
      expect(values.tokens).toEqual([]);
    },
  );

  it.each(['[]', '{}', '""', '', '","'])('readers: %s, which would admit all, is refused', (text) => {
    expect(problemsOf(`desk:\n  readers: ${text}\n`)).toEqual([
      'Line 2: desk.readers must not be empty: leave it out to admit all.',
    ]);
    expect(problemsOf(`shelves:\n  old:\n    match: { reader: ${text || 'null'} }\n`)).toEqual([
      'Line 3: shelves.old.match.reader must not be empty: leave it out to admit all.',
    ]);
  });

  it('an empty variable of such a list is refused, and one of another counts as not set', () => {
    expect(
      readSettings(lists, {
        environment: { LIBRARY_DESK_TOKENS: '', LIBRARY_DESK_READERS: '', LIBRARY_DESK_SHELF: '' },
      }).problems,
    ).toEqual([
      `LIBRARY_DESK_TOKENS ${TOKENS}`,
      'LIBRARY_DESK_READERS must not be empty: leave it out to admit all.',
    ]);
  });

  it.each(['[]', '{}', '""', ''])('shelf: %s means none', (text) => {
    expect(readLists(`desk:\n  shelf: ${text}\n`)).toMatchObject({ problems: [], values: { shelf: [] } });
  });

  it('no members of a family are no problem, and more than a thousand are one', () => {
    expect(readLists('shelves: []\n').problems).toEqual([]);
    const many = Array.from({ length: 1_002 }, (_, at) => `  s${at}: { size: 1MiB }`).join('\n');
    expect(readLists(`shelves:\n${many}\n`).problems).toEqual(['shelves may have 1000 entries at most.']);
  });

  it('that are unset are printed as a file that leaves them unset', () => {
    const printed = printSettings(lists, readLists('lamp: on\n'));
    expect(readLists(printed)).toMatchObject({ problems: [], values: { readers: [], tokens: [] } });
  });
});

describe('two variables of one key', () => {
  it('that differ stop the start', () => {
    expect(readVariables({ LIBRARY_READING_ROOM_PORT: '1', LIBRARY_DESK_PORT: '2' }).problems).toEqual([
      'LIBRARY_READING_ROOM_PORT and LIBRARY_DESK_PORT set desk.port to different values: leave one out.',
    ]);
  });
});

it('a key that a file sets twice to different values is refused', () => {
  expect(problemsIn('desk: { port: 1 }\nreading: { room: { port: 2 } }')).toEqual([
    'FILE: Line 1: desk.port and FILE: Line 2: reading.room.port set desk.port to different values: leave one out.',
  ]);
});

describe('printSettings', () => {
  it('writes a file that can be read: values with units, and secrets as the variables that must supply them', () => {
    const printed = printSettings(
      DECLARATION,
      read('desk: { hours: 90m, key: hunter2, loan: 50MiB }\nshelves: { a-b: { key: hunter3 } }'),
    );
    expect(printed).toBe(
      [
        'desk.port: 80',
        'desk.hours: 90m',
        '# desk.tokens: (not set)',
        'lamp: "off"',
        'desk.rest: 1s',
        'desk.loan: 50MiB',
        'desk.key: ${LIBRARY_DESK_KEY}',
        'shelves.first.size: 2MiB',
        '# shelves.first.key: (not set)',
        'shelves.a-b.size: 1MiB',
        'shelves.a-b.key: ${LIBRARY_SHELVES_A_B_KEY}',
        '',
      ].join('\n'),
    );
  });

  it('reads back as the same settings', () => {
    const first = read(
      'desk: { hours: 90m, key: hunter2, rest: 1500ms, tokens: [a, b] }\nshelves: { a: { key: b } }',
    );
    const secrets = { LIBRARY_DESK_KEY: 'hunter2', LIBRARY_SHELVES_A_KEY: 'b', LIBRARY_DESK_TOKENS: 'a,b' };
    const second = read(printSettings(DECLARATION, first), secrets);
    expect(second.problems).toEqual([]);
    expect([second.values, second.members]).toEqual([first.values, first.members]);
  });
});
