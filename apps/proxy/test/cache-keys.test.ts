import { SILENT_SPAN } from '@winnow/service';
import { BodyBytes, FORMATS, matchRoute, type RequestView } from '@winnow/wire';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { localSearch } from '../src/search/local.ts';
import { toSearchable } from '../src/search/search.ts';
import { createPreload, idOf } from '../src/strategies/preload.ts';

/*
 * Caches that clients share. Nothing that depends on one client's names may reach another, so equal keys must mean equal values.
 * `test/cache-keys.test.ts` lists all caches.
 */

type Shape = 'chat' | 'messages' | 'plain' | 'demo' | 'github';

const PATHS = { chat: '/v1/chat/completions', messages: '/v1/messages', responses: '/v1/responses' } as const;

interface Client {
  readonly shape: Shape;
  readonly tools: readonly { readonly name: string; readonly description: string }[];
}

/** Returns the request of a client whose tools have this shape: plain, or in a namespace. */
function viewOf({ shape, tools }: Client): RequestView {
  const path = shape === 'chat' || shape === 'messages' ? PATHS[shape] : PATHS.responses;
  const parameters = { type: 'object', properties: { q: { type: 'string' } } };
  // The same text has another meaning in another format.
  const list = tools.map(({ name, description }) => ({
    ...{ type: shape === 'messages' ? 'custom' : 'function', name, description, parameters },
    ...{ input_schema: parameters, function: { name: `${name}_chat`, description, parameters } },
  }));
  const isNamespaced = shape === 'demo' || shape === 'github';
  const request = 'read the issue';
  const body = {
    ...{ model: 'm', max_tokens: 9 },
    ...(path === PATHS.responses ? { input: request } : { messages: [{ role: 'user', content: request }] }),
    tools: isNamespaced ? [{ type: 'namespace', name: shape, description: '', tools: list }] : list,
  };
  const format = FORMATS.find(({ reading }) => matchRoute(reading, 'POST', path) === 'answer')!;
  const reading = format.reading.readRequest(new BodyBytes([Buffer.from(JSON.stringify(body))]), {
    ...{ purpose: 'answer', searchToolName: 'gateway_search_tools', path, query: '' },
  });
  if (!reading.ok) throw new Error(reading.reason);
  return reading.view;
}

const client = fc.record<Client>({
  shape: fc.constantFrom('chat', 'messages', 'plain', 'demo', 'github'),
  tools: fc.uniqueArray(
    fc.record({
      name: fc.constantFrom('read_issue', 'close_issue', 'list_issues', 'read_chat'),
      description: fc.constantFrom('', 'Reads an issue.', 'Closes an issue.'),
    }),
    { selector: ({ name }) => name, minLength: 2, maxLength: 4 },
  ),
});

/** Two clients, half of the time with the same tools. */
const clients = fc.oneof(
  fc.tuple(client, client),
  fc.tuple(client, client).map(([one, { shape }]): [Client, Client] => [one, { ...one, shape }]),
);

const namesOf = ({ tools }: RequestView) => tools.flatMap(({ name }) => name ?? []);

test.each([
  ['demo', 'github'],
  ['plain', 'github'],
  ['plain', 'chat'],
] as const)(
  'a client with %s tools finds nothing of one with the same tools as %s',
  async (first, second) => {
    const search = localSearch({ pause: async () => {} });
    const tools = [
      { name: 'read_issue', description: 'Reads an issue.' },
      { name: 'close_issue', description: 'Closes an issue.' },
    ];
    for (const shape of [first, second]) {
      const view = viewOf({ shape, tools });
      const searchable = toSearchable(view, namesOf(view));
      const about = { requestId: '', span: SILENT_SPAN, signal: new AbortController().signal, limit: 5 };
      const outcome = await search({ ...about, queries: ['read issue'], searchable });
      expect(outcome.ok && outcome.names[0]).toBe(namesOf(view)[0]);
    }
  },
);

describe('equal keys mean equal values', () => {
  test('of the tools that a search indexes', () => {
    fc.assert(
      fc.property(clients, ([one, other]) => {
        const [left, right] = [one, other].map((each) => {
          const view = viewOf(each);
          return toSearchable(view, namesOf(view));
        });
        if (left!.id === right!.id) expect(left!.tools).toEqual(right!.tools);
        else expect(left!.tools).not.toEqual(right!.tools);
      }),
      { numRuns: 300 },
    );
  });

  test('of the tools that preloading indexes', () => {
    fc.assert(
      fc.property(clients, ([one, other]) => {
        const [left, right] = [one, other].map((each) => viewOf(each).toolSection!);
        if (idOf(left!) !== idOf(right!)) return;
        const facts = ({ entries }: typeof left & object) =>
          entries.map(({ kind, name, description }) => [kind, name, description]);
        expect(facts(left!)).toEqual(facts(right!));
      }),
      { numRuns: 300 },
    );
  });

  test('of the tools that are preloaded', async () => {
    const rules = { minTools: 0, minDeferredTokens: 0, alwaysKeep: [], maxNamed: 25, limit: 3 };
    await fc.assert(
      fc.asyncProperty(clients, async ([one, other]) => {
        const preload = createPreload({ ...rules, pause: async () => {} });
        for (const each of [one, other]) {
          const view = viewOf(each);
          const alone = createPreload({ ...rules, pause: async () => {} });
          expect((await preload(view)).names).toEqual((await alone(view)).names);
        }
      }),
      { numRuns: 100 },
    );
  });
});
