import { describe, expect, test } from 'vitest';
import type { ModelPlan } from '../src/model/model-plan.ts';
import { playModel } from '../src/model/play-model.ts';
import { askChat, askMessages, start } from './ask.ts';

const SEARCH = 'gateway_search_tools';
const WEATHER = { name: 'get_weather', input: { city: 'Bonn' } };
const MAIL = { name: 'send_mail', input: { to: 'Ada' } };

interface Call {
  readonly id: string;
  readonly name: string;
  readonly query: unknown;
}
interface Said {
  readonly id: string;
  readonly text: string;
  readonly stop: string;
  readonly calls: readonly Call[];
}
type Message = Record<string, unknown>;

const chatTool = (name: string): object => ({ type: 'function', function: { name } });

/** Asks a fresh model over Chat; `tools` are what it can see. */
async function ask(plan: ModelPlan, messages: readonly Message[], tools: readonly string[]): Promise<Said> {
  const upstream = await start({ model: playModel(plan) });
  const choices = tools.length > 0 ? { tools: tools.map(chatTool) } : {};
  const body = (await (await askChat(upstream, { messages, ...choices })).json()) as {
    id: string;
    choices: [{ message: { content: string | null; tool_calls?: ChatCall[] }; finish_reason: string }];
  };
  const [{ message, finish_reason: stop }] = body.choices;
  const calls = (message.tool_calls ?? []).map(({ id, function: called }) => ({
    id,
    name: called.name,
    query: JSON.parse(called.arguments).query,
  }));
  return { id: body.id, text: message.content ?? '', stop, calls };
}

interface ChatCall {
  readonly id: string;
  readonly function: { readonly name: string; readonly arguments: string };
}

const USER: Message = { role: 'user', content: 'Go' };

/** A turn of the assistant with calls, and their results, as Chat messages. */
function exchange(...calls: readonly (readonly [id: string, name: string])[]): Message[] {
  const asked = calls.map(([id, name]) => ({ id, type: 'function', function: { name, arguments: '{}' } }));
  return [
    { role: 'assistant', content: null, tool_calls: asked },
    ...calls.map(([id]) => ({ role: 'tool', tool_call_id: id, content: `result of ${id}` })),
  ];
}

const names = ({ calls }: Said): string[] => calls.map(({ name }) => name);
const queries = ({ calls }: Said): unknown[] => calls.map(({ query }) => query);

describe('a played model', () => {
  const plan: ModelPlan = { turns: [{ steps: [{ searchFor: ['weather'], thenCall: [WEATHER] }] }] };

  test('searches for a tool that it cannot see, then calls it when its definition is there', async () => {
    const searching = await ask(plan, [USER], [SEARCH]);
    expect(searching).toMatchObject({ stop: 'tool_calls', calls: [{ name: SEARCH, query: 'weather' }] });
    const calling = await ask(plan, [USER, ...exchange(['s', SEARCH])], [SEARCH, 'get_weather']);
    expect(names(calling)).toEqual(['get_weather']);
  });

  test('does not call what the search has not brought', async () => {
    const said = await ask(plan, [USER, ...exchange(['s', SEARCH])], [SEARCH]);
    expect(said).toMatchObject({ text: 'I cannot see a tool named get_weather.', stop: 'stop', calls: [] });
  });

  test('calls at once what it sees', async () => {
    expect(names(await ask(plan, [USER], [SEARCH, 'get_weather']))).toEqual(['get_weather']);
    expect(names(await ask(plan, [USER], ['get_weather']))).toEqual(['get_weather']);
  });

  test('answers with the results of its last calls', async () => {
    const said = await ask(plan, [USER, ...exchange(['a', 'get_weather'])], ['get_weather']);
    expect(said.text).toBe('Turn 1 is done ✓ result of a');
  });

  test('calls a tool that was loaded earlier without another search', async () => {
    const twice: ModelPlan = { turns: [...plan.turns, ...plan.turns] };
    const history = [
      USER,
      ...exchange(['s', SEARCH]),
      ...exchange(['a', 'get_weather']),
      { role: 'assistant', content: 'Done' },
      USER,
    ];
    expect(names(await ask(twice, history, [SEARCH, 'get_weather']))).toEqual(['get_weather']);
    expect(names(await ask(twice, history, [SEARCH]))).toEqual([SEARCH]);
  });

  test('answers without calls when the plan has none, and after its last turn', async () => {
    expect(await ask({ turns: [{ answer: 'Hello.' }] }, [USER], [SEARCH])).toMatchObject({
      text: 'Hello.',
      calls: [],
    });
    const said = await ask(plan, [USER, { role: 'assistant', content: 'Done' }, USER], [SEARCH]);
    expect(said.text).toBe('Turn 2 is done ✓');
  });

  test('takes two messages of the user in a row as one turn', async () => {
    expect(names(await ask(plan, [USER, USER], ['get_weather']))).toEqual(['get_weather']);
  });

  test('asks all of its queries, one after the other, whatever the first one finds', async () => {
    const again: ModelPlan = { turns: [{ steps: [{ searchFor: ['rain', 'sun'], thenCall: [WEATHER] }] }] };
    const tools = [SEARCH, 'get_weather'];
    expect(queries(await ask(again, [USER], [SEARCH]))).toEqual(['rain']);
    expect(queries(await ask(again, [USER, ...exchange(['1', SEARCH])], tools))).toEqual(['sun']);
    const rounds = [...exchange(['1', SEARCH]), ...exchange(['2', SEARCH])];
    expect(names(await ask(again, [USER, ...rounds], tools))).toEqual(['get_weather']);
  });

  test('searches side by side', async () => {
    const both: ModelPlan = {
      turns: [{ steps: [{ searchFor: [['weather', 'mail']], thenCall: [WEATHER, MAIL] }] }],
    };
    expect(queries(await ask(both, [USER], [SEARCH]))).toEqual(['weather', 'mail']);
    const round = exchange(['1', SEARCH], ['2', SEARCH]);
    const said = await ask(both, [USER, ...round], [SEARCH, 'get_weather', 'send_mail']);
    expect(names(said)).toEqual(['get_weather', 'send_mail']);
  });

  test.each([
    ['behind', [WEATHER.name, SEARCH]],
    ['before', [SEARCH, WEATHER.name]],
  ] as const)('searches along with a real call, %s it', async (besidePosition, order) => {
    const mixed: ModelPlan = {
      turns: [
        { steps: [{ thenCall: [WEATHER], searchBeside: ['mail'], besidePosition }, { thenCall: [MAIL] }] },
      ],
    };
    expect(names(await ask(mixed, [USER], [SEARCH, 'get_weather']))).toEqual(order);
    expect(names(await ask(mixed, [USER], ['get_weather', 'send_mail']))).toEqual([WEATHER.name]);
    const history = [USER, ...exchange(['a', 'get_weather'], ['s', SEARCH])];
    expect(names(await ask(mixed, history, [SEARCH, 'get_weather', 'send_mail']))).toEqual(['send_mail']);
  });

  test('continues searching until the search tool is gone', async () => {
    const stubborn: ModelPlan = {
      turns: [
        { steps: [{ searchFor: ['a', 'b'], thenCall: [WEATHER], keepsSearching: 'until-all-is-loaded' }] },
      ],
    };
    const rounds = Array.from({ length: 4 }, (_, at) => exchange([`${at}`, SEARCH])).flat();
    expect(queries(await ask(stubborn, [USER, ...rounds], [SEARCH, 'get_weather']))).toEqual(['a']);
    expect(names(await ask(stubborn, [USER, ...rounds], ['get_weather']))).toEqual(['get_weather']);
  });

  test('calls nothing when it may not', async () => {
    const upstream = await start({ model: playModel(plan) });
    const response = await askChat(upstream, { tools: [chatTool(SEARCH)], tool_choice: 'none' });
    expect(await response.json()).toMatchObject({ choices: [{ finish_reason: 'stop' }] });
  });
});

describe('the same plan played directly', () => {
  const plan: ModelPlan = {
    turns: [{ steps: [{ say: 'One moment.', searchFor: ['weather'], thenCall: [WEATHER, MAIL] }] }],
  };
  const direct = ['get_weather', 'send_mail'];
  const found = [SEARCH, ...direct];

  test('has the same text, calls and call ids after a hidden search', async () => {
    const { id, ...said } = await ask(plan, [USER], direct);
    const { id: hiddenId, ...hidden } = await ask(plan, [USER, ...exchange(['s', SEARCH])], found);
    expect(hidden).toEqual(said);
    expect(hiddenId).not.toBe(id);
  });

  test('has the id of the answer that began the search', async () => {
    const direct1 = await ask(plan, [USER], direct);
    const searching = await ask(plan, [USER], [SEARCH]);
    expect(searching.id).toBe(direct1.id);
  });

  test('has another call id at another place of the conversation', async () => {
    const twice: ModelPlan = { turns: [...plan.turns, ...plan.turns] };
    const first = await ask(twice, [USER], direct);
    const later = await ask(twice, [USER, { role: 'assistant', content: 'Done' }, USER], direct);
    expect(new Set([...first.calls, ...later.calls].map(({ id }) => id)).size).toBe(4);
  });

  test('answers the same whether the searches are in the history or not', async () => {
    const results = exchange(['a', 'get_weather']);
    const shown = await ask(plan, [USER, ...results], direct);
    const rehydrated = await ask(plan, [USER, ...exchange(['s', SEARCH]), ...results], found);
    expect(rehydrated).toEqual(shown);
  });
});

describe('a model that sees a Messages request', () => {
  const plan: ModelPlan = {
    thinks: true,
    turns: [{ steps: [{ searchFor: ['weather'], thenCall: [WEATHER] }] }],
  };
  const tool = (name: string, more: object = {}): object => ({
    name,
    input_schema: { type: 'object' },
    ...more,
  });
  const native = [
    tool(SEARCH),
    tool('get_weather', { defer_loading: true }),
    tool('x', { defer_loading: true }),
  ];
  const search = (id: string): Message => ({
    role: 'assistant',
    content: [{ type: 'tool_use', id, name: SEARCH, input: { query: 'x' } }],
  });
  const found = (id: string, ...referenced: string[]): Message => {
    const content = referenced.map((name) => ({ type: 'tool_reference', tool_name: name }));
    const result = { type: 'tool_result', tool_use_id: id, content };
    return { role: 'user', content: [result, { type: 'text', text: 'Tools loaded.' }] };
  };

  async function askNative(
    plan: ModelPlan,
    body: object,
  ): Promise<{ type: string; name?: string; text?: string }[]> {
    const upstream = await start({ model: playModel(plan) });
    const answered = (await (await askMessages(upstream, { tools: native, ...body })).json()) as {
      content: { type: string; name?: string }[];
    };
    return answered.content;
  }

  test('cannot call a deferred tool before a reference shows it', async () => {
    const messages = [USER, search('1'), found('1', 'x')];
    expect(await askNative(plan, { messages: [USER] })).toMatchObject([{ name: SEARCH }]);
    expect(await askNative(plan, { messages })).toMatchObject([
      { text: 'I cannot see a tool named get_weather.' },
    ]);
  });

  test('calls a deferred tool that a reference shows', async () => {
    const messages = [USER, search('1'), found('1', 'get_weather')];
    expect(await askNative(plan, { messages })).toMatchObject([{ name: 'get_weather' }]);
  });

  test('continues searching until every deferred tool is referenced', async () => {
    const stubborn: ModelPlan = {
      turns: [{ steps: [{ thenCall: [WEATHER], keepsSearching: 'until-all-is-loaded' }] }],
    };
    const some = [USER, search('1'), found('1', 'get_weather')];
    const all = [...some, search('2'), found('2', 'x', 'get_weather')];
    expect(await askNative(stubborn, { messages: some })).toMatchObject([{ name: SEARCH }]);
    expect(await askNative(stubborn, { messages: all })).toMatchObject([{ name: 'get_weather' }]);
  });

  test('searches forever if asked to', async () => {
    const stubborn: ModelPlan = { turns: [{ steps: [{ thenCall: [WEATHER], keepsSearching: 'always' }] }] };
    const messages = [USER, search('1'), found('1', 'x', 'get_weather')];
    expect(await askNative(stubborn, { messages })).toMatchObject([{ name: SEARCH }]);
  });

  test('thinks where the request lets it', async () => {
    const types = async (body: object): Promise<string[]> =>
      (await askNative(plan, { messages: [USER], ...body })).map(({ type }) => type);
    expect(await types({ thinking: { type: 'adaptive' } })).toEqual(['thinking', 'tool_use']);
    expect(await types({ thinking: { type: 'disabled' } })).toEqual(['tool_use']);
    expect(await types({})).toEqual(['tool_use']);
  });

  test('says what it searches for when it narrates', async () => {
    const content = await askNative({ ...plan, narratesSearches: true }, { messages: [USER] });
    expect(content).toMatchObject([{ type: 'text', text: 'Looking for weather.' }, { name: SEARCH }]);
  });
});
