import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';

const SOURCES = join(import.meta.dirname, '../src');

/** The most members that an interface has. */
const MOST_MEMBERS = 10;

/** Interfaces that have more with those that they inherit, each with its reason. */
const COMPOSED: Readonly<Record<string, string>> = {
  RequestView: 'plain data, of which callers take the part that they need',
  Vendor: 'plain data, one literal for each vendor',
  ResponseJoiner: 'its progress, its rounds and its end are one object, which callers see by parts',
  RoundReader: 'its findings are data',
  EnvelopeReader: 'its findings are data',
};

/** The states of joiners are private plain data, and each adds its own to a shared one. */
const IS_STATE = /State$/;

interface Declaration {
  readonly name: string;
  /** What stands behind `extends`. */
  readonly bases: string;
  readonly own: readonly string[];
}

/** Every interface in a source, whose members stand at the usual indentation: the formatter sees to that. */
function interfacesIn(source: string): Declaration[] {
  const blocks = source.matchAll(
    /^(?:export )?interface (\w+)(?:<[^>]*>)?(?:\s+extends ([^{]*))?\s*\{(\}|[\s\S]*?^\})/gm,
  );
  return [...blocks].map(([, name = '', bases = '', body = '']) => ({
    name,
    bases,
    own: [...body.matchAll(/^ {2}(?:readonly )?(\w+)\??(?:[:(<])/gm)].map(([, member]) => member!),
  }));
}

/** Every member of an interface, its own and the inherited ones. */
function membersOf(name: string, declarations: ReadonlyMap<string, Declaration>): ReadonlySet<string> {
  const { bases = '', own = [] } = declarations.get(name) ?? {};
  const left = new Set([...bases.matchAll(/'(\w+)'/g)].map(([, member]) => member!));
  const inherited = [...bases.matchAll(/\b[A-Z]\w+/g)].flatMap(([base]) => [
    ...membersOf(base, declarations),
  ]);
  const isPicked = /\bPick</.test(bases);
  const isOmitted = /\bOmit</.test(bases);
  const kept = inherited.filter((member) => (isPicked ? left.has(member) : !(isOmitted && left.has(member))));
  return new Set([...kept, ...own]);
}

const DECLARED: readonly Declaration[] = globSync('**/*.ts', { cwd: SOURCES }).flatMap((path) =>
  interfacesIn(readFileSync(join(SOURCES, path), 'utf8')),
);

/** By name; of several that share one, which never inherit, the last. */
const DECLARATIONS: ReadonlyMap<string, Declaration> = new Map(
  DECLARED.map((declaration) => [declaration.name, declaration]),
);

describe('an interface of the package', () => {
  test('is seen with its members, inherited ones included', () => {
    expect(DECLARED.length).toBeGreaterThan(60);
    expect([...membersOf('Format', DECLARATIONS)]).toContain('remembering');
    expect([...membersOf('ReadOptions', DECLARATIONS)].sort()).toEqual(
      ['path', 'purpose', 'query', 'searchToolName', 'take'].sort(),
    );
  });

  test(`has at most ${MOST_MEMBERS} members of its own`, () => {
    const large = DECLARED.filter(({ own }) => own.length > MOST_MEMBERS).map(({ name }) => name);
    expect(large).toEqual([]);
  });

  test(`has at most ${MOST_MEMBERS} with those that it inherits`, () => {
    const large = DECLARED.map(({ name }) => name)
      .filter((name) => !(name in COMPOSED) && !IS_STATE.test(name))
      .filter((name) => membersOf(name, DECLARATIONS).size > MOST_MEMBERS);
    expect(large).toEqual([]);
  });

  test('that is exempt has more', () => {
    const small = Object.keys(COMPOSED).filter((name) => membersOf(name, DECLARATIONS).size <= MOST_MEMBERS);
    expect(small).toEqual([]);
  });
});
