import { describe, expect, test } from 'vitest';
import type { Conversation, ConversationTurn, PastCall } from '../src/model/conversation.ts';
import type { Model } from '../src/model/model.ts';
import { playModel } from '../src/model/play-model.ts';
import { textOf } from '../src/upstream/read-pieces.ts';
import type { MessageAnswer } from '../src/upstream/scripted-answer.ts';
import { SCENARIO_TOOLS, SCENARIOS, type Scenario } from './scenarios.ts';

const SEARCH = 'gateway_search_tools';
const MOST_ROUNDS = 5;
const EVERY_TOOL = SCENARIO_TOOLS;

/** A client's result for one of its requests. */
interface Visible {
  readonly id: string | undefined;
  readonly text: string;
  readonly calls: readonly PastCall[];
}

/** The model's side and the client's side of a request. */
type Upstream = (turns: readonly ConversationTurn[]) => Promise<Visible>;

/** Asks the model with every tool in sight. */
function directly(model: Model): Upstream {
  return (turns) => ask(model, turns, EVERY_TOOL);
}

/** The smallest gateway that keeps the promise: it finds what a query names, and remembers every hidden turn where it was. */
function throughGateway(model: Model, searches: string[]): Upstream {
  const loaded: string[] = [];
  const load = (names: readonly string[]): void => {
    loaded.push(...names.filter((name) => !loaded.includes(name)));
  };
  const truth = new Map<string, ConversationTurn[]>();

  const rehydrate = (turns: readonly ConversationTurn[]): ConversationTurn[] =>
    turns.flatMap((turn) => truth.get(keyOf(turn))?.concat(turn.role === 'results' ? turn : []) ?? [turn]);
  const resolve = (calls: readonly PastCall[]): ConversationTurn => {
    const results = calls.map(({ id, input }) => {
      const { query } = input as { query: string };
      searches.push(query);
      const found = EVERY_TOOL.filter(
        (name) => name.split('_').filter((word) => query.includes(word)).length >= 2,
      );
      load(found);
      return { callId: id, text: `Found ${found}` };
    });
    return { role: 'results', results };
  };

  return async (turns) => {
    const history = rehydrate(turns);
    const hidden: ConversationTurn[] = [];
    for (let round = 0; ; round += 1) {
      const tools = round < MOST_ROUNDS ? [SEARCH, ...loaded] : EVERY_TOOL;
      const said = await ask(model, [...history, ...hidden], tools);
      const searchCalls = said.calls.filter(({ name }) => name === SEARCH);
      const real = said.calls.filter(({ name }) => name !== SEARCH);
      const turn: ConversationTurn = { role: 'assistant', text: said.text, calls: said.calls };
      if (searchCalls.length > 0 && real.length === 0) {
        hidden.push(turn, resolve(searchCalls));
        continue;
      }
      truth.set(keyOf({ ...turn, calls: real }), [...hidden, turn]);
      load(real.map(({ name }) => name));
      if (searchCalls.length > 0) truth.set(`results ${real[0]?.id}`, [resolve(searchCalls)]);
      return { ...said, calls: real };
    }
  };
}

/** Results by their first call, everything else by what it says: what the client sends back is what it got. */
function keyOf(turn: ConversationTurn): string {
  return turn.role === 'results' ? `results ${turn.results[0]?.callId}` : JSON.stringify(turn);
}

async function ask(
  model: Model,
  turns: readonly ConversationTurn[],
  tools: readonly string[],
): Promise<Visible> {
  const conversation: Conversation = {
    callable: new Set(tools),
    deferred: new Set(),
    mayCall: true,
    mayThink: false,
    idPrefixes: { message: 'msg_', call: 'call_' },
    turns,
  };
  const { id, parts } = (await model(conversation, undefined as never)) as MessageAnswer;
  const text = parts.map((part) => (part.type === 'text' ? textOf(part.pieces) : '')).join('');
  const calls = parts.flatMap((part) =>
    part.type === 'call'
      ? [{ id: part.id ?? '', name: part.name, input: JSON.parse(textOf(part.pieces)) }]
      : [],
  );
  return { id, text, calls };
}

/** Plays the client: says its messages, runs what is called, and keeps everything that it gets. */
async function converse({ messages }: Scenario, upstream: Upstream): Promise<Visible[]> {
  const turns: ConversationTurn[] = [];
  const answers: Visible[] = [];
  for (const text of messages) {
    turns.push({ role: 'user', text });
    for (;;) {
      const said = await upstream(turns);
      answers.push(said);
      turns.push({ role: 'assistant', text: said.text, calls: said.calls });
      if (said.calls.length === 0) break;
      turns.push({
        role: 'results',
        results: said.calls.map(({ id, name }) => ({ callId: id, text: `${name} ran` })),
      });
    }
  }
  return answers;
}

const withoutIds = (answers: readonly Visible[]): Omit<Visible, 'id'>[] =>
  answers.map(({ id, ...rest }) => rest);

describe.each(SCENARIOS)('a conversation with $name', (scenario) => {
  const model = playModel(scenario.plan);

  test('goes as planned when every tool is in sight', async () => {
    const answers = await converse(scenario, directly(model));
    const planned = scenario.plan.turns.flatMap(({ steps = [] }) => steps.map(({ thenCall }) => thenCall));
    const called = answers.filter(({ calls }) => calls.length > 0).map(({ calls }) => calls);
    expect(called.map((calls) => calls.map(({ name, input }) => ({ name, input })))).toEqual(planned);
    expect(answers.map(({ text }) => text).join()).not.toContain('I cannot see');
    expect(scenario.messages.length).toBeGreaterThanOrEqual(4);
  });

  test('is the same for the client when it has to search', async () => {
    const searches: string[] = [];
    const answers = await converse(scenario, throughGateway(model, searches));
    expect(withoutIds(answers)).toEqual(withoutIds(await converse(scenario, directly(model))));
    expect(searches).toHaveLength(scenario.searches);
  });

  test('gives every call and every message an id of its own', async () => {
    const answers = await converse(scenario, directly(model));
    const ids = answers.flatMap(({ id, calls }) => [id, ...calls.map((call) => call.id)]);
    expect(new Set(ids).size).toBe(ids.length);
  });
});

test('a gateway that cannot find a tool is noticed', async () => {
  const [scenario] = SCENARIOS;
  const model = playModel(scenario!.plan);
  const blind: Upstream = (turns) => ask(model, turns, []);
  const [answer] = await converse(scenario!, blind);
  expect(answer?.text).toBe('I cannot see a tool named get_weather_forecast.');
});

describe('a model whose searches were forgotten', () => {
  const [one, other] = ['get_weather_forecast', 'send_email_message'] as const;
  const calls = [one, other].map((name) => ({ name, input: {} }));
  const planOf = (searchesAgain: boolean) => ({
    searchesAgain,
    turns: [{ steps: [{ searchFor: [other], thenCall: calls }] }],
  });
  const asked: ConversationTurn[] = [{ role: 'user', text: 'Warn them.' }];

  test('searches for what it meant to have found, too', async () => {
    const searches: string[] = [];
    const answer = await throughGateway(playModel(planOf(true)), searches)(asked);
    expect(searches).toEqual([other, one]);
    expect(answer.calls.map(({ name }) => name)).toEqual([one, other]);
  });

  test('says what it cannot see, unless it searches again', async () => {
    const answer = await throughGateway(playModel(planOf(false)), [])(asked);
    expect(answer.text).toBe(`I cannot see a tool named ${one}.`);
  });
});
