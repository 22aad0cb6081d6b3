import { CLIENT_FORMATS, type FormatName } from '@winnow/conformance';
import { type ModelPlan, playModel, startUpstream } from '@winnow/testkit';
import { describe, expect, inject, onTestFinished, test } from 'vitest';
import { coverTraits } from './cover-traits.ts';
import { recordsOf, startStack } from './start-stack.ts';
import { wholeOfStream } from './whole-of-stream.ts';

type Format = (typeof CLIENT_FORMATS)[FormatName];
type Json = Record<string, unknown>;
type Mode = 'bridge' | 'swap' | 'native' | 'auto';

const DOES = ['create', 'list', 'update', 'delete', 'archive', 'export', 'share', 'rename'];
const TOOLS = DOES.flatMap((verb) =>
  ['invoice', 'ticket', 'playlist', 'recipe', 'contact'].map((thing) => ({
    name: `${verb}_${thing}`,
    description: `${verb} one ${thing} in the workspace of the user, with all of its fields.`,
    parameters: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
  })),
);
const nameOf = (position: number) => TOOLS[position]!.name;
const [FIRST, SECOND, THIRD, FOURTH] = [nameOf(3), nameOf(20), nameOf(33), nameOf(12)];
const call = (name: string, turn: number) => ({ name, input: { text: `words-of-${name}-${turn} “ü”` } });

/** Searches of every kind. After a loss the model searches again, by name. */
const plan = (thinks: boolean): ModelPlan => ({
  thinks,
  searchesAgain: true,
  turns: [
    { steps: [{ searchFor: [FIRST], thenCall: [call(FIRST, 0)] }] },
    { steps: [{ searchFor: [[SECOND, THIRD]], thenCall: [call(SECOND, 1), call(THIRD, 1)] }] },
    {
      steps: [
        { say: 'Both at once. ', thenCall: [call(FIRST, 2)], searchBeside: [FOURTH] },
        { thenCall: [call(FOURTH, 2)] },
      ],
    },
    { steps: [{ thenCall: [call(FIRST, 3), call(SECOND, 3)] }] },
    { answer: 'Nothing to do here.' },
    { steps: [{ searchFor: [THIRD], thenCall: [call(THIRD, 5)] }] },
  ],
});
const USERS = [0, 1, 2, 3, 4, 5].map((turn) => `words-of-user-${turn} please.`);
const SYSTEM = 'You are the SYSTEM prompt. ';

/** A change of a client to its request. `step` counts requests. */
type Change = (body: Json, step: number, format: Format) => Json;

const at =
  (changed: number, change: (body: Json, format: Format) => Json): Change =>
  (body, step, format) =>
    step === changed ? change(body, format) : body;

/** Changes that last are made to every request; the others to one. */
const CHANGES: Readonly<Record<string, Change>> = {
  'changes nothing': (body) => body,
  'puts the time into its system prompt': (body, step) =>
    rewritten(body, (text) => text.replaceAll('SYSTEM', `SYSTEM at ${step}`)),
  'turns its tools around': at(3, (body) => withTools(body, (tools) => tools.toReversed())),
  'drops a tool that was called': at(3, (body) =>
    withTools(body, (tools) => tools.filter((tool) => !isNamed(tool, FIRST))),
  ),
  'drops tools for good': (body, step) =>
    step < 3
      ? body
      : withTools(body, (tools) => tools.filter((tool) => !isNamed(tool, SECOND) && !isNamed(tool, THIRD))),
  'adds a tool': (body, step) =>
    step < 2
      ? body
      : withTools(body, (tools) => [
          ...tools,
          JSON.parse(JSON.stringify(tools[5]).replaceAll(nameOf(5), 'brand_new')),
        ]),
  'sends one tool once': at(3, (body) =>
    withTools(body, (tools) => tools.filter((tool) => isNamed(tool, FIRST))),
  ),
  'edits its first message': at(4, (body) =>
    rewritten(body, (text) => text.replace('words-of-user-0', 'words-of-user-0 edited')),
  ),
  'loses its first turn': at(4, (body) => {
    const { key, history, users } = historyOf(body);
    return { ...body, [key]: [...history.filter(isOfSystem), ...history.slice(users[1])] };
  }),
  'begins again from a summary': at(4, (body) => {
    const { key, history, users } = historyOf(body);
    const kept = [...history.filter(isOfSystem), ...history.slice(users.at(-1))];
    return rewritten({ ...body, [key]: kept }, (text) =>
      text.replace('words-of-user', 'A summary. words-of-user'),
    );
  }),
  'demands a tool once': at(3, (body, format) => withChoice(body, format, { name: FIRST })),
  'forbids calls once': at(3, (body, format) => withChoice(body, format, 'none')),
  'writes arguments in its own way': (body) =>
    JSON.parse(JSON.stringify(body), (key, value) =>
      key === 'arguments' && typeof value === 'string' ? JSON.stringify(JSON.parse(value), null, 1) : value,
    ) as Json,
  'changes its model again and again': (body, step, { name }) =>
    step % 3 === 0 ? body : { ...body, model: OTHER_MODELS[name]![step % 3 === 1 ? 0 : 1] },
  'sets as many cache marks as it may': (body, _, { name }) => marked(body, name),
};

/** A model that loads in another way by itself, and one of no known vendor, where requests name their model. */
const OTHER_MODELS: Partial<Record<FormatName, readonly [string, string]>> = {
  'openai-chat': ['gpt-5-mini', 'of-our-own'],
  'openai-responses': ['gpt-5-mini', 'of-our-own'],
  'anthropic-messages': ['claude-haiku-4-5', 'of-our-own'],
  'gemini-interactions': ['gemini-2.5-flash', 'of-our-own'],
  'ollama-chat': ['gpt-oss', 'of-our-own'],
};

/** Changes after which the prompt may begin otherwise: the tool that is demanded is shown in that request. */
const CHANGES_HEAD = new Set(['demands a tool once', 'sends one tool once']);

/**
 * Changes that leave definitions out of earlier results, because their tools are gone. A provider that checks
 * signatures against the whole history refuses them at first, and gets the client's own history.
 */
const BREAKS_SIGNATURES = new Set([
  'drops a tool that was called',
  'drops tools for good',
  'sends one tool once',
]);

const SETTING: Readonly<Record<FormatName, string>> = {
  'openai-chat': 'OPENAI',
  'openai-responses': 'OPENAI',
  'anthropic-messages': 'ANTHROPIC',
  gemini: 'GEMINI',
  'gemini-interactions': 'GEMINI',
  'ollama-chat': 'OLLAMA',
  'bedrock-converse': 'BEDROCK',
  'bedrock-invoke': 'BEDROCK',
};

const ROWS = Object.values(CLIENT_FORMATS).flatMap((format) =>
  waysOf(format).flatMap(([mode, isStream]) =>
    [false, true].flatMap((thinks) =>
      Object.keys(CHANGES)
        .filter((change) => mayMake(change, format, thinks))
        .map((change) => ({
          title: `${format.name}, ${mode}${isStream ? ', streamed' : ''}${thinks ? ', thinking' : ''}: ${change}`,
          ...{ format, mode, isStream, thinks, change },
        })),
    ),
  ),
);

/**
 * All rows, or a sample: every change whole and streamed, and each format in every load mode, whole and
 * streamed, with and without thinking.
 */
const SAMPLE = inject('isExhaustive')
  ? ROWS
  : coverTraits(ROWS, ({ format, mode, isStream, thinks, change }) => {
      const way = isStream ? 'streamed' : 'whole';
      const traits = [mode, way, thinks ? 'thinking' : 'plain'];
      return [`${change}, ${way}`, ...traits.map((trait) => `${format.name}, ${trait}`)];
    });

/** The load modes, whole and streamed. The automatic choice is one of the others, so that it is tried once. */
function waysOf({ name }: Format): readonly (readonly [Mode, boolean])[] {
  const modes: readonly Mode[] = /responses|anthropic|invoke/.test(name)
    ? ['bridge', 'swap', 'native']
    : ['bridge', 'swap'];
  const both = modes.flatMap((mode) => [false, true].map((isStream) => [mode, isStream] as const));
  return [...both, ['auto', true]];
}

/** Whether the provider accepts the change without Winnow. */
function mayMake(change: string, { name }: Format, thinks: boolean): boolean {
  const isClaude = /anthropic|bedrock/.test(name);
  if (change === 'demands a tool once') return name !== 'ollama-chat' && !(isClaude && thinks);
  if (change === 'edits its first message') return !name.startsWith('gemini');
  // OpenAI refuses the reasoning of another model.
  if (change === 'changes its model again and again')
    return name in OTHER_MODELS && !(thinks && name === 'openai-responses');
  return change !== 'sets as many cache marks as it may' || isClaude;
}

describe('a client that, in the middle of a conversation,', () => {
  test.each(SAMPLE.map((row) => [row.title, row] as const))(
    '%s',
    async (_, { format, mode, isStream, thinks, change }) => {
      const model = playModel(plan(thinks));
      const direct = await startUpstream({ model });
      onTestFinished(() => direct.close());
      const settings = {
        [`PROXY_UPSTREAMS_${SETTING[format.name]}_LOAD`]: mode,
        PROXY_PIPES_TOOL_DISCOVERY_PRELOAD: '5',
      };
      const stack = await startStack({ model, settings });
      const talk = { format, isStream, thinks, change: CHANGES[change]! };

      const expected = await converse(direct.url, talk);
      const actual = await converse(stack.proxyUrl, talk);
      expect(actual).toEqual(expected);
      expect(direct.rejected()).toEqual([]);
      expect(expected.length).toBeGreaterThan(USERS.length);

      const isChecked = format.name.startsWith('gemini') && BREAKS_SIGNATURES.has(change);
      if (isChecked) return;
      expect(stack.upstream.rejected().map(({ rejection }) => rejection!.message)).toEqual([]);
      await recordsOf(stack, expected.length);
      if (stack.records[0]!.loadMode === 'swap' || CHANGES_HEAD.has(change)) return;
      const bodies = (requests: readonly { readonly json: unknown }[]) =>
        requests.map(({ json }) => json as Json);
      const through = bodies(stack.upstream.requests);
      let next = 0;
      const rounds = stack.records.map(({ upstreamCalls }) => {
        next += upstreamCalls;
        return through.slice(next - upstreamCalls, next);
      });
      // Where a client changes its tools, deferring can share more.
      const shared = shareOf(rounds);
      for (const [exchange, words] of shareOf(bodies(direct.requests).map((body) => [body])).entries()) {
        expect(shared[exchange], `exchange ${exchange + 1}`).toEqual(expect.arrayContaining(words));
      }
    },
  );
});

interface Talk {
  readonly format: Format;
  readonly isStream: boolean;
  readonly thinks: boolean;
  readonly change: Change;
}

/** Plays a conversation; returns the client's view of each response. */
async function converse(url: string, { format, isStream, thinks, change }: Talk): Promise<unknown[]> {
  const { model } = format;
  const waiting = USERS.slice(1);
  const shown: unknown[] = [];
  const open = { user: USERS[0]!, system: SYSTEM.repeat(50), tools: TOOLS, thinks, isStream };
  let body = format.open(open, model) as Json;
  for (let step = 0; ; step++) {
    const sent = change(body, step, format);
    const response = await fetch(url + format.path(model, isStream), {
      method: 'POST',
      headers: [
        ['content-type', 'application/json'],
        ...format.headers('key').map((header) => [...header]),
      ] as [string, string][],
      body: JSON.stringify(sent),
    });
    const bytes = Buffer.from(await response.arrayBuffer());
    const isRead = isStream && response.status === 200;
    const json = (isRead ? wholeOfStream(bytes, format.name) : JSON.parse(bytes.toString())) as never;
    const calls = format.callsIn(json);
    shown.push({
      status: response.status,
      calls: calls.map(({ name, input }) => ({ name, input })),
      texts: textsIn(json),
    });
    if (response.status !== 200) return shown;
    // What has happened to the history stays; everything else is for this request alone.
    const { key, history } = historyOf(sent);
    const kept = JSON.stringify(sent).includes('"cache') ? body : { ...body, [key]: history };
    const results = calls.map((one) => ({ call: one, text: `words-of-result-${one.name}-${step}` }));
    const user = calls.length > 0 ? undefined : waiting.shift();
    if (calls.length === 0 && user === undefined) return shown;
    body = format.proceed(kept as never, json, user === undefined ? { results } : { user }) as Json;
  }
}

/** Returns the texts of a response without thinking. */
function textsIn(response: unknown): string {
  const texts: string[] = [];
  JSON.stringify(response, (key, value) => {
    if (value?.thought === true || /^(?:thought|thinking|reasoning)$/.test(value?.type)) return undefined;
    if (/^(?:text|content)$/.test(key) && typeof value === 'string') texts.push(value);
    return key === 'reasoningContent' ? undefined : value;
  });
  return texts.join('');
}

/**
 * Returns the words of a conversation that the prompt of each exchange shares with that of the one before: those
 * in the first elements of its history, if tools and system prompt are the same.
 */
function shareOf(exchanges: readonly (readonly Json[])[]): string[][] {
  return exchanges.slice(1).map((requests, index) => {
    const [before, after] = [exchanges[index]!.at(-1)!, requests[0]!].map(promptOf);
    if (before!.head !== after!.head) return [];
    const differs = before!.history.findIndex((element, place) => element !== after!.history[place]);
    const shared = before!.history.slice(0, differs < 0 ? undefined : differs).join('\n');
    return [...new Set(shared.match(/words-of-[\w-]+|Both at once|Nothing to do/g))].sort();
  });
}

/** Returns a request's prompt: the deferred tools count for nothing, nor do marks and choices. */
function promptOf(body: Json): { readonly head: string; readonly history: readonly string[] } {
  const bare = JSON.parse(JSON.stringify(body), (key, value) => {
    if (/^(?:cache_control|tool_choice|toolChoice|functionCallingConfig|generation_config)$/.test(key))
      return undefined;
    return Array.isArray(value) ? value.filter((one) => one?.cachePoint === undefined) : value;
  }) as Json;
  const { key, history } = historyOf(bare);
  return { head: JSON.stringify({ ...bare, [key]: [] }), history: history.map((one) => JSON.stringify(one)) };
}

/** Returns the member that holds a history, its elements, and the places of the user's messages. */
function historyOf(body: Json) {
  const key = ['contents', 'input'].find((member) => member in body) ?? 'messages';
  const history = body[key] as unknown[];
  const users = history.flatMap((one, place) => (JSON.stringify(one).includes('words-of-user') ? place : []));
  return { key, history, users };
}

const isOfSystem = (element: unknown) => (element as Json).role === 'system';

const isNamed = (tool: unknown, name: string) => JSON.stringify(tool).includes(`"name":"${name}"`);

function rewritten(body: Json, rewrite: (text: string) => string): Json {
  return JSON.parse(rewrite(JSON.stringify(body)));
}

function withTools(body: Json, change: (tools: readonly unknown[]) => unknown[]): Json {
  const { tools, toolConfig } = body as { tools?: Json[]; toolConfig?: { tools?: unknown[] } };
  if (toolConfig?.tools) return { ...body, toolConfig: { ...toolConfig, tools: change(toolConfig.tools) } };
  const declared = tools?.[0]?.functionDeclarations as unknown[] | undefined;
  return { ...body, tools: declared ? [{ functionDeclarations: change(declared) }] : change(tools!) };
}

function withChoice(body: Json, format: Format, choice: 'none' | { readonly name: string }): Json {
  const asked = format.open({ user: '', tools: [], choice }, format.model) as Json;
  const { tool_choice, toolConfig = {}, generation_config = {} } = asked;
  const { toolChoice, functionCallingConfig } = toolConfig as Json;
  return {
    ...body,
    ...(tool_choice !== undefined && { tool_choice }),
    ...(toolChoice !== undefined && { toolConfig: { ...(body.toolConfig as Json), toolChoice } }),
    ...(functionCallingConfig !== undefined && { toolConfig }),
    ...('tool_choice' in (generation_config as Json) && {
      generation_config: { ...(body.generation_config as Json), ...(generation_config as Json) },
    }),
  };
}

/** Sets four marks: behind the tools, the system prompt, and the last two messages of the user. */
function marked(body: Json, format: FormatName): Json {
  const copy = structuredClone(body) as {
    messages: { role: string; content: unknown }[];
    system: Json[];
  } & Json;
  const mark = (list: unknown[]) => {
    if (format === 'bedrock-converse') list.push({ cachePoint: { type: 'default' } });
    else list.push({ ...(list.pop() as Json), cache_control: { type: 'ephemeral' } });
  };
  mark(
    format === 'bedrock-converse'
      ? (copy.toolConfig as { tools: unknown[] }).tools
      : (copy.tools as unknown[]),
  );
  mark(copy.system);
  for (const message of copy.messages.filter(({ role }) => role === 'user').slice(-2)) {
    if (typeof message.content === 'string') message.content = [{ type: 'text', text: message.content }];
    mark(message.content as unknown[]);
  }
  return copy;
}
