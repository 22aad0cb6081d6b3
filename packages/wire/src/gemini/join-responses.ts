import type { JoinResponses, RoundFailure } from '../format/response-joiner.ts';
import { type StreamEvent, type WireEvent, withData } from '../framing/wire-event.ts';
import { CHUNK_START, type ChunkState, chunkFailure, takeNext } from '../joining/chunk-state.ts';
import { failResponse } from '../joining/fail-response.ts';
import { type Keep, keepUpTo } from '../joining/keep.ts';
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
import { memberOf, parseObject } from '../json/json-members.ts';
import { isJsonObject, type JsonObject, type MemberChanges } from '../json/json-splice.ts';
import { parseJson } from '../json/parse-json.ts';
import { type HiddenNames, hiddenNames } from '../tools/hidden-names.ts';
import { gemini as vendor } from '../vendors/gemini.ts';
import { candidateOf, editResponse } from './edit-chunk.ts';
import { hideMentions } from './hide-mentions.ts';
import { joinWhole, NOTHING_SAID, WITHOUT_TOKENS } from './join-whole.ts';
import { textOrNone } from './read-contents.ts';
import { isBlocked, type ReadPart, RoundReader } from './round-reader.ts';
import { countTokens, hasCounts, showUsage, sumUsage } from './usage.ts';

/** The joiner for one exchange. */
export const joinResponses: JoinResponses = (view, plan, usageShown = 'last', keep) => {
  const hidden = hiddenNames(plan);
  return new RoundJoiner<GenerationState>(new GenerationReducer(hidden, keep), {
    ...startOfExchange(view, COUNT_RULES, usageShown),
    ...ROUND_START,
    reader: new RoundReader(hidden, keep),
    held: [],
    keepHeld: keepUpTo(TAIL_CHARS),
    responseId: undefined,
    firstBody: undefined,
    wholeParts: [],
    hasSentStop: false,
  });
};

/** How rounds are counted together. */
const COUNT_RULES: CountRules = { toUsage: countTokens, sum: sumUsage, show: showUsage };

/** Characters of what is held at the end of a stream. */
const TAIL_CHARS = 1024 * 1024;
/** Characters that an event takes besides its text. */
const EVENT_CHARS = 500;

interface GenerationState extends ChunkState {
  readonly reader: RoundReader;
  /** The first response's id, as JSON. */
  readonly responseId: string | undefined;
  /** Whole responses: the first, and the parts of all that have ended. */
  readonly firstBody: string | undefined;
  readonly wholeParts: readonly string[];
  readonly hasSentStop: boolean;
  /** The end of the current round, as far as it has come and not been given out. It grows in place. */
  readonly held: StreamEvent[];
  readonly keepHeld: Keep;
  readonly hasLostHeld: boolean;
}

const ROUND_START = { ...CHUNK_START, hasLostHeld: false } as const;

/**
 * Steps of a chunk: 1. the reader keeps it and tells which parts are for the client; 2. the end of a response that searched is held, as another round
 * may follow; 3. searches are taken out, and the first round's identity put in; 4. a chunk that has nothing left is dropped.
 */
class GenerationReducer implements RoundReducer<GenerationState> {
  readonly #hidden: HiddenNames;
  readonly #keep: Keep | undefined;

  constructor(hidden: HiddenNames, keep: Keep | undefined) {
    this.#hidden = hidden;
    this.#keep = keep;
  }

  begin(left: GenerationState): GenerationState {
    const reader = new RoundReader(this.#hidden, this.#keep);
    return { ...left, ...ROUND_START, reader, held: [], keepHeld: this.#keep ?? keepUpTo(TAIL_CHARS) };
  }

  takeEvent(state: GenerationState, event: StreamEvent): Step<GenerationState> {
    return takeNext(state, event, this.#hidden, this.#takeEvent);
  }

  /** A whole response in a stream is one chunk of it. */
  takeWhole(state: GenerationState, body: string): Step<GenerationState> {
    if (!state.isWhole) return this.takeEvent(state, { kind: 'event', data: body });
    const response = parseObject(body);
    const isBroken = response === undefined || (candidateOf(response) === undefined && !isBlocked(response));
    if (!isBroken) state.reader.takeWhole(response, body);
    return { state: { ...state, body, firstBody: state.firstBody ?? body, isBroken }, events: NOTHING };
  }

  /** A stream has no terminal event: usage may follow the reason why it ended. */
  isOver({ reader, hasLostHeld }: GenerationState): boolean {
    return reader.calls.isOverfull || hasLostHeld;
  }

  end(state: GenerationState): EndedRound<GenerationState> | RoundFailure {
    const { reader, hasSentStop, isWhole, body } = state;
    const { stopReason, isTooLong } = reader;
    const isComplete = isWhole ? body !== '' : reader.isComplete;
    const failure = chunkFailure(state, this.#hidden, { isOverfull: this.isOver(state), isComplete });
    if (failure !== undefined) return failure;
    // With all tools in its sight, the model would have called what there is.
    const isOurFault = !this.#hidden.isEmpty && reader.isAstray && !state.hasShown;
    if (isOurFault) return roundFailure('malformed_answer');
    const said = reader.turn();
    const isSearching = said.searches.length > 0 && said.realCalls.length === 0 && !hasSentStop;
    if (isSearching && isTooLong) return roundFailure('held_too_much');
    // A response that was not kept whole cannot be put back either.
    const turn = hasSentStop || isTooLong ? { ...said, searches: [] } : said;
    const wholeParts = isWhole ? [...state.wholeParts, ...reader.visibleParts()] : [];
    return { kind: 'ended', state: { ...state, wholeParts }, turn, stopReason };
  }

  finish(state: GenerationState): readonly WireEvent[] {
    return state.isWhole ? [{ kind: 'whole', text: this.#finishWhole(state) }] : state.held;
  }

  fail({ error: sent, isWhole }: GenerationState, failure: RoundFailure): readonly WireEvent[] {
    return failResponse({ failure, sent, errorIn, vendor, hidden: this.#hidden, isStream: !isWhole });
  }

  readonly #takeEvent = (state: GenerationState, sent: StreamEvent): Step<GenerationState> => {
    const event = withData(sent, hideMentions(sent.data, this.#hidden));
    const chunk = parseObject(event.data);
    if (chunk === undefined) return { state: { ...state, unread: event }, events: NOTHING };
    if (isError(chunk)) return { state: { ...state, error: event }, events: NOTHING };
    return state.isWhole ? { state, events: NOTHING } : this.#takeChunk(state, event, chunk);
  };

  #takeChunk(before: GenerationState, event: StreamEvent, chunk: JsonObject): Step<GenerationState> {
    // 1. Keep, and decide about the parts.
    const parts = before.reader.takeChunk(chunk, event.data);
    const visible = parts.filter(({ kind }) => kind !== 'search');
    const candidate = candidateOf(chunk);
    const isStop = textOrNone(candidate?.finishReason) !== undefined || isBlocked(chunk);
    const shows = visible.some(isShown);
    const isClear = isPlain(before);
    const state = withState(before, {
      responseId: before.responseId ?? memberOf(event.data, 'responseId'),
      hasShown: before.hasShown || shows,
      hasSentStop: before.hasSentStop || (isClear && isStop),
    });
    if (isClear) return { state, events: [event] };
    // 2. and 3. The end waits, and what says something does not.
    const root = rootChanges(state, chunk);
    const says = shows || visible.some(isNews);
    const held =
      isStop || candidate === undefined ? hold(state, endOf(state, event, root, says ? [] : visible)) : state;
    // 4.
    if (candidate === undefined || !(says || isGrounded(candidate))) return { state: held, events: NOTHING };
    const isPart = isStop || visible.length < parts.length;
    const change = isPart
      ? { root, candidate: WITHOUT_END, parts: visible.map(({ text }) => text) }
      : { root };
    return { state: held, events: [withData(event, editResponse(event.data, change))] };
  }

  #finishWhole({ body, firstBody, rounds, reader, wholeParts, used }: GenerationState): string {
    const text = hideMentions(body, this.#hidden);
    if (rounds === 1 && !reader.calls.hasSearches) return text;
    const usage = rounds === 1 ? undefined : used.shownWith(reader.usage);
    return joinWhole(text, { first: firstBody!, parts: wholeParts, usage: usage && JSON.stringify(usage) });
  }
}

function hold(state: GenerationState, event: StreamEvent): GenerationState {
  if (state.hasLostHeld || !state.keepHeld(event.data.length + EVENT_CHARS))
    return { ...state, hasLostHeld: true };
  state.held.push(event);
  return state;
}

/** The chunk that ends the response, with those of its parts that have not been given out. */
function endOf(
  { reader }: GenerationState,
  event: StreamEvent,
  root: MemberChanges,
  left: readonly ReadPart[],
) {
  const parts = left.length === 0 ? [NOTHING_SAID] : left.map(({ text }) => text);
  const candidate = reader.calls.hasSearches ? { finishMessage: undefined, ...WITHOUT_TOKENS } : {};
  return withData(event, editResponse(event.data, { root, candidate, parts }));
}

function rootChanges({ rounds, responseId, used }: GenerationState, chunk: JsonObject): MemberChanges {
  if (rounds === 1) return {};
  const { usageMetadata } = chunk;
  return {
    ...(responseId !== undefined && { responseId }),
    ...('promptFeedback' in chunk && !isBlocked(chunk) && { promptFeedback: undefined }),
    ...(hasCounts(usageMetadata) && { usageMetadata: JSON.stringify(used.shownWith(usageMetadata)) }),
  };
}

/** Whether nothing of this exchange is hidden so far. */
function isPlain({ rounds, reader }: GenerationState): boolean {
  return rounds === 1 && !reader.calls.hasSearches;
}

/** The error of a refusal. A stream is refused by a list of one. */
function errorIn(body: string): string | undefined {
  const parsed = parseJson(body);
  const [only = parsed] = Array.isArray(parsed) ? (parsed as unknown[]) : [];
  if (!isJsonObject(only) || !isJsonObject(only.error)) return undefined;
  return only === parsed ? body : JSON.stringify(only);
}

/** Changes of a candidate that take the end out of it. */
const WITHOUT_END = { finishReason: undefined, finishMessage: undefined, ...WITHOUT_TOKENS } as const;

/** Whether a client sees anything of a part: a signature and an empty text do not show. */
function isShown({ value }: ReadPart): boolean {
  return !isJsonObject(value) || value.text !== '';
}

/** Whether a part has to reach the client, be it a signature alone. */
function isNews({ value }: ReadPart): boolean {
  return !isJsonObject(value) || value.text !== '' || Object.keys(value).length > 1;
}

/** Whether a candidate says something beside its content. */
function isGrounded(candidate: JsonObject): boolean {
  return GROUNDS.some((member) => candidate[member] !== undefined);
}

const GROUNDS = ['groundingMetadata', 'citationMetadata', 'urlContextMetadata', 'safetyRatings'];

function isError({ error, candidates }: JsonObject): boolean {
  return error !== undefined && error !== null && !Array.isArray(candidates);
}
