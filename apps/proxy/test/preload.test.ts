import { generateTools } from '@winnow/testkit';
import { describe, expect, it } from 'vitest';
import { createPreload, type PreloadOptions } from '../src/strategies/preload.ts';
import { type RequestParts, type TestTool, viewOf } from './request-view.ts';

const RULES: PreloadOptions = {
  limit: 2,
  alwaysKeep: [],
  maxNamed: 25,
  minTools: 0,
  minDeferredTokens: 0,
  pause: async () => {},
};

const TOOLS: readonly TestTool[] = [
  { name: 'send_mail', description: 'Sends an email.' },
  { name: 'list_mail', description: 'Lists emails.' },
  { name: 'search_mail', description: 'Searches emails.' },
  { name: 'weather', description: 'Tells the forecast.' },
  { name: 'delete_file', description: 'Deletes a file.' },
];

function preloadedOf(messages: readonly object[], options: Partial<PreloadOptions> = {}, more: object = {}) {
  const parts: RequestParts = { tools: TOOLS, more: { messages, ...more } };
  return createPreload({ ...RULES, ...options })(viewOf(parts)).then(({ names }) => names);
}

const user = (content: unknown) => ({ role: 'user', content });
const assistant = (content: unknown) => ({ role: 'assistant', content });

describe('preload', () => {
  it('returns the tools that match the first message best, best first', async () => {
    expect(await preloadedOf([user('send an email')])).toEqual(['send_mail', 'list_mail']);
    expect(await preloadedOf([user('send an email')], { limit: 1 })).toEqual(['send_mail']);
  });

  it('returns only tools whose definitions are affordable together, the best one always', async () => {
    const long = (name: string, says: string) => ({
      name,
      description: `${says} ${'And more. '.repeat(420)}`,
    });
    const tools = [long('send_mail', 'Sends an email.'), long('list_mail', 'Lists emails.')];
    const parts: RequestParts = { tools, more: { messages: [user('send an email')] } };
    const pause = async () => {};
    expect((await createPreload({ ...RULES, pause })(viewOf(parts))).names).toEqual(['send_mail']);
  });

  it('returns nothing if no tool matches, and no tool that does not match', async () => {
    expect(await preloadedOf([user('hello')])).toEqual([]);
    expect(await preloadedOf([user('the forecast')], { limit: 5 })).toEqual(['weather']);
  });

  it('returns nothing if the matches are so weak that none may be meant', async () => {
    const weak = 'tell the orchestra that the violinist practises the second movement of the concerto again';
    expect(await preloadedOf([user(weak)])).toEqual([]);
  });

  it('returns the groups of the next matches if the search tool leaves them out', async () => {
    const tools = Array.from({ length: 45 }, (_, at) =>
      ['send', 'list'].map((verb) => ({
        name: `s${String(at).padStart(2, '0')}__${verb}_${at > 41 ? 'parcel' : `thing${at}`}`,
        description: at > 41 ? `Parcels of depot ${at}.` : `Things of kind ${at}.`,
      })),
    ).flat();
    const preload = createPreload(RULES);
    const groupsFor = async (text: string, count: number) => {
      const view = viewOf({ tools: tools.slice(-2 * count), more: { messages: [user(text)] } });
      return (await preload(view)).groups;
    };
    const view = viewOf({ tools, more: { messages: [user('send a parcel')] } });
    const [first] = (await preload(view)).names;
    expect(first).toMatch(/^s4[234]__send_parcel$/);
    expect(await groupsFor('send a parcel', 45)).toContain('s44');
    expect(await groupsFor('send a parcel', 40)).toEqual([]);
    expect(await groupsFor('hello', 45)).toEqual([]);
  });

  it('leaves out definitions of over 2,000 tokens', async () => {
    const tools = [...TOOLS, { name: 'mail', description: `Sends an email. ${'And more. '.repeat(800)}` }];
    const asked = { tools, more: { messages: [user('send an email with mail')] } };
    expect((await createPreload(RULES)(viewOf(asked))).names).toEqual(['send_mail', 'list_mail']);
  });

  it('returns nothing without a request or without deferrable tools', async () => {
    expect(await preloadedOf([user([{ type: 'image', source: {} }])])).toEqual([]);
    expect(await preloadedOf([user('send an email')], { limit: 0 })).toEqual([]);
    expect(await preloadedOf([user('send an email')], { minTools: 5 })).toEqual([]);
    expect(await preloadedOf([user('send an email')], { minDeferredTokens: 2_000 })).toEqual([]);
  });

  it('returns the same names in every turn', async () => {
    const later = [
      user('send an email'),
      assistant('ok'),
      user('the forecast'),
      assistant('ok'),
      user('file'),
    ];
    expect(await preloadedOf(later)).toEqual(await preloadedOf([user('send an email')]));
  });

  it.each<[string, unknown]>([
    [
      'a block of its own',
      [
        { type: 'text', text: '<system-reminder>forecast</system-reminder>' },
        { type: 'text', text: 'delete it' },
      ],
    ],
    [
      'a part of a text',
      '<system-reminder>forecast</system-reminder>\ndelete it <environment_details>emails</environment_details>',
    ],
    [
      'several',
      '<system-reminder>forecast</system-reminder>delete<system-reminder>email</system-reminder> it',
    ],
  ])('does not read what agents insert: %s', async (_, content) => {
    expect(await preloadedOf([user(content)])).toEqual(['delete_file']);
  });

  it("reads the user's next message if the first is only the agent’s", async () => {
    const context = user('<environment_context>forecast</environment_context>');
    expect(await preloadedOf([context, user('delete it')])).toEqual(['delete_file']);
    // Texts after the model's first turn belong to another turn.
    expect(await preloadedOf([context, assistant('ok'), user('delete it')])).toEqual([]);
  });

  it('reads an unclosed block as text, in one pass', async () => {
    expect(await preloadedOf([user(`${'<system-reminder>'.repeat(1_000)} forecast`)])).toEqual(['weather']);
  });

  it('leaves the places to deferrable tools', async () => {
    const messages = [user('send an email')];
    expect(await preloadedOf(messages, { alwaysKeep: ['list_mail'] })).toEqual(['send_mail', 'search_mail']);
    expect(await preloadedOf(messages, {}, { system: 'Use list_mail.' })).toEqual([
      'send_mail',
      'search_mail',
    ]);
  });

  it('indexes tools once for all conversations, in slices, and ranks each first message once', async () => {
    let pauses = 0;
    const pause = async () => {
      pauses += 1;
    };
    const preload = createPreload({ ...RULES, pause });
    const tools = generateTools({ count: 300, seed: 1 }).map(({ name, description }) => ({
      name,
      description,
    }));
    const asked = (text: string) =>
      preload(viewOf({ tools, more: { messages: [user(text)] } })).then(({ names }) => names);
    const [first, same] = await Promise.all([asked('list invoices'), asked('list invoices')]);
    expect(first.length).toBe(2);
    expect(same).toEqual(first);
    expect(pauses).toBe(4);
    await asked('send mail');
    expect(await asked('list invoices')).toBe(await asked('list invoices'));
    expect(pauses).toBe(4);
  });
});
