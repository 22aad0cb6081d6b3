import type { StoredRecord } from '@winnow/core';
import { describe, expect, test } from 'vitest';
import { EvidenceTally } from '../src/evidence/evidence-tally.ts';
import { ownWordsOf } from '../src/suggestions/own-words.ts';
import { suggest } from '../src/suggestions/suggest.ts';
import { writeProfiles } from '../src/suggestions/write-profiles.ts';
import { makeRecord } from './make-record.ts';

const LIST = {
  id: 'list',
  tools: [
    { name: 'bash', bytes: 400, kept: true as const },
    { name: 'old_pin', bytes: 800, kept: true as const },
    { name: 'read_log', bytes: 1_200 },
    { name: 'send', bytes: 900 },
    { name: 'brew', bytes: 2_000 },
  ],
};

/** A record of the conversation with this number: one of `clients`, in turn. */
function recordOf(at: number, changes: Partial<StoredRecord> = {}, clients = 4): StoredRecord {
  return makeRecord({
    session: `session ${at}`,
    time: new Date(Date.UTC(2026, 10, 20) + at * 60_000).toISOString(),
    agent: { id: `agent ${at % clients}`, name: 'claude-cli', client: `client ${at % clients}` },
    toolList: { id: 'list', requests: 1 },
    alwaysKeep: { old_pin: 1, 'mcp__*': 0 },
    ...changes,
  });
}

const found = (...names: string[]) => ({
  queryChars: 4,
  queryHash: 'abcd',
  outcome: 'found',
  names,
  ms: 1,
});

function evidenceOf(records: readonly StoredRecord[]) {
  const tally = new EvidenceTally();
  tally.addList(LIST);
  for (const record of records) tally.add(record);
  return tally.result();
}

const many = (count: number, changes: (at: number) => Partial<StoredRecord>) =>
  Array.from({ length: count }, (_, at) => recordOf(at, changes(at)));

describe('suggestions', () => {
  const records = many(120, (at) => ({
    ...(at % 2 === 0 ? { called: ['bash', 'read_log'] } : {}),
    ...(at % 3 === 0 ? { called: ['bash', 'read_log', 'send'], searches: [found('send', 'brew')] } : {}),
  }));
  const [one] = suggest(evidenceOf(records));

  test('name the agent by its program, over all its clients', () => {
    expect(one).toMatchObject({
      agent: 'claude-cli',
      upstream: 'openai',
      model: 'gpt-5.2',
      conversations: 120,
      clients: 4,
    });
  });

  test('keep what most conversations call, or search for first, and say how many', () => {
    expect(one!.keep.map(({ tool }) => tool)).toEqual(['read_log', 'send']);
    expect(one!.keep[1]).toMatchObject({
      called: { conversations: 40, of: 120, clients: 4 },
      searchedFirst: { conversations: 40 },
    });
    expect(one!.keep[0]).toMatchObject({ called: { conversations: 80, of: 120 } });
  });

  test('release kept tools that are never called, and name all tools that are never called', () => {
    expect(one!.release.map(({ tool }) => tool)).toEqual(['old_pin']);
    expect(one!.unused.map(({ tool }) => tool)).toEqual(['brew']);
  });

  test('need enough conversations, and none that failed counts', () => {
    const few = many(19, () => ({ called: ['read_log'] }));
    expect(suggest(evidenceOf(few))).toEqual([]);
    const refused = many(60, () => ({ called: ['read_log'], status: 401 }));
    expect(suggest(evidenceOf(refused))).toEqual([]);
  });

  test('are the same for the same records in any order', () => {
    const shuffled = records.toSorted((a, b) => (a.session!.slice(-1) < b.session!.slice(-1) ? -1 : 1));
    expect(suggest(evidenceOf(shuffled))).toEqual(suggest(evidenceOf(records)));
    expect(writeProfiles(suggest(evidenceOf(shuffled)))).toBe(writeProfiles(suggest(evidenceOf(records))));
  });

  test('name repeated searches that found nothing, with their texts if these were recorded', () => {
    const none = { ...found(), outcome: 'no_match', queryHash: 'ff', queryText: 'launch rocket' };
    const [vain] = suggest(evidenceOf(many(20, (at) => (at < 3 ? { searches: [none] } : {}))));
    const answer = [{ hash: 'ff', text: 'launch rocket', support: { conversations: 3 } }];
    expect(vain!.unanswered).toMatchObject(answer);
    const weak = { ...none, outcome: 'weak' };
    const [little] = suggest(evidenceOf(many(20, (at) => (at < 3 ? { searches: [weak] } : {}))));
    expect(little!.unanswered).toMatchObject(answer);
  });

  test('show words as they were written, and no hashes', () => {
    const taught = [{ tool: 'send', words: ['email', '#0123456789ab'] }];
    const [told] = suggest(evidenceOf(many(20, () => ({ called: ['send'], taught }))));
    expect(told!.words).toEqual([{ tool: 'send', words: [{ word: 'email', conversations: 20 }] }]);
  });

  test('take hostile records in bounded memory', () => {
    const tally = new EvidenceTally();
    const names = Array.from({ length: 500 }, (_, at) => `${at}${'x'.repeat(50_000)}`);
    for (let at = 0; at < 200; at++) {
      tally.addList({ id: `${at}`, tools: names.map((name) => ({ name, bytes: 1 })) });
      const taught = names.map((tool) => ({ tool, words: names }));
      tally.add(recordOf(at, { called: names, taught, toolList: { id: '0', requests: 1 } }));
    }
    const [{ tools }] = tally.result() as [ReturnType<EvidenceTally['result']>[number]];
    expect(tools.length).toBeLessThan(600);
    expect(Math.max(...tools.map(({ name }) => name.length))).toBeLessThanOrEqual(128);
  });
});

/** Settings replace it by the value of a variable. */
const VARIABLE = `$\{HOME}`;

describe('profiles', () => {
  test('list the kept tools, with the evidence next to each line', () => {
    const records = many(120, () => ({ called: ['read_log'] }));
    expect(writeProfiles(suggest(evidenceOf(records)))).toBe(
      `# Suggested from records. Read each line before you use it as tools.profiles_file:
# the first profile that matches a request applies, and those of the configuration come first.
profiles:
  - name: suggested-1
    # 120 conversations of 4 clients
    match:
      upstream: ["openai"]
      model: ["gpt-5.2"]
      agent: ["claude-cli*"]
    # No longer kept, as no conversation called it: "old_pin"
    always_keep:
      - "mcp__*"
      - "read_log" # called in 120 of 120 conversations, by 4 clients
`,
    );
  });

  test('hold no name that means something in patterns, YAML or settings', () => {
    const hostile = ['*', VARIABLE, 'a"\n  - name: evil', 'b # c', '\u202e'];
    const tally = new EvidenceTally();
    tally.addList({ id: 'list', tools: [...hostile, 'read_log'].map((name) => ({ name, bytes: 1 })) });
    for (const record of many(120, () => ({
      called: [...hostile, 'read_log'],
      alwaysKeep: { [VARIABLE]: 1 },
    }))) {
      tally.add(record);
    }
    const text = writeProfiles(suggest(tally.result()));
    expect(text.match(/^ {6}- .*$/gm)).toEqual([
      '      - "read_log" # called in 120 of 120 conversations, by 4 clients',
    ]);
    expect(text).not.toMatch(/evil|HOME|\u202e/);
  });

  test('are none where nothing would change', () => {
    expect(writeProfiles([])).toMatch(/^profiles: \[\]$/m);
  });
});

describe('own words', () => {
  const words = (records: readonly StoredRecord[]) => evidenceOf(records).map(ownWordsOf)[0];
  const taught = [{ tool: 'send', words: ['email'] }];

  test('are learned from several conversations of several clients', () => {
    expect(words(many(4, () => ({ called: ['send'], taught })))).toEqual({ send: ['email'] });
    expect(words(many(2, () => ({ called: ['send'], taught })))).toEqual({});
  });

  test('are never learned from one client alone, however many its conversations', () => {
    const poison = [{ tool: 'brew', words: ['email'] }];
    const attack = Array.from({ length: 500 }, (_, at) =>
      recordOf(1_000 + at, {
        called: ['brew'],
        taught: poison,
        agent: { id: 'x', name: 'claude-cli', client: 'evil' },
      }),
    );
    const nameless = attack.map((record) => ({
      ...record,
      session: `${record.session} again`,
      agent: { id: 'x', name: 'claude-cli' },
    }));
    const honest = many(4, () => ({ called: ['send'], taught }));
    expect(words([...attack, ...honest])).toEqual({ send: ['email'] });
    // Clients that cannot be told apart count as one.
    expect(words([...nameless, ...honest])).toEqual({ send: ['email'] });
  });

  test('fade when they are no longer used', () => {
    const old = many(6, (at) => ({ called: ['send'], taught, time: `2026-05-20T00:00:0${at}.000Z` }));
    const recent = many(30, (at) => ({ session: `recent ${at}`, called: ['send'] }));
    expect(words(old)).toEqual({ send: ['email'] });
    expect(words([...old, ...recent])).toEqual({});
  });
});
