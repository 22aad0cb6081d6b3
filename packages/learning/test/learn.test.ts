import type { StoredRecord } from '@winnow/core';
import { describe, expect, test } from 'vitest';
import { changesOf, type LearningRules, learn } from '../src/applied/learn.ts';
import { type Learned, NOTHING_LEARNED, takeBack } from '../src/applied/learned.ts';
import { EvidenceTally } from '../src/evidence/evidence-tally.ts';
import { HarmTally } from '../src/harm/harm-tally.ts';
import { makeRecord } from './make-record.ts';
import { randomFrom } from './random-from.ts';

const TOOLS = ['read_log', 'send', 'delete_all', 'brew'];
const RULES: LearningRules = { isAllowed: (tool) => tool !== 'delete_all', isGuarding: false, now: 1_000 };

interface Conversation extends Partial<StoredRecord> {
  readonly client?: string | undefined;
}

/** Learns from conversations, each with one exchange. `keptNow` are the tools that stay visible. */
function learnFrom(
  conversations: readonly Conversation[],
  { before = NOTHING_LEARNED, rules = RULES, keptNow = [] as readonly string[] } = {},
): Learned {
  const [evidence, harm] = [new EvidenceTally(), new HarmTally()];
  const kept = (name: string) => (keptNow.includes(name) ? { kept: true as const } : {});
  evidence.addList({ id: 'list', tools: TOOLS.map((name) => ({ name, bytes: 400, ...kept(name) })) });
  for (const [at, { client, ...changes }] of conversations.entries()) {
    const record = makeRecord({
      session: `session ${at}`,
      time: new Date(Date.UTC(2026, 10, 20) + at * 1_000).toISOString(),
      agent: { id: 'x', name: 'cli', ...(client !== undefined && { client }) },
      toolList: { id: 'list', requests: 1 },
      ...changes,
    });
    evidence.add(record);
    harm.add(record);
  }
  return learn({ evidence: evidence.result(), harm: harm.result() }, before, rules);
}

/** Conversations of five honest clients in turn. */
const honest = (count: number, changes: (at: number) => Conversation) =>
  Array.from({ length: count }, (_, at) => ({ client: `client ${at % 5}`, ...changes(at) }));

/** Conversations of one client with one token. */
const attack = (count: number, changes: Conversation) =>
  Array.from({ length: count }, () => ({ client: 'evil', ...changes }));

const keptNames = ({ agents }: Learned) => agents.flatMap(({ keep }) => keep.map(({ name }) => name));

describe('applied learning', () => {
  const needed = honest(60, () => ({ called: ['read_log'] }));

  test('keeps what most conversations of several clients call, and says why', () => {
    const learned = learnFrom(needed);
    expect(learned.appliedAt).toBe(1_000);
    expect(learned.agents).toMatchObject([
      {
        agent: 'cli',
        keep: [
          {
            name: 'read_log',
            because: 'needed',
            evidence: 'called in 60 of 60 conversations, by 5 clients',
          },
        ],
      },
    ]);
    expect(changesOf(NOTHING_LEARNED, learned)).toMatchObject([
      { agent: 'cli', kept: [{ name: 'read_log' }], released: [] },
    ]);
  });

  test('needs enough conversations, and enough clients', () => {
    expect(keptNames(learnFrom(needed.slice(0, 49)))).toEqual([]);
    expect(keptNames(learnFrom(attack(500, { called: ['read_log'] })))).toEqual([]);
    expect(keptNames(learnFrom(needed.map((one) => ({ ...one, client: undefined }))))).toEqual([]);
    const two = needed.map((one, at) => ({ ...one, client: `client ${at % 2}` }));
    expect(keptNames(learnFrom(two))).toEqual([]);
  });

  test('never keeps a tool for its popularity that no person has allowed', () => {
    const popular = honest(60, () => ({ called: ['delete_all', 'read_log'] }));
    expect(keptNames(learnFrom(popular))).toEqual(['read_log']);
  });

  test('remembers 200 agents at most, those of the newest records first', () => {
    const known = Array.from({ length: 300 }, (_, at) => ({
      ...learnFrom(needed).agents[0]!,
      model: `invented ${at}`,
    }));
    const { agents } = learnFrom(needed, { before: { ...NOTHING_LEARNED, agents: known } });
    expect(agents).toHaveLength(200);
    expect(agents[0]!.model).not.toContain('invented');
  });

  test('is the same for the same records', () => {
    expect(learnFrom(needed)).toEqual(learnFrom(needed));
    const again = learnFrom(needed, { before: learnFrom(needed), keptNow: ['read_log'] });
    expect(again.agents).toEqual(learnFrom(needed).agents);
  });

  test('gives up what is rarely called, and not before', () => {
    const before = learnFrom(needed);
    const keptNow = ['read_log'];
    const some = honest(60, (at) => ({ called: at % 3 === 0 ? ['read_log'] : ['undeclared'] }));
    expect(keptNames(learnFrom(some, { before, keptNow }))).toEqual(['read_log']);
    const rare = honest(60, (at) => ({ called: at % 10 === 0 ? ['read_log'] : ['undeclared'] }));
    expect(keptNames(learnFrom(rare, { before, keptNow }))).toEqual([]);
    expect(keptNames(learnFrom(rare.slice(0, 20), { before, keptNow }))).toEqual(['read_log']);
  });

  test('does not learn again what a person has taken back', () => {
    const taken = takeBack(learnFrom(needed));
    expect(taken.agents).toEqual([]);
    expect(keptNames(learnFrom(needed, { before: taken }))).toEqual([]);
  });
});

describe('one client with many conversations', () => {
  test('cannot have a tool kept for others', () => {
    const others = honest(60, () => ({ called: ['read_log'] }));
    const evil = attack(5_000, { called: ['brew'] });
    expect(keptNames(learnFrom([...others, ...evil]))).not.toContain('brew');
    // With a few honest calls, it is still one client that makes them most.
    const few = honest(60, (at) => ({ called: at < 6 ? ['brew'] : ['read_log'] }));
    expect(keptNames(learnFrom([...few, ...evil]))).not.toContain('brew');
  });

  test('cannot have a tool of others given up', () => {
    const others = honest(60, () => ({ called: ['read_log'] }));
    const before = learnFrom(others);
    const evil = attack(5_000, { called: ['brew'] });
    const options = { before, keptNow: ['read_log'] };
    expect(keptNames(learnFrom([...others, ...evil], options))).toEqual(['read_log']);
  });

  test('cannot teach a tool words', () => {
    const poison = attack(500, { called: ['brew'], taught: [{ tool: 'brew', words: ['invoice'] }] });
    const honestWords = honest(60, () => ({
      called: ['send'],
      taught: [{ tool: 'send', words: ['email'] }],
    }));
    expect(learnFrom([...poison, ...honestWords]).agents[0]!.words).toEqual({ send: ['email'] });
  });

  test('cannot pass for several by having no credential', () => {
    const nameless = attack(500, { called: ['brew'], client: undefined });
    const two = [
      ...attack(100, { called: ['brew'], client: 'a' }),
      ...attack(100, { called: ['brew'], client: 'b' }),
    ];
    expect(keptNames(learnFrom([...nameless, ...two]))).toEqual([]);
  });
});

describe('the guard', () => {
  const guarding: LearningRules = { ...RULES, isAllowed: () => false, isGuarding: true };

  /** Conversations of `partial`, half of them inside; without `read_log`, some of these go wrong. */
  function harmed(count: number, clientOf: (at: number) => string): Conversation[] {
    const random = randomFrom(7);
    return Array.from({ length: count }, (_, at) => {
      const isInside = random() < 0.5;
      const isBase = random() < 0.01;
      const isHarmed = isInside && random() < 0.05;
      return {
        client: clientOf(at),
        percent: 50,
        arm: isInside ? 'full' : 'shadow',
        armReason: isInside ? 'inside_percent' : 'outside_percent',
        ...((isBase || isHarmed) && { unseen: ['read_log'], called: ['read_log'] }),
      };
    });
  }

  test('still keeps the tool whose absence harms conversations of several clients', () => {
    const learned = learnFrom(
      harmed(2_000, (at) => `client ${at % 5}`),
      { rules: guarding },
    );
    expect(learned.agents[0]!.keep).toMatchObject([{ name: 'read_log', because: 'harm' }]);
    const well = honest(60, () => ({ called: ['read_log'] }));
    expect(keptNames(learnFrom(well, { before: learned, rules: guarding, keptNow: ['read_log'] }))).toEqual([
      'read_log',
    ]);
  });

  test('does nothing unless it is on, and nothing for one client alone', () => {
    const conversations = harmed(2_000, (at) => `client ${at % 5}`);
    expect(keptNames(learnFrom(conversations, { rules: { ...guarding, isGuarding: false } }))).toEqual([]);
    expect(
      keptNames(
        learnFrom(
          harmed(2_000, () => 'evil'),
          { rules: guarding },
        ),
      ),
    ).toEqual([]);
    const well = honest(2_000, (at) => ({
      percent: 50,
      arm: at % 2 === 0 ? 'full' : 'shadow',
      armReason: at % 2 === 0 ? 'inside_percent' : 'outside_percent',
    }));
    const mixed = [...harmed(2_000, () => 'evil'), ...well];
    expect(keptNames(learnFrom(mixed, { rules: guarding }))).toEqual([]);
  });
});
