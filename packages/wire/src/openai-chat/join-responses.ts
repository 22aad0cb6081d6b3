import type { JoinResponses, RoundFailure } from '../format/response-joiner.ts';
import type { RequestView } from '../format/view.ts';
import { type StreamEvent, type WireEvent, withData } from '../framing/wire-event.ts';
import { CHUNK_START, type ChunkState, chunkFailure, takeNext } from '../joining/chunk-state.ts';
import { failResponse } from '../joining/fail-response.ts';
import type { Keep } from '../joining/keep.ts';
import { roundFailure } from '../joining/round-failure.ts';
import {
  type EndedRound,
  NOTHING,
  RoundJoiner,
  type RoundReducer,
  type Step,
  startOfExchange,
  withState,
} from '../joining/round-joiner.ts';
import type { CountRules } from '../joining/rounds-usage.ts';
import { shownCounts } from '../joining/shown-counts.ts';
import { sumCounts } from '../joining/sum-counts.ts';
import { parseObject } from '../json/json-members.ts';
import { isJsonObject, type JsonObject, type MemberChanges } from '../json/json-splice.ts';
import { type HiddenNames, hiddenNames } from '../tools/hidden-names.ts';
import { openai } from '../vendors/openai.ts';
import { countTokens } from './count-tokens.ts';
import {
  type ChunkChanges,
  chunkFromWhole,
  deltaOf,
  editChunk,
  hasNews,
  hasVisibleNews,
  type Identity,
  identityOf,
  onlyStop,
  withoutStop,
  writeCallsChunk,
} from './edit-chunk.ts';
import { hideMentions } from './hide-mentions.ts';
import { joinWhole, type WholeRound } from './join-whole.ts';
import { objectsIn, textOrNone } from './read-message.ts';
import { groqUsage, RoundReader, type VisibleCalls } from './round-reader.ts';

/** The joiner for one exchange. */
export const joinResponses: JoinResponses = (view, plan, usageShown = 'last', keep) => {
  const hidden = hiddenNames(plan);
  return new RoundJoiner(new ChatReducer(hidden, view, keep), {
    ...startOfExchange(view, COUNT_RULES, usageShown),
    ...ROUND_START,
    reader: new RoundReader(hidden, 0, keep),
    identity: undefined,
    wholeRounds: [],
    hasSentRole: false,
    hasSentStop: false,
  });
};

/** How rounds are counted together. */
const COUNT_RULES: CountRules = { toUsage: countTokens, sum: sumCounts, show: shownCounts };

interface ChatState extends ChunkState {
  readonly reader: RoundReader;
  /** Of the first round. */
  readonly identity: Identity | undefined;
  readonly wholeRounds: readonly WholeRound[];
  readonly hasSentRole: boolean;
  readonly hasSentStop: boolean;
  readonly isDone: boolean;
  readonly held: HeldEnd;
}

/** The end of a stream, as far as it has come and not been given out. */
interface HeldEnd {
  /** Calls that were decided only at the end, of a stream that gave no stop reason. */
  readonly lateCalls?: readonly string[];
  readonly stop?: StreamEvent;
  readonly usage?: StreamEvent;
  readonly done?: StreamEvent;
}

const ROUND_START = { ...CHUNK_START, isDone: false, held: {} as HeldEnd } as const;

const NO_CALLS: VisibleCalls = { parts: [], areAsSent: true };

/**
 * Steps of a chunk: 1. the reader keeps it and tells which calls are for the client; 2. the end of a response that searched is held, as another
 * round may follow; 3. searches are taken out, and the first round's identity put in; 4. a chunk that has nothing left is dropped.
 */
class ChatReducer implements RoundReducer<ChatState> {
  readonly #hidden: HiddenNames;
  readonly #keep: Keep | undefined;
  /** The client did not ask for usage, but we did. */
  readonly #hidesUsage: boolean;

  constructor(hidden: HiddenNames, { isStream, wantsUsage }: RequestView, keep: Keep | undefined) {
    this.#hidden = hidden;
    this.#keep = keep;
    this.#hidesUsage = isStream && !wantsUsage && !hidden.isEmpty;
  }

  begin(left: ChatState): ChatState {
    return { ...left, ...ROUND_START, reader: new RoundReader(this.#hidden, left.rounds, this.#keep) };
  }

  takeEvent(state: ChatState, event: StreamEvent): Step<ChatState> {
    return takeNext(state, event, this.#hidden, this.#takeEvent);
  }

  takeWhole(state: ChatState, text: string): Step<ChatState> {
    const response = parseObject(text);
    if (!state.isWhole && response !== undefined) {
      const data = JSON.stringify(chunkFromWhole(response));
      return this.#takeEvent({ ...state, isDone: true }, { kind: 'event', data });
    }
    const isDone = response !== undefined && state.reader.takeWhole(response, text);
    return { state: { ...state, body: text, isBroken: !isDone, isDone }, events: NOTHING };
  }

  isOver({ isDone, reader }: ChatState): boolean {
    return isDone || reader.calls.isOverfull;
  }

  end(state: ChatState): EndedRound<ChatState> | RoundFailure {
    const { reader, hasSentStop, body } = state;
    const { stopReason, calls } = reader;
    const lateCalls = calls.settle();
    const isComplete = state.isDone || stopReason !== undefined;
    const failure = chunkFailure(state, this.#hidden, { isOverfull: calls.isOverfull, isComplete });
    if (failure !== undefined) return failure;
    const said = reader.turn();
    const turn = hasSentStop ? { ...said, searches: [] } : said;
    const isSearching = turn.searches.length > 0 && turn.realCalls.length === 0;
    if (isSearching && reader.isTooLong) return roundFailure('held_too_much');
    const wholeRounds = [...state.wholeRounds, { text: body, turn: said }];
    return {
      kind: 'ended',
      state: { ...state, wholeRounds, held: { ...state.held, lateCalls } },
      turn,
      stopReason,
    };
  }

  finish(state: ChatState): readonly WireEvent[] {
    if (state.isWhole) return [{ kind: 'whole', text: this.#finishWhole(state) }];
    const { lateCalls = [], stop, usage, done } = state.held;
    const late =
      lateCalls.length === 0
        ? undefined
        : ({ kind: 'event', data: writeCallsChunk(state.identity, lateCalls) } as const);
    const ended = stop && withData(stop, editChunk(stop.data, { choice: trueReason(state.reader) }));
    return [late, ended, usage, done].filter((event) => event !== undefined);
  }

  fail({ error: sent, isWhole }: ChatState, failure: RoundFailure): readonly WireEvent[] {
    const hidden = this.#hidden;
    return failResponse({ failure, sent, errorIn, vendor: openai, hidden, isStream: !isWhole });
  }

  readonly #takeEvent = (state: ChatState, sent: StreamEvent): Step<ChatState> => {
    if (sent.data.trim() === '[DONE]') return takeDone({ ...state, isDone: true }, sent);
    const event = withData(sent, hideMentions(sent.data, this.#hidden));
    const chunk = parseObject(event.data);
    if (chunk === undefined) return { state: { ...state, unread: event }, events: NOTHING };
    if (isError(event, chunk)) return { state: { ...state, error: event }, events: NOTHING };
    return this.#takeChunk(state, event, chunk);
  };

  #takeChunk(before: ChatState, event: StreamEvent, chunk: JsonObject): Step<ChatState> {
    // 1. Keep, and decide about the calls.
    const visibleCalls = before.reader.takeChunk(chunk, event.data);
    const state = before.identity ? before : { ...before, identity: identityOf(chunk, event.data) };
    const choice = objectsIn(chunk.choices)[0];
    if (choice === undefined) return this.#takeUsageChunk(state, event, chunk);
    const changes = this.#changesTo(state, chunk, visibleCalls);
    const isStop = textOrNone(choice.finish_reason) !== undefined;
    // 2. The end of a response that searched waits.
    const isHeld = isStop && !isPlain(state);
    const stop = isHeld ? withData(event, editChunk(event.data, onlyStop(changes))) : undefined;
    const held = stop ? { ...state.held, stop } : state.held;
    // 3. and 4.
    const isSent = (isStop && !isHeld) || hasLeft(state, chunk, visibleCalls.parts, isHeld);
    if (!isSent) return { state: withState(state, { held }), events: NOTHING };
    const next = withState(state, {
      held,
      hasSentStop: state.hasSentStop || (isStop && !isHeld),
      hasSentRole: state.hasSentRole || deltaOf(chunk).role !== undefined,
      hasShown: state.hasShown || visibleCalls.parts.length > 0 || hasVisibleNews(chunk),
    });
    const edited = editChunk(event.data, isHeld ? withoutStop(changes) : changes);
    return { state: next, events: [withData(event, edited)] };
  }

  /** A chunk without a choice: the usage of a stream, or Azure's remarks on the prompt. */
  #takeUsageChunk(state: ChatState, event: StreamEvent, chunk: JsonObject): Step<ChatState> {
    if (!isJsonObject(chunk.usage)) return { state, events: state.rounds === 1 ? [event] : NOTHING };
    if (this.#hidesUsage) return { state, events: NOTHING };
    const usage = withData(event, editChunk(event.data, this.#changesTo(state, chunk, NO_CALLS)));
    if (isPlain(state) && state.hasSentStop) return { state, events: [usage] };
    return { state: { ...state, held: { ...state.held, usage } }, events: NOTHING };
  }

  #changesTo(state: ChatState, chunk: JsonObject, { parts, areAsSent }: VisibleCalls): ChunkChanges {
    const { used, identity } = state;
    const delta = deltaOf(chunk);
    const isLater = state.rounds > 1;
    const hasUsed = used.shown !== undefined;
    const groq = hasUsed ? groqUsage(chunk) : undefined;
    const calls = parts.length > 0 ? `[${parts.join(',')}]` : undefined;
    const hasCalls = calls !== undefined || Array.isArray(delta.tool_calls);
    // Probabilities of tokens spell out the search.
    const isHiding =
      objectsIn(delta.tool_calls).length > parts.length ||
      (state.reader.calls.hasSearches && !hasVisibleNews(chunk));
    const keepsCalls = areAsSent && (calls !== undefined || isPlain(state));
    return {
      root: {
        ...(isLater && identity),
        ...(hasUsed && isJsonObject(chunk.usage) && { usage: JSON.stringify(used.shownWith(chunk.usage)) }),
        ...(groq && {
          x_groq: JSON.stringify({ ...(chunk.x_groq as JsonObject), usage: used.shownWith(groq) }),
        }),
        ...(this.#hidesUsage && chunk.usage === null && { usage: undefined }),
      },
      choice: isHiding && objectsIn(chunk.choices)[0]?.logprobs ? { logprobs: 'null' } : {},
      delta: {
        ...(isLater && state.hasSentRole && 'role' in delta && { role: undefined }),
        ...(hasCalls && !keepsCalls && !this.#hidden.isEmpty && { tool_calls: calls }),
      },
    };
  }

  #finishWhole({ rounds, wholeRounds, reader, used, body }: ChatState): string {
    const hasSearched = reader.calls.searches.length > 0;
    if (rounds === 1 && !hasSearched) return hideMentions(body, this.#hidden);
    // Probabilities of tokens spell out the search.
    const spells = hasSearched && Boolean(objectsIn(parseObject(body)?.choices)[0]?.logprobs);
    const choice = { ...trueReason(reader), ...(spells && { logprobs: 'null' }) };
    const joined = joinWhole(wholeRounds, used.shownWith(reader.usage), choice);
    return hideMentions(joined, this.#hidden);
  }
}

/** The end of a stream; it is held where the end of its response is. */
function takeDone(state: ChatState, done: StreamEvent): Step<ChatState> {
  if (isPlain(state) && state.hasSentStop) return { state, events: [done] };
  return { state: { ...state, held: { ...state.held, done } }, events: NOTHING };
}

/** Whether nothing of this exchange is hidden so far. */
function isPlain({ rounds, reader }: ChatState): boolean {
  return rounds === 1 && !reader.calls.hasSearches;
}

/** Whether anything is left of a chunk that searches, repeats the role or has lost its stop; others stay as they are. */
function hasLeft(
  { rounds, hasSentRole }: ChatState,
  chunk: JsonObject,
  calls: readonly string[],
  hasLostStop: boolean,
) {
  const { tool_calls, role, ...rest } = deltaOf(chunk);
  const repeatsRole = role !== undefined && rounds > 1;
  const isTouched = hasLostStop || repeatsRole || objectsIn(tool_calls).length > 0;
  const isFirstRole = role !== undefined && !hasSentRole;
  return !isTouched || calls.length > 0 || isFirstRole || hasNews(rest);
}

/** Stop reasons that promise a call. */
const CALLING_REASONS: ReadonlySet<string> = new Set(['tool_calls', 'function_call']);

/** The stop reason, as a change of the choice, where the upstream's promises a call that the client does not get. */
function trueReason({ stopReason, calls }: RoundReader): MemberChanges {
  const promises = stopReason !== undefined && CALLING_REASONS.has(stopReason);
  return promises && calls.realCalls.length === 0 ? { finish_reason: '"stop"' } : {};
}

/** The error of a refusal. */
function errorIn(body: string): string | undefined {
  return isJsonObject(parseObject(body)?.error) ? body : undefined;
}

/** Some servers name the event, some send an object, some a text; null beside choices is none. */
function isError({ name }: StreamEvent, { error, choices }: JsonObject): boolean {
  return name === 'error' || (error !== undefined && error !== null && !Array.isArray(choices));
}
