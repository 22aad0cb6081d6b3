import type { ResponseJoiner, RoundEnd, RoundFailure } from '../format/response-joiner.ts';
import type { Plan, RequestView, Turn, Usage } from '../format/view.ts';
import { type StreamEvent, type WireEvent, withData } from '../framing/wire-event.ts';
import { failResponse } from '../joining/fail-response.ts';
import type { Keep } from '../joining/keep.ts';
import { roundFailure } from '../joining/round-failure.ts';
import { type CountRules, RoundsUsage } from '../joining/rounds-usage.ts';
import type { UsageShown } from '../joining/shown-counts.ts';
import { sumCounts } from '../joining/sum-counts.ts';
import type { JsonObject } from '../json/json-splice.ts';
import { type HiddenNames, hiddenNames } from '../tools/hidden-names.ts';
import { ollama } from '../vendors/ollama.ts';
import { editLine, hideMentions, type LineChanges, numberCall, parseLine } from './edit-line.ts';
import { countMembers, NO_COUNTS, shownAfter, usageOf } from './final-counts.ts';
import { type LineReading, RoundReader } from './round-reader.ts';
import { visibleMessage } from './visible-message.ts';

/** The joiner for one exchange. */
export function joinResponses(
  view: RequestView,
  plan: Plan,
  usageShown: UsageShown = 'last',
  keep?: Keep,
): ResponseJoiner {
  return new OllamaJoiner(view, plan, usageShown, keep);
}

const NOTHING: readonly WireEvent[] = [];

/** How rounds are counted together. */
const COUNT_RULES: CountRules = { toUsage: usageOf, sum: sumCounts, show: shownAfter };

/** Members of a line whose message says nothing. */
const NO_WORDS = { content: '""', thinking: undefined, tool_calls: undefined } as const;

/** What the rounds that ended well have left. */
interface Standing {
  readonly rounds: number;
  readonly used: RoundsUsage;
  readonly hasShown: boolean;
}

/**
 * Steps of a line: 1. the reader keeps what it says and tells its searches from the client's calls; 2. searches are taken out, and the calls
 * behind them numbered anew; 3. the end of a response that searched is held, as another round may follow; 4. a line of which nothing is left
 * is dropped. A whole response is one line, which is written when everything is known.
 */
class OllamaJoiner implements ResponseJoiner {
  hasStarted = false;
  hasShown = false;
  readonly #hidden: HiddenNames;
  readonly #keep: Keep | undefined;
  readonly #wantsStream: boolean;
  /** What the upstream sends, which is not always what the client asked for. */
  #shape: 'stream' | 'whole' | undefined;
  #round: RoundReader;
  #rounds = 0;
  #turns: Turn[] = [];
  /** Of the rounds that have ended. */
  #used: RoundsUsage;
  /** The last line of a response that searched, without what it says. */
  #held: StreamEvent | undefined;
  /** Lines of nothing but probabilities of tokens, which spell out the call that may follow. */
  #spelling: StreamEvent[] = [];
  #wholeText = '';
  #error: StreamEvent | undefined;
  /** A line that is none: the last one was cut within it, any other passes on. */
  #unread: StreamEvent | undefined;
  #isBroken = false;
  #isDone = false;
  #hasEnded = false;
  #before: Standing;

  constructor(view: RequestView, plan: Plan, usageShown: UsageShown, keep: Keep | undefined) {
    this.#keep = keep;
    this.#used = new RoundsUsage(COUNT_RULES, usageShown);
    this.#hidden = hiddenNames(plan);
    this.#wantsStream = view.isStream;
    this.#round = new RoundReader(this.#hidden, this.#keep);
    this.#before = this.#standing;
  }

  get isRoundOver(): boolean {
    return this.#isDone && !this.#hasEnded;
  }

  get usage(): Usage | undefined {
    const counts = this.#hasEnded ? this.#used.total : this.#used.totalWith(this.#round.counts);
    return counts && usageOf(counts);
  }

  feed(event: WireEvent): readonly WireEvent[] {
    if (this.#hasEnded) this.#beginRound();
    const events = this.#take(event);
    this.hasStarted ||= events.length > 0;
    return events;
  }

  endRound(): RoundEnd {
    if (this.#hasEnded) this.#beginRound();
    this.#used = this.#used.after(this.#round.counts);
    this.#rounds += 1;
    this.#hasEnded = true;
    const failure = this.#findFailure();
    if (failure !== undefined) return failure;
    const turn = this.#round.turn();
    this.#turns.push(turn);
    this.#before = this.#standing;
    const { stopReason } = this.#round;
    if (turn.searches.length === 0 || turn.realCalls.length > 0) {
      return { kind: 'finished', turn, stopReason };
    }
    return this.#round.isTooLong ? roundFailure('held_too_much') : { kind: 'searching', turn };
  }

  abandonRound(): void {
    this.#rounds = this.#before.rounds;
    this.#used = this.#before.used;
    this.hasShown = this.#before.hasShown;
    this.#error = undefined;
    // The next event begins the round anew.
    this.#hasEnded = true;
  }

  get #standing(): Standing {
    return { rounds: this.#rounds, used: this.#used, hasShown: this.hasShown };
  }

  finish(): readonly WireEvent[] {
    const events: readonly WireEvent[] =
      this.#shape === 'whole' ? [{ kind: 'whole', text: this.#finishWhole() }] : this.#finishStream();
    this.hasStarted ||= events.length > 0;
    return events;
  }

  fail(failure: RoundFailure): readonly WireEvent[] {
    this.hasStarted = true;
    const isStream = this.#shape === undefined ? this.#wantsStream : this.#shape === 'stream';
    const hidden = this.#hidden;
    return failResponse({ failure, sent: this.#error, errorIn, vendor: ollama, hidden, isStream });
  }

  #beginRound(): void {
    this.#round = new RoundReader(this.#hidden, this.#keep);
    this.#held = undefined;
    this.#spelling = [];
    this.#unread = undefined;
    this.#wholeText = '';
    this.#isBroken = false;
    this.#isDone = false;
    this.#hasEnded = false;
  }

  #findFailure(): RoundFailure | undefined {
    if (this.#error !== undefined) return roundFailure('upstream_error');
    // What is no response at all is passed on as it is: the client gets what it would have got without us.
    if (this.#isBroken) {
      const isFirst = this.#rounds === 1 && !this.#mentionsSearch(this.#wholeText);
      return isFirst ? undefined : roundFailure('malformed_answer');
    }
    return this.#isDone ? undefined : roundFailure('truncated');
  }

  #take(event: WireEvent): readonly WireEvent[] {
    switch (event.kind) {
      case 'comment':
        return this.#shape === 'whole' || !this.#isPlain ? NOTHING : [event];
      case 'whole':
        return this.#takeWhole(event.text);
      case 'event':
        this.#shape ??= 'stream';
        return this.#error === undefined ? this.#takeNext(event) : NOTHING;
      default:
        return event satisfies never;
    }
  }

  #takeWhole(text: string): readonly WireEvent[] {
    // It has the shape of a last line, which stands in one line of a stream.
    const line = parseLine(text);
    if (this.#shape === 'stream') {
      return line === undefined ? NOTHING : this.#takeNext({ kind: 'event', data: JSON.stringify(line) });
    }
    this.#shape = 'whole';
    this.#wholeText = text;
    this.#isBroken = line?.message === undefined;
    this.#isDone = !this.#isBroken;
    if (line !== undefined) this.#round.take({ ...line, done: true }, text);
    return NOTHING;
  }

  #takeNext(event: StreamEvent): readonly WireEvent[] {
    const unread = this.#releaseUnread();
    const line = parseLine(event.data);
    if (line === undefined) {
      this.#unread = event;
      return unread;
    }
    if (line.error !== undefined && line.error !== null) {
      this.#error = event;
      return unread;
    }
    return unread.length === 0 ? this.#takeLine(event, line) : [...unread, ...this.#takeLine(event, line)];
  }

  #releaseUnread(): readonly WireEvent[] {
    const unread = this.#unread;
    this.#unread = undefined;
    if (unread === undefined || this.#mentionsSearch(unread.data)) return NOTHING;
    this.hasShown = true;
    return [unread];
  }

  #takeLine(sent: StreamEvent, line: JsonObject): readonly WireEvent[] {
    // 1. Keep, and tell calls apart.
    const realBefore = this.#round.realCalls;
    const reading = this.#round.take(line, sent.data);
    const isLast = line.done === true;
    this.#isDone ||= isLast;
    if (this.#shape === 'whole') {
      if (isLast) this.#wholeText = sent.data;
      return NOTHING;
    }
    const event = withData(sent, hideMentions(sent.data, this.#hidden));
    if (this.#isSpelling(line, reading, isLast)) {
      this.#spelling.push(event);
      return NOTHING;
    }
    const spelling = this.#releaseSpelling(reading);
    // 2. Take searches out.
    const changes = this.#changesTo(line, reading, realBefore);
    // 3. Hold the end.
    const isHeld = isLast && !this.#isPlain;
    if (isHeld) this.#held = withData(event, editLine(event.data, { root: changes.root, message: NO_WORDS }));
    // 4. Drop what says nothing any more.
    const says = reading.hasWords || reading.calls.length > 0;
    this.hasShown ||= says;
    if (!says && (isHeld || reading.hasSearches)) return spelling;
    const root = isHeld
      ? { ...changes.root, ...NO_COUNTS, done: 'false', done_reason: undefined }
      : changes.root;
    return [...spelling, withData(event, editLine(event.data, { ...changes, root }))];
  }

  #changesTo(
    line: JsonObject,
    { calls, hasSearches }: LineReading,
    realBefore: number,
  ): Required<LineChanges> {
    const isNumbered = hasSearches || this.#round.hasSearches;
    const numbered = isNumbered ? calls.map((call, index) => numberCall(call, realBefore + index)) : calls;
    const isChanged = hasSearches || numbered.some((call, index) => call !== calls[index]);
    return {
      root: hasSearches && line.logprobs !== undefined ? { logprobs: undefined } : {},
      message: isChanged ? { tool_calls: calls.length > 0 ? `[${numbered.join(',')}]` : undefined } : {},
    };
  }

  /** Whether a line has probabilities of tokens, and no word that they belong to. */
  #isSpelling(
    { logprobs }: JsonObject,
    { calls, hasSearches, hasWords }: LineReading,
    isLast: boolean,
  ): boolean {
    const isEmpty = !hasWords && !hasSearches && calls.length === 0;
    return !this.#hidden.isEmpty && isEmpty && !isLast && Array.isArray(logprobs);
  }

  /** Those of a search are dropped, and so are those of its end, which follow it. */
  #releaseSpelling({ hasWords, calls }: LineReading): readonly StreamEvent[] {
    const spelling = this.#spelling;
    this.#spelling = [];
    return this.#round.hasSearches && !hasWords && calls.length === 0 ? [] : spelling;
  }

  #finishStream(): readonly WireEvent[] {
    if (this.#held === undefined) return NOTHING;
    const root = this.#used.shown === undefined ? {} : countMembers(this.#used.shown);
    return [withData(this.#held, editLine(this.#held.data, { root }))];
  }

  #finishWhole(): string {
    const clean = hideMentions(this.#wholeText, this.#hidden);
    const isUntouched = this.#rounds === 1 && !this.#round.hasSearches;
    if (isUntouched || this.#isBroken) return clean;
    const { content, thinking, tool_calls: calls } = visibleMessage(this.#turns);
    const shownCalls =
      Array.isArray(calls) && calls.length > 0 ? calls.map((call) => JSON.stringify(call)) : [];
    const numbered = shownCalls.map((call, index) => numberCall(call, index));
    return editLine(clean, {
      root: {
        ...(this.#used.shown !== undefined && countMembers(this.#used.shown)),
        // They spell out the searches, and are those of the last round alone.
        logprobs: undefined,
      },
      message: {
        content: JSON.stringify(content),
        ...(typeof thinking === 'string' && { thinking: JSON.stringify(thinking) }),
        tool_calls: numbered.length > 0 ? `[${numbered.join(',')}]` : undefined,
      },
    });
  }

  /** Whether nothing of this exchange is hidden so far. */
  get #isPlain(): boolean {
    return this.#rounds === 0 && !this.#round.hasSearches;
  }

  #mentionsSearch(text: string): boolean {
    return this.#hidden.areIn(text);
  }
}

/** The error of a refusal in one line, whatever line breaks the upstream has in it. */
function errorIn(body: string): string | undefined {
  const line = parseLine(body);
  return typeof line?.error === 'string' ? JSON.stringify(line) : undefined;
}
