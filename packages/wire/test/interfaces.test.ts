import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';

const SOURCES = join(import.meta.dirname, '../src');

/** The most members of an interface. */
const MOST_MEMBERS = 10;

/** Interfaces that have more with their inherited members, each with its reason. */
const COMPOSED: Readonly<Record<string, string>> = {
  RequestView: 'plain data, of which callers take the part that they need',
  BridgePlan: 'plain data, the members of every plan and its own',
  Vendor: 'plain data, one literal for each vendor',
  ResponseJoiner: 'its progress, its rounds and its end are one object, which callers see by parts',
  EnvelopeReader: 'its findings are data',
};

/** The states of joiners are private plain data, and each adds its own to a shared one. */
const IS_STATE = /State$/;

interface Declaration {
  readonly name: string;
  /** The text after `extends`. */
  readonly bases: string;
  readonly own: readonly string[];
}

/** Returns every interface in a source. The formatter ensures the indentation of its members. */
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

/** Returns every member of an interface, own and inherited. */
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

/** Interfaces by name; for a shared name, which never inherits, the last one. */
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
