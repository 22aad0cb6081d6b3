import { SILENT_SPAN } from '@winnow/service';
import { describe, expect, it } from 'vitest';
import type { Search, SearchableTools } from '../src/search/search.ts';

/** A search under test. */
export interface SearchUnderTest {
  readonly search: Search;
  /** Returns the number of requests or indexings so far. */
  readonly asked: () => number;
  /** Calls back when the search has begun and is waiting. */
  readonly onWaiting: (callback: () => void) => void;
}

const TOOLS = [
  { name: 'get_weather', description: 'Current weather of a place.', definition: {} },
  { name: 'send_email', description: 'Send an e-mail to a person.', definition: {} },
  { name: 'list_issues', description: 'List the issues of a repository.', definition: {} },
];

const SEARCHABLE: SearchableTools = { id: 'catalogue-1', tools: TOOLS };

/** The contract of every search; see {@link Search}. */
export function describeSearch(name: string, open: () => SearchUnderTest): void {
  const ask = (
    { search }: SearchUnderTest,
    query: string | readonly string[],
    { searchable = SEARCHABLE, signal = new AbortController().signal } = {},
  ) =>
    search({
      queries: [query].flat(),
      searchable,
      limit: 3,
      requestId: 'exchange-1',
      span: SILENT_SPAN,
      signal,
    });

  describe(`${name} keeps the contract of searches`, () => {
    it('finds matching tools, best first', async () => {
      expect(await ask(open(), 'what is the weather')).toMatchObject({
        ok: true,
        names: ['get_weather'],
        isNoMatch: false,
      });
    });

    it('says when nothing matches', async () => {
      expect(await ask(open(), 'qqqqqq zzzzzz')).toMatchObject({ ok: true, names: [], isNoMatch: true });
    });

    it('finds tools for several queries at once, and says which of them found nothing', async () => {
      const outcome = await ask(open(), ['weather', 'qqqqqq', 'send e-mail']);
      expect(outcome).toMatchObject({
        ok: true,
        names: expect.arrayContaining(['get_weather', 'send_email']),
        byQuery: [
          { certainty: 'found', names: ['get_weather'] },
          { certainty: 'none', names: [], unknownWords: ['qqqqqq'] },
          { certainty: 'found', names: expect.arrayContaining(['send_email']) },
        ],
      });
    });

    it('runs no search for a blank query', async () => {
      const under = open();
      expect(await ask(under, ' \n')).toEqual({ ok: false, reason: 'empty_query' });
      expect(under.asked()).toBe(0);
    });

    it('runs no search for a client that has left', async () => {
      const under = open();
      const signal = AbortSignal.abort();
      expect(await ask(under, 'weather', { signal })).toEqual({ ok: false, reason: 'client_gone' });
      expect(under.asked()).toBe(0);
    });

    it('ends when the client leaves during the search', async () => {
      const under = open();
      const client = new AbortController();
      under.onWaiting(() => client.abort());
      const tools = Array.from({ length: 200 }, (_, at) => ({
        name: `t${at}`,
        description: 'ab '.repeat(500),
      }));
      const searchable = { id: 'long', tools };
      // An expression that takes several slices of work.
      const outcome = ask(under, '.*a.{28}[bc].{28}[cd]', { searchable, signal: client.signal });
      expect(await outcome).toEqual({ ok: false, reason: 'client_gone' });
    });

    it('runs several searches at once independently', async () => {
      const under = open();
      const outcomes = await Promise.all(['weather', 'e-mail', 'issues'].map((query) => ask(under, query)));
      expect(outcomes.map((outcome) => outcome.ok && outcome.names[0])).toEqual([
        'get_weather',
        'send_email',
        'list_issues',
      ]);
    });

    it('resolves even for tools that nest too deeply for its parser', async () => {
      const definition = JSON.parse(`${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}`) as Record<
        string,
        unknown
      >;
      const searchable = { id: 'deep', tools: [{ name: 'deep', description: 'Weather.', definition }] };
      expect(await ask(open(), 'weather', { searchable })).toHaveProperty('ok');
    });
  });
}
