import type { JoinResponses, RoundFailure } from '../format/response-joiner.ts';
import type { Turn } from '../format/view.ts';
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
import { sumCounts } from '../joining/sum-counts.ts';
import { parseObject } from '../json/json-members.ts';
import type { JsonObject } from '../json/json-splice.ts';
import { type HiddenNames, hiddenNames } from '../tools/hidden-names.ts';
import { ollama } from '../vendors/ollama.ts';
import { editLine, hideMentions, type LineChanges, numberCall } from './edit-line.ts';
import { countMembers, NO_COUNTS, shownAfter, usageOf } from './final-counts.ts';
import { type LineReading, RoundReader } from './round-reader.ts';
import { visibleMessage } from './visible-message.ts';

/** The joiner for one exchange. */
export const joinResponses: JoinResponses = (view, plan, usageShown = 'last', keep) => {
  const hidden = hiddenNames(plan);
  return new RoundJoiner(new OllamaReducer(hidden, keep), {
    ...startOfExchange(view, COUNT_RULES, usageShown),
    ...ROUND_START,
    reader: new RoundReader(hidden, keep),
    spelling: [],
    turns: [],
  });
};

/** How rounds are counted together. */
const COUNT_RULES: CountRules = { toUsage: usageOf, sum: sumCounts, show: shownAfter };

/** Members of a line whose message says nothing. */
const NO_WORDS = { content: '""', thinking: undefined, tool_calls: undefined } as const;

interface OllamaState extends ChunkState {
  readonly reader: RoundReader;
  readonly turns: readonly Turn[];
  readonly isDone: boolean;
  /** The last line of a response that searched, without its words. */
  readonly held: StreamEvent | undefined;
  /** The latest lines that have probabilities of tokens alone, which spell out the call that may follow. They grow in place. */
  readonly spelling: StreamEvent[];
}

const ROUND_START = { ...CHUNK_START, isDone: false, held: undefined } as const;

/**
 * Steps of a line: 1. the reader keeps it and tells its searches from the client's calls; 2. searches are taken out, and later calls numbered anew;
 * 3. the end of a response that searched is held, as another round may follow; 4. a line that has nothing left is dropped. A whole response is one
 * line, which is written when everything is known.
 */
class OllamaReducer implements RoundReducer<OllamaState> {
  readonly #hidden: HiddenNames;
  readonly #keep: Keep | undefined;

  constructor(hidden: HiddenNames, keep: Keep | undefined) {
    this.#hidden = hidden;
    this.#keep = keep;
  }

  begin(left: OllamaState): OllamaState {
    return { ...left, ...ROUND_START, reader: new RoundReader(this.#hidden, this.#keep), spelling: [] };
  }

  passesComments(state: OllamaState): boolean {
    return isPlain(state);
  }

  takeEvent(state: OllamaState, event: StreamEvent): Step<OllamaState> {
    return takeNext(state, event, this.#hidden, this.#takeEvent);
  }

  takeWhole(state: OllamaState, text: string): Step<OllamaState> {
    // It has the shape of a last line, which stands in one line of a stream.
    const line = parseObject(text);
    if (!state.isWhole) {
      if (line === undefined) return { state, events: NOTHING };
      return this.takeEvent(state, { kind: 'event', data: JSON.stringify(line) });
    }
    if (line !== undefined) state.reader.take({ ...line, done: true }, text);
    const isBroken = line?.message === undefined;
    return { state: { ...state, body: text, isBroken, isDone: !isBroken }, events: NOTHING };
  }

  isOver({ isDone }: OllamaState): boolean {
    return isDone;
  }

  end(state: OllamaState): EndedRound<OllamaState> | RoundFailure {
    const { reader, isDone, turns } = state;
    const failure = chunkFailure(state, this.#hidden, { isOverfull: false, isComplete: isDone });
    if (failure !== undefined) return failure;
    const turn = reader.turn();
    const isSearching = turn.searches.length > 0 && turn.realCalls.length === 0;
    if (isSearching && reader.isTooLong) return roundFailure('held_too_much');
    return {
      kind: 'ended',
      state: { ...state, turns: [...turns, turn] },
      turn,
      stopReason: reader.stopReason,
    };
  }

  finish(state: OllamaState): readonly WireEvent[] {
    const { isWhole, held } = state;
    if (isWhole) return [{ kind: 'whole', text: this.#finishWhole(state) }];
    return held ? [withData(held, editLine(held.data, { root: shownCountsOf(state) }))] : NOTHING;
  }

  fail({ error: sent, isWhole }: OllamaState, failure: RoundFailure): readonly WireEvent[] {
    const hidden = this.#hidden;
    return failResponse({ failure, sent, errorIn, vendor: ollama, hidden, isStream: !isWhole });
  }

  readonly #takeEvent = (state: OllamaState, sent: StreamEvent): Step<OllamaState> => {
    const line = parseObject(sent.data);
    if (line === undefined) return { state: { ...state, unread: sent }, events: NOTHING };
    const isError = line.error !== undefined && line.error !== null;
    return isError
      ? { state: { ...state, error: sent }, events: NOTHING }
      : this.#takeLine(state, sent, line);
  };

  #takeLine(before: OllamaState, sent: StreamEvent, line: JsonObject): Step<OllamaState> {
    // 1. Keep, and tell calls apart.
    const { reader } = before;
    const realBefore = reader.realCalls;
    const reading = reader.take(line, sent.data);
    const isLast = line.done === true;
    const state = isLast ? { ...before, isDone: true } : before;
    if (state.isWhole) return { state: isLast ? { ...state, body: sent.data } : state, events: NOTHING };
    const event = withData(sent, hideMentions(sent.data, this.#hidden));
    if (!this.#hidden.isEmpty && !isLast && isSpelling(line, reading)) {
      state.spelling.push(event);
      return { state, events: NOTHING };
    }
    const spelling = spellingToPass(state, reading);
    // 2. Take searches out.
    const changes = changesTo(reader, line, reading, realBefore);
    // 3. Hold the end.
    const isHeld = isLast && !isPlain(state);
    const held = isHeld ? withData(event, withoutWords(event.data, changes)) : state.held;
    // 4. Drop what says nothing any more.
    const says = reading.hasWords || reading.calls.length > 0;
    const left = state.spelling.length === 0 ? state.spelling : [];
    const next = withState(state, { spelling: left, held, hasShown: state.hasShown || says });
    if (!says && (isHeld || reading.hasSearches)) return { state: next, events: spelling };
    const shown = isHeld ? { ...changes, root: { ...changes.root, ...NOT_LAST } } : changes;
    return { state: next, events: [...spelling, withData(event, editLine(event.data, shown))] };
  }

  #finishWhole(state: OllamaState): string {
    const { body, rounds, reader, isBroken, turns } = state;
    const clean = hideMentions(body, this.#hidden);
    if (isBroken || (rounds === 1 && !reader.hasSearches)) return clean;
    const { content, thinking, tool_calls: calls } = visibleMessage(turns);
    const shown = Array.isArray(calls) ? calls.map((call) => JSON.stringify(call)) : [];
    const numbered = shown.map(numberCall);
    return editLine(clean, {
      // Probabilities of tokens spell out the searches, and are those of the last round alone.
      root: { ...shownCountsOf(state), logprobs: undefined },
      message: {
        content: JSON.stringify(content),
        ...(typeof thinking === 'string' && { thinking: JSON.stringify(thinking) }),
        tool_calls: numbered.length > 0 ? `[${numbered.join(',')}]` : undefined,
      },
    });
  }
}

/** Changes of a last line that is not the last any more. */
const NOT_LAST = { ...NO_COUNTS, done: 'false', done_reason: undefined } as const;

/** The end of a response: a last line that says nothing. */
function withoutWords(line: string, { root }: Required<LineChanges>): string {
  return editLine(line, { root, message: NO_WORDS });
}

/** Whether nothing of this exchange is hidden so far. */
function isPlain({ rounds, reader }: OllamaState): boolean {
  return rounds === 1 && !reader.hasSearches;
}

function changesTo(
  reader: RoundReader,
  line: JsonObject,
  { calls, hasSearches }: LineReading,
  realBefore: number,
): Required<LineChanges> {
  const numbered = reader.hasSearches ? calls.map((call, at) => numberCall(call, realBefore + at)) : calls;
  const isChanged = hasSearches || numbered.some((call, index) => call !== calls[index]);
  return {
    root: hasSearches && line.logprobs !== undefined ? { logprobs: undefined } : {},
    message: isChanged ? { tool_calls: calls.length > 0 ? `[${numbered.join(',')}]` : undefined } : {},
  };
}

/** Whether a line has probabilities of tokens, and no word that they belong to. */
function isSpelling({ logprobs }: JsonObject, { calls, hasSearches, hasWords }: LineReading): boolean {
  return !hasWords && !hasSearches && calls.length === 0 && Array.isArray(logprobs);
}

/** The held probabilities that pass: those of a search are dropped, and so are those of its end, which follow it. */
function spellingToPass({ reader, spelling }: OllamaState, { hasWords, calls }: LineReading) {
  return reader.hasSearches && !hasWords && calls.length === 0 ? [] : spelling;
}

/** The counts of all rounds as members of a line. */
function shownCountsOf({ used, reader }: OllamaState) {
  const shown = used.shownWith(reader.usage);
  return shown === undefined ? {} : countMembers(shown);
}

/** The error of a refusal in one line, whatever line breaks the upstream has in it. */
function errorIn(body: string): string | undefined {
  const line = parseObject(body);
  return typeof line?.error === 'string' ? JSON.stringify(line) : undefined;
}
