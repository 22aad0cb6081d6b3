import {
  type AnswerPart,
  answer,
  callTool,
  createProvider,
  createRandom,
  type Provider,
  type Random,
  say,
  think,
} from '@winnow/testkit';
import { describe, expect, inject, test } from 'vitest';
import { jsonArray } from '../src/framing/json-array.ts';
import {
  type HiddenTurn,
  isRefused,
  type LoadMode,
  type Past,
  type Plan,
  type RequestView,
  type Round,
  refuseCall,
  type SearchCall,
  type SearchResult,
} from '../src/index.ts';
import { invocationFixtures } from './anthropic-messages/bedrock/invocation-fixtures.ts';
import { messagesFixtures } from './anthropic-messages/messages-fixtures.ts';
import { converseFixtures } from './bedrock-converse/converse-fixtures.ts';
import { BRIDGE, type FormatFixtures, pathOf, SEARCH } from './format-fixtures.ts';
import { ClientBody, decodeAll, textOf } from './frames.ts';
import { geminiFixtures } from './gemini/gemini-fixtures.ts';
import { interactionsFixtures } from './gemini-interactions/interactions-fixtures.ts';
import { ollamaFixtures } from './ollama-chat/ollama-fixtures.ts';
import { chatFixtures } from './openai-chat/chat-fixtures.ts';
import { responsesFixtures } from './openai-responses/responses-fixtures.ts';
import { planOf, viewOf } from './run-exchange.ts';

/** A way to ask: the load mode, and a change to each request of the client. */
interface Way {
  readonly name: string;
  readonly fixtures: FormatFixtures;
  readonly loadMode: LoadMode;
  readonly ask?: (request: string) => string;
  /** Whether the provider begins each turn with thinking. */
  readonly alwaysThinks?: boolean;
  /** Whether a thought signs the first call behind it, so that no text may stand between the two. */
  readonly signsCalls?: boolean;
}

const thinking = (asked: object) => (request: string) =>
  request.replace('"max_tokens":100', `"max_tokens":4096,"thinking":${JSON.stringify(asked)}`);
const ADAPTIVE = { ask: thinking({ type: 'adaptive' }) };
const BUDGET = { ask: thinking({ type: 'enabled', budget_tokens: 1024 }), alwaysThinks: true };

const IN_OTHER_MODES: readonly Way[] = [
  { name: 'Responses, swap', fixtures: responsesFixtures, loadMode: 'swap' },
  { name: 'Responses, native', fixtures: responsesFixtures, loadMode: 'native' },
  { name: 'Messages, swap, adaptive', fixtures: messagesFixtures, loadMode: 'swap', ...ADAPTIVE },
  { name: 'Messages, native, adaptive', fixtures: messagesFixtures, loadMode: 'native', ...ADAPTIVE },
  { name: 'Messages, swap, budget', fixtures: messagesFixtures, loadMode: 'swap', ...BUDGET },
  { name: 'Messages, native, budget', fixtures: messagesFixtures, loadMode: 'native', ...BUDGET },
  { name: 'InvokeModel, budget', fixtures: invocationFixtures, loadMode: 'swap', ...BUDGET },
  { name: 'Converse', fixtures: converseFixtures, loadMode: 'swap' },
  { name: 'Chat', fixtures: chatFixtures, loadMode: 'swap' },
  { name: 'Gemini', fixtures: geminiFixtures({ framing: jsonArray, hasIds: false }), loadMode: 'swap' },
  { name: 'Interactions', fixtures: interactionsFixtures, loadMode: 'swap', signsCalls: true },
  { name: 'Ollama', fixtures: ollamaFixtures, loadMode: 'swap' },
];

const WAYS: readonly Way[] = [
  ...IN_OTHER_MODES,
  ...IN_OTHER_MODES.filter(({ loadMode }) => loadMode === 'swap').map((way): Way => {
    return { ...way, name: `${way.name.replace(', swap', '')}, bridge`, loadMode: 'bridge' };
  }),
];

const KEPT = 'clock_now';
const DEFERRED = 'weather_get';

/** Calls of a deferred tool in bridge mode, and one that cannot work. */
function bridgeCalls(random: Random) {
  const city = `city ${random.below(1_000)}`;
  const through = random.pick([
    callTool(BRIDGE, { name: DEFERRED, arguments: { city } }),
    callTool(BRIDGE, { arguments: { city }, name: DEFERRED }),
    callTool(BRIDGE, { name: DEFERRED, arguments: JSON.stringify({ city }) }),
    callTool(BRIDGE, { name: DEFERRED }),
    callTool(DEFERRED, { city }),
  ]);
  const refused = random.pick([
    callTool(BRIDGE, { name: 'no_such_tool', arguments: {} }),
    callTool(BRIDGE, { name: DEFERRED, arguments: [] }),
    callTool(BRIDGE, {}),
  ]);
  return { through, refused };
}

/** The parts of a random response. Before the last round, it may search. */
function randomParts(
  random: Random,
  {
    mayEnd,
    begins,
    mayNarrate,
    maySayNothing,
    ...bridge
  }: Record<'mayEnd' | 'begins' | 'mayNarrate' | 'maySayNothing' | 'isBridged' | 'mayRefuse', boolean>,
): AnswerPart[] {
  if (maySayNothing && random.chance(0.4)) return [];
  const maybe = (probability: number, part: AnswerPart) => (random.chance(probability) ? [part] : []);
  const search = callTool(SEARCH, { query: `query ${random.below(1_000)}` });
  const call = callTool(KEPT, { zone: `zone ${random.below(1_000)}` });
  const text = say(random.pick(['One moment.', 'I look. ', 'So.\n']));
  const thought = begins ? [think()] : maybe(0.6, think());
  const before = [...thought, ...(mayNarrate ? maybe(0.3, text) : [])];
  // A model thinks between its blocks, too.
  const between = before.length > 0 ? maybe(0.3, think()) : [];
  const ends = [[text], [call], [call, call], [call, search], [search, call], [search, ...between, call]];
  const goesOn = [[search], [search, search]];
  if (bridge.isBridged) {
    const { through, refused } = bridgeCalls(random);
    ends.push([through], [through, call], [search, through, through], [through, search]);
    if (bridge.mayRefuse) {
      ends.push([refused, through], [call, refused, through], [through, search, refused]);
      goesOn.push([refused], [refused, search]);
    }
  }
  return [...before, ...between, ...random.pick(mayEnd ? ends : goesOn)];
}

/** A conversation between a client, Winnow and a strict provider. */
class Talk {
  readonly provider: Provider;
  readonly #way: Way;
  readonly #random: Random;
  readonly #hidden: HiddenTurn[] = [];
  messages: readonly string[];
  /** Whether the last message is the user's. */
  #isNew = true;
  searches = 0;

  constructor(way: Way, random: Random) {
    this.#way = way;
    this.#random = random;
    // Signatures that hold only behind the very same history are in the documents: no client has such a one.
    this.provider = createProvider({ bindsSignatures: () => false });
    this.messages = [way.fixtures.writeUserMessage('What can you do?')];
  }

  /** Returns the request as the client writes it. */
  write(isStream: boolean): string {
    const { fixtures, ask = (request) => request } = this.#way;
    const tools = [KEPT, DEFERRED, 'mail_send'].map((name) => fixtures.writeTool(name, `Does ${name}.`));
    return ask(fixtures.writeRequest({ isStream, tools, messages: this.messages }));
  }

  /** Plays an exchange through Winnow; the client then has its response, and the results of its calls. */
  exchange(): void {
    const isStream = this.#random.chance(0.7);
    const { fixtures } = this.#way;
    const text = this.write(isStream);
    const path = pathOf(fixtures, isStream);
    const [plainPath = '', query] = path.split('?');
    const view = viewOf(fixtures.format, text, plainPath, query);
    // Sometimes the notes are lost.
    const hiddenTurns = this.#random.chance(0.7)
      ? fixtures.format.remembering.recall(view, this.#hidden)
      : [];
    const body = new ClientBody(isStream, fixtures.framing);
    const rounds = this.#loop(view, { path, hiddenTurns, body });
    const read = isStream ? fixtures.readStream(body.end()) : fixtures.readWhole(body.end());
    const hidden = fixtures.format.remembering.hideTurn(view, rounds);
    if (hidden) this.#hidden.push(JSON.parse(JSON.stringify(hidden)) as HiddenTurn);
    this.messages = [...this.messages, ...fixtures.goOn(read)];
    this.#isNew = read.calls.length === 0;
  }

  #loop(view: RequestView, { path, hiddenTurns, body }: Exchange): readonly Round[] {
    const { fixtures, loadMode, alwaysThinks = false, signsCalls = false } = this.#way;
    const { format, framing } = fixtures;
    const random = this.#random;
    const most = random.pick([1, 1, 2, 3]);
    const rounds: Round[] = [];
    let hasSaid = false;
    let plan = planOf([DEFERRED, 'mail_send'], [], loadMode);
    const joiner = format.joining.joinResponses(view, plan);
    for (;;) {
      const questionOf = (past: Partial<Past> = {}) => {
        const edited = format.editing.editRequest(view, plan, { hiddenTurns, rounds, ...past });
        return { path, text: Buffer.from(edited).toString() };
      };
      let question = questionOf();
      // A signature may bind the form in which the model wrote a call; the notes that have it may be lost.
      const isLost = loadMode === 'bridge' && hiddenTurns.length < this.#hidden.length;
      if (isLost && /signature/.test(this.provider.judge(question)?.message ?? ''))
        question = questionOf({ dropsThinking: true });
      expect(this.provider.judge(question), question.text).toBeUndefined();
      const begins = alwaysThinks && this.#isNew && rounds.length === 0;
      const mayNarrate = !signsCalls;
      const mayEnd = rounds.length + 1 >= most;
      const bridge = { isBridged: loadMode === 'bridge', mayRefuse: rounds.length < 2 };
      const maySayNothing = mayEnd && hasSaid;
      const parts = randomParts(random, { mayEnd, begins, mayNarrate, maySayNothing, ...bridge });
      hasSaid ||= parts.some(({ type }) => type === 'text');
      const events = () => {
        const bytes = this.provider.answer(question, answer(parts));
        return view.isStream
          ? decodeAll(framing, [bytes])
          : [{ kind: 'whole' as const, text: textOf(framing, bytes) }];
      };
      if (rounds.length > 0 && random.chance(0.2)) {
        // A round that breaks off is asked for again; what it gave never reaches the client.
        for (const event of events().slice(0, random.below(6))) joiner.feed(event);
        joiner.abandonRound();
      }
      for (const event of events()) body.write(joiner.feed(event));
      const end = joiner.endRound();
      if (end.kind === 'failed') throw new Error(`${end.reason}: ${end.message}`);
      const results = end.turn.searches.map((call) => answerTo(call, view, { plan, fixtures }));
      this.searches += results.length;
      rounds.push({ turn: end.turn, results });
      if (end.kind === 'finished') break;
      joiner.takeResults(results);
      if (loadMode === 'swap') plan = { ...plan, load: [DEFERRED] };
    }
    body.write(joiner.finish());
    return rounds;
  }
}

/** Answers a search, or a bridge call that cannot work. */
function answerTo(
  call: SearchCall,
  view: RequestView,
  { plan, fixtures }: { readonly plan: Plan; readonly fixtures: FormatFixtures },
): SearchResult {
  const { bridge } = fixtures.format.capabilities;
  if (bridge !== undefined && isRefused(plan, call)) return refuseCall(view, plan, call, bridge);
  return { callId: call.id, kind: 'found', tools: [{ name: DEFERRED, description: `Does ${DEFERRED}.` }] };
}

interface Exchange {
  readonly path: string;
  readonly hiddenTurns: readonly HiddenTurn[];
  readonly body: ClientBody;
}

/**
 * Returns a request as a client writes it without Winnow. Whether Gemini's signatures bind the name of a call
 * is not known (`npm run probe`); if they do, a turn in which Winnow is removed needs the documented
 * placeholder.
 */
function withAnySignature({ loadMode, fixtures }: Way, text: string): string {
  const isSigned = loadMode === 'bridge' && fixtures.format.vendor.name === 'gemini';
  if (!isSigned) return text;
  return text.replaceAll(
    /("(?:thoughtSignature|signature)":)"[^"]*"/g,
    '$1"skip_thought_signature_validator"',
  );
}

const seedsFrom = (first: number) =>
  Array.from({ length: inject('isExhaustive') ? 300 : 1 }, (_, at) => first + at);

describe('the history that a client holds', () => {
  const ways = WAYS.map((way, at) => ({ ...way, seeds: seedsFrom(at + 1) }));
  test.each(ways)('is accepted without Winnow after every turn of random conversations: $name', (way) => {
    let searches = 0;
    for (const seed of way.seeds) {
      const talk = new Talk(way, createRandom(seed));
      for (let turn = 0; turn < 8; turn++) {
        talk.exchange();
        const question = { path: way.fixtures.path, text: withAnySignature(way, talk.write(false)) };
        expect(talk.provider.judge(question), `seed ${seed}, turn ${turn}: ${question.text}`).toBeUndefined();
      }
      searches += talk.searches;
    }
    expect(searches).toBeGreaterThan(2 * way.seeds.length);
  });
});
