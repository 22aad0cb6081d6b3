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
import type { HiddenTurn, LoadMode, Plan, RequestView, Round } from '../src/index.ts';
import { invocationFixtures } from './anthropic-messages/bedrock/invocation-fixtures.ts';
import { messagesFixtures } from './anthropic-messages/messages-fixtures.ts';
import { converseFixtures } from './bedrock-converse/converse-fixtures.ts';
import { type FormatFixtures, pathOf, SEARCH } from './format-fixtures.ts';
import { ClientBody, decodeAll, textOf } from './frames.ts';
import { geminiFixtures } from './gemini/gemini-fixtures.ts';
import { interactionsFixtures } from './gemini-interactions/interactions-fixtures.ts';
import { ollamaFixtures } from './ollama-chat/ollama-fixtures.ts';
import { chatFixtures } from './openai-chat/chat-fixtures.ts';
import { responsesFixtures } from './openai-responses/responses-fixtures.ts';
import { viewOf } from './run-exchange.ts';

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

const WAYS: readonly Way[] = [
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

const KEPT = 'clock_now';
const DEFERRED = 'weather_get';

/** The parts of a random response. Before the last round, it may search. */
function randomParts(
  random: Random,
  { mayEnd, begins, mayNarrate }: Record<'mayEnd' | 'begins' | 'mayNarrate', boolean>,
): AnswerPart[] {
  const maybe = (probability: number, part: AnswerPart) => (random.chance(probability) ? [part] : []);
  const search = callTool(SEARCH, { query: `query ${random.below(1_000)}` });
  const call = callTool(KEPT, { zone: `zone ${random.below(1_000)}` });
  const text = say(random.pick(['One moment.', 'I look. ', 'So.\n']));
  const thought = begins ? [think()] : maybe(0.6, think());
  const before = [...thought, ...(mayNarrate ? maybe(0.3, text) : [])];
  // A model thinks between its blocks, too.
  const between = before.length > 0 ? maybe(0.3, think()) : [];
  const acts = mayEnd
    ? random.pick([[text], [call], [call, call], [call, search], [search, call], [search, ...between, call]])
    : random.pick([[search], [search, search]]);
  return [...before, ...between, ...acts];
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
    const searchTool = { name: SEARCH, description: 'Finds tools.' };
    let plan: Plan = {
      loadMode,
      defer: [DEFERRED, 'mail_send'],
      load: [],
      searchTool,
      reason: 'deferred',
    } as Plan;
    const joiner = format.joining.joinResponses(view, plan);
    for (;;) {
      const edited = format.editing.editRequest(view, plan, { hiddenTurns, rounds });
      const question = { path, text: Buffer.from(edited).toString() };
      expect(this.provider.judge(question), question.text).toBeUndefined();
      const begins = alwaysThinks && this.#isNew && rounds.length === 0;
      const mayNarrate = !signsCalls;
      const parts = randomParts(random, { mayEnd: rounds.length + 1 >= most, begins, mayNarrate });
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
      const tools = [{ name: DEFERRED, description: `Does ${DEFERRED}.` }];
      const results = end.turn.searches.map(({ id }) => ({ callId: id, kind: 'found' as const, tools }));
      this.searches += results.length;
      rounds.push({ turn: end.turn, results });
      if (end.kind === 'finished') break;
      if (loadMode === 'swap') plan = { ...plan, load: [DEFERRED] };
    }
    body.write(joiner.finish());
    return rounds;
  }
}

interface Exchange {
  readonly path: string;
  readonly hiddenTurns: readonly HiddenTurn[];
  readonly body: ClientBody;
}

const SEEDS = Array.from({ length: inject('isExhaustive') ? 300 : 6 }, (_, at) => at + 1);

describe('the history that a client holds', () => {
  test.each(WAYS)('is accepted without Winnow after every turn of random conversations: $name', (way) => {
    let searches = 0;
    for (const seed of SEEDS) {
      const talk = new Talk(way, createRandom(seed));
      for (let turn = 0; turn < 8; turn++) {
        talk.exchange();
        const question = { path: way.fixtures.path, text: talk.write(false) };
        expect(talk.provider.judge(question), `seed ${seed}, turn ${turn}: ${question.text}`).toBeUndefined();
      }
      searches += talk.searches;
    }
    expect(searches).toBeGreaterThan(5 * SEEDS.length);
  });
});
