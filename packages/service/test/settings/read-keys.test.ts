import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { printSettings, readKeys, setting } from '../../src/index.ts';

const SETTINGS = {
  table: { 'desk.port': setting.wholeNumber(0, 65_535, 80), 'desk.hours': setting.duration('8h', 1_000) },
  families: { shelves: { size: setting.byteSize('1MiB'), key: setting.secret() } },
  reservedNames: ['desk'],
  builtIn: { 'shelves.first.size': '2MiB' },
  prefix: 'LIBRARY',
  defaultFile: '/no/such/library.yaml',
  synonyms: { 'reading.room': 'desk' },
  ignored: ['reading.room.lamp'],
};

function read(yaml: string, environment: Record<string, string> = {}) {
  const file = join(mkdtempSync(join(tmpdir(), 'winnow-library-')), 'library.yaml');
  writeFileSync(file, yaml);
  return readKeys(SETTINGS, { file, environment });
}

describe('readKeys', () => {
  it('needs no file unless one is named', () => {
    expect(readKeys(SETTINGS, { environment: {} })).toMatchObject({
      values: { 'desk.port': 80, 'desk.hours': 28_800_000 },
      members: { shelves: { first: { size: 2_097_152, key: '' } } },
      problems: [],
    });
    expect(readKeys(SETTINGS, { file: '/no/such/file', environment: {} }).problems).toEqual([
      'The configuration file /no/such/file cannot be read.',
    ]);
  });

  it('lets the file stand above what is built in, and variables above the file', () => {
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

  it('knows what was set, where, and what was not', () => {
    const { originOf } = read('desk:\n  port: 80\n', { LIBRARY_DESK_HOURS: '8h' });
    expect(originOf('desk.port')).toBe('Line 2: desk.port');
    expect(originOf('desk.hours')).toBe('LIBRARY_DESK_HOURS');
    expect(originOf('shelves.first.size')).toBeUndefined();
  });

  it('takes the name that a specification gives to a section, and passes over what has no effect', () => {
    const yaml = 'reading: { room: { port: 81, lamp: true } }';
    const environment = { LIBRARY_READING_ROOM_HOURS: '2h', LIBRARY_READING_ROOM_LAMP: 'false' };
    const { values, originOf, problems } = read(yaml, environment);
    expect(problems).toEqual([]);
    expect(values).toEqual({ 'desk.port': 81, 'desk.hours': 7_200_000 });
    expect(originOf('desk.port')).toBe('Line 1: reading.room.port');
  });

  it('names the nearest key, of all and of a member', () => {
    expect(
      read('desk: { prot: 1 }\nshelves: { first: { sise: 1MiB } }', { LIBRARY_DESK_PROT: '1' }).problems,
    ).toEqual([
      'Line 1: desk.prot is not a setting; the nearest one is desk.port.',
      'Line 2: shelves.first.sise is not a setting; of shelves.first there are size, key, the nearest one is size.',
      'LIBRARY_DESK_PROT is not a setting; the nearest one is LIBRARY_DESK_PORT.',
    ]);
  });

  it('refuses a name that is reserved', () => {
    expect(read('shelves: { desk: { size: 1MiB } }').problems).toEqual([
      'Line 1: shelves.desk.size: a name in `shelves` must be small letters, digits and -, and none of desk.',
    ]);
  });
});

describe('printSettings', () => {
  it('shows values by their keys, and of a secret only whether it is set', () => {
    const table = { key: setting.secret(), tokens: setting.bearerTokens(), ...SETTINGS.table };
    const values = { key: 'hunter2', tokens: [], 'desk.port': 80, 'desk.hours': 1_000 };
    expect(printSettings(table, values, 'library.')).toEqual([
      'library.key: ***',
      'library.tokens: (not set)',
      'library.desk.port: 80',
      'library.desk.hours: 1000',
    ]);
  });
});
