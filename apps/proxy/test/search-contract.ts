import { SILENT_SPAN } from '@winnow/tracing';
import { describe, expect, it } from 'vitest';
import type { Search, SearchableTools } from '../src/search/search.ts';

/** A search under test. */
export interface SearchUnderTest {
  readonly search: Search;
  /** How often somebody was asked, or something was indexed, so far. */
  readonly asked: () => number;
  /** Called when the search has begun its work and is waiting for something. */
  readonly onWaiting: (callback: () => void) => void;
}

const TOOLS = [
  { name: 'get_weather', description: 'Current weather of a place.', definition: {} },
  { name: 'send_email', description: 'Send an e-mail to somebody.', definition: {} },
  { name: 'list_issues', description: 'List the issues of a repository.', definition: {} },
];

const SEARCHABLE: SearchableTools = { id: 'catalogue-1', tools: TOOLS };

/** What every search has to keep; see {@link Search}. */
export function describeSearch(name: string, open: () => SearchUnderTest): void {
  const ask = (
    { search }: SearchUnderTest,
    query: string,
    { searchable = SEARCHABLE, signal = new AbortController().signal } = {},
  ) => search({ query, searchable, requestId: 'exchange-1', span: SILENT_SPAN, signal });

  describe(`${name} keeps the contract of searches`, () => {
    it('finds what is asked for, the best first', async () => {
      expect(await ask(open(), 'what is the weather')).toMatchObject({
        ok: true,
        names: ['get_weather'],
        isNoMatch: false,
      });
    });

    it('says when nothing matches', async () => {
      expect(await ask(open(), 'qqqqqq zzzzzz')).toMatchObject({ ok: true, names: [], isNoMatch: true });
    });

    it('asks nobody for a blank query', async () => {
      const under = open();
      expect(await ask(under, ' \n')).toEqual({ ok: false, reason: 'empty_query' });
      expect(under.asked()).toBe(0);
    });

    it('asks nobody for a client that has left', async () => {
      const under = open();
      const signal = AbortSignal.abort();
      expect(await ask(under, 'weather', { signal })).toEqual({ ok: false, reason: 'client_gone' });
      expect(under.asked()).toBe(0);
    });

    it('ends when the client leaves in the middle', async () => {
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

    it('answers several at once, each by itself', async () => {
      const under = open();
      const outcomes = await Promise.all(['weather', 'e-mail', 'issues'].map((query) => ask(under, query)));
      expect(outcomes.map((outcome) => outcome.ok && outcome.names[0])).toEqual([
        'get_weather',
        'send_email',
        'list_issues',
      ]);
    });

    it('resolves also for tools that nest too deeply for any parser of its own', async () => {
      const definition = JSON.parse(`${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}`) as Record<
        string,
        unknown
      >;
      const searchable = { id: 'deep', tools: [{ name: 'deep', description: 'Weather.', definition }] };
      expect(await ask(open(), 'weather', { searchable })).toHaveProperty('ok');
    });
  });
}
