import { describe, expect, test } from 'vitest';
import { geminiInteractions } from '../../src/gemini-interactions/gemini-interactions.ts';
import { edited, fn, found, planOf, play, user, viewOf } from './exchange.ts';
import { call, output, writeInteraction } from './write-interaction.ts';

const stored = geminiInteractions.capabilities.storedResponses!;
const TOOLS = [fn('a'), fn('b'), fn('kept')];
const PLAN = planOf(['a', 'b']);
const search = (id: string) => call(id, 'gateway_search_tools', '{"query":"a"}');

/** The alias of an exchange that first searched, then called and searched in one response. */
function aliasOf(store: boolean | undefined) {
  const view = viewOf({ tools: TOOLS, stream: true, store });
  const { turns } = play(
    view,
    PLAN,
    writeInteraction({ id: 'v1_1', steps: [output('Hm.'), search('s1')] }),
    writeInteraction({ id: 'v1_2', steps: [call('c1', 'b', '{}'), search('s2')] }),
  );
  const rounds = [found(turns[0]!, 'a'), found(turns[1]!, 'a')];
  return stored.aliasOf(view, PLAN, rounds, { id: 'v1_0', rounds: ['v1_0'], names: ['z'], results: [] });
}

describe('an alias', () => {
  test('names all rounds, the found and called tools, and the pending results', () => {
    expect(aliasOf(undefined)).toEqual({
      id: 'v1_1',
      rounds: ['v1_1', 'v1_2'],
      names: ['z', 'a', 'b'],
      results: [JSON.stringify({ callId: 's2', kind: 'found', names: ['a'], name: 'gateway_search_tools' })],
    });
    expect(aliasOf(false)).toBeUndefined();
  });

  test('continues from its last round, with the pending results first', () => {
    const mine = { type: 'function_result', call_id: 'c1', result: 'ok' };
    const view = viewOf({ tools: TOOLS, previous_interaction_id: 'v1_1', input: [mine] });
    expect(stored.previousId(view)).toBe('v1_1');
    const request = edited(view, PLAN, { hiddenTurns: [], rounds: [], alias: aliasOf(undefined) });
    expect(request.previous_interaction_id).toBe('v1_2');
    expect(request.input).toEqual([
      expect.objectContaining({ type: 'function_result', call_id: 's2', name: 'gateway_search_tools' }),
      mine,
    ]);
    const words = viewOf({ previous_interaction_id: 'v1_1', input: 'Hi' });
    expect(edited(words, PLAN, { hiddenTurns: [], rounds: [], alias: aliasOf(undefined) }).input[1]).toEqual(
      user('Hi'),
    );
  });

  test('is gone on from where a response is continued by its token, which says no more', () => {
    const view = viewOf({ previous_interaction_id: 'v1_1', input: undefined, continuation_token: 't' });
    const alias = { id: 'v1_1', rounds: ['v1_1', 'v1_2'], names: [], results: [] };
    const nothing = { ...PLAN, defer: [], searchTool: undefined };
    expect(edited(view, nothing, { hiddenTurns: [], rounds: [], alias })).toEqual({
      model: 'gemini-3-pro',
      previous_interaction_id: 'v1_2',
      continuation_token: 't',
    });
  });
});

describe('requests about a stored interaction', () => {
  const match = (method: string, path: string, query = '') => stored.matchRoute(method, { path, query });

  test.each([
    ['GET', '/v1beta/interactions/v1_a', '', 'get', false],
    ['GET', '/v1beta/interactions/v1_a', '?stream=true&last_event_id=e', 'get', true],
    ['DELETE', '/v1/projects/p/locations/l/interactions/v1_a', '', 'delete', false],
    ['POST', '/v1beta/interactions/v1_a/cancel', '', 'cancel', false],
  ])('are known: %s %s%s', (method, path, query, action, isStream) => {
    expect(match(method, path, query)).toMatchObject({ id: 'v1_a', action, isStream, query });
  });

  test.each([
    ['POST', '/v1beta/interactions'],
    ['POST', '/v1beta/interactions/v1_a'],
    ['GET', '/v1beta/interactions/v1_a/cancel'],
    ['GET', '/v1beta/agents/v1_a'],
  ])('are others: %s %s', (method, path) => {
    expect(match(method, path)).toBeUndefined();
  });

  test('go to the last round, or to all of them', () => {
    const alias = { id: 'v1_1', rounds: ['v1_a', 'v1/b'], names: [], results: [] };
    const paths = (method: string) =>
      stored
        .targetsOf(match(method, '/v1beta/interactions/v1_1', '?include_input=true')!, alias)
        .map(({ path, query }) => path + query);
    expect(paths('GET')).toEqual(['/v1beta/interactions/v1%2Fb?include_input=true']);
    expect(paths('DELETE')).toHaveLength(2);
  });

  test("return the client's view", () => {
    const alias = { id: 'v1_1', rounds: ['v1_a', 'v1_b'], names: [], results: [] };
    const answer = (id: string, name?: string) => ({
      type: 'function_result',
      call_id: id,
      name,
      result: 'x',
    });
    const body = {
      id: 'v1_b',
      tools: [fn('kept'), fn('gateway_search_tools')],
      input: [
        user('Hi'),
        { ...search('s1'), name: 'default_api:gateway_search_tools' },
        answer('s1'),
        answer('s0', 'gateway_search_tools'),
        answer('c1', 'a'),
      ],
      steps: [output('Hi.'), search('s2')],
    };
    expect(JSON.parse(stored.showStored(JSON.stringify(body), alias, 'gateway_search_tools'))).toEqual({
      id: 'v1_1',
      tools: [fn('kept')],
      input: [user('Hi'), answer('c1', 'a')],
      steps: [output('Hi.')],
    });
    expect(stored.showStored('not json', alias, 'x')).toBe('not json');
  });

  test('is shown with real calls in place of bridge calls, and results under their names', () => {
    const tool = 'gateway_call_tool';
    const bridge = { tool, refused: ['no'], namespaces: [] };
    const alias = { id: 'one', rounds: ['one'], names: [], results: [], bridge };
    const steps = [
      { type: 'function_call', id: 'c1', name: tool, arguments: { name: 'a', arguments: { x: 1 } } },
      { type: 'function_result', call_id: 'c1', name: tool, result: 'ok' },
      { type: 'function_result', call_id: 'c0', name: tool, result: 'ok' },
      { type: 'function_result', call_id: 'no', name: tool, result: 'There is no tool.' },
    ];
    const shown = stored.showStored(JSON.stringify({ id: 'one', steps }), alias, 'gateway_search_tools');
    expect(JSON.parse(shown).steps).toEqual([
      { type: 'function_call', id: 'c1', name: 'a', arguments: { x: 1 } },
      { type: 'function_result', call_id: 'c1', name: 'a', result: 'ok' },
      { type: 'function_result', call_id: 'c0', result: 'ok' },
    ]);
  });
});
