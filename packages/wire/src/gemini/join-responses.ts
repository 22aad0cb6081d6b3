import type { ResponseJoiner, RoundEnd, RoundFailure } from '../format/response-joiner.ts';
import type { Plan, RequestView, Usage } from '../format/view.ts';
import { type StreamEvent, type WireEvent, withData } from '../framing/wire-event.ts';
import { failResponse } from '../joining/fail-response.ts';
import { type Keep, keepUpTo } from '../joining/keep.ts';
import { roundFailure } from '../joining/round-failure.ts';
import { type CountRules, RoundsUsage } from '../joining/rounds-usage.ts';
import type { UsageShown } from '../joining/shown-counts.ts';
import { isJsonObject, type JsonObject } from '../json/json-splice.ts';
import { parseJson } from '../json/parse-json.ts';
import { type HiddenNames, hiddenNames } from '../tools/hidden-names.ts';
import { gemini as vendor } from '../vendors/gemini.ts';
import { candidateOf, editResponse, type ResponseChanges, rawMember } from './edit-chunk.ts';
import { hideMentions } from './hide-mentions.ts';
import { joinWhole, NOTHING_SAID, WITHOUT_TOKENS } from './join-whole.ts';
import { textOrNone } from './read-contents.ts';
import { isBlocked, type ReadPart, RoundReader } from './round-reader.ts';
import { countTokens, hasCounts, showUsage, sumUsage } from './usage.ts';

/** The joiner for one exchange. */
export function joinResponses(
  view: RequestView,
  plan: Plan,
  usageShown: UsageShown = 'last',
  keep?: Keep,
): ResponseJoiner {
  return new GenerationJoiner(view, plan, usageShown, keep);
}

const NOTHING: readonly WireEvent[] = [];

/** How rounds are counted together. */
const COUNT_RULES: CountRules = { toUsage: countTokens, sum: sumUsage, show: showUsage };

/** Characters of what is held at the end of a stream. */
const TAIL_CHARS = 1024 * 1024;

/** What an event takes beside its text, as characters. */
const EVENT_CHARS = 500;

/**
 * Steps of a chunk: 1. the reader keeps what it says and tells which parts are for the client; 2. the end of a response that searched is held,
 * as another round may follow; 3. what was ours is taken out, and the first round's identity put in; 4. a chunk of which nothing is left is
 * dropped.
 */
class GenerationJoiner implements ResponseJoiner {
  hasStarted = false;
  hasShown = false;
  readonly #wantsStream: boolean;
  readonly #hidden: HiddenNames;
  readonly #keep: Keep | undefined;
  /** What the upstream sends, which is not always what the client asked for. */
  #shape: 'stream' | 'whole' | undefined;
  #round: RoundReader;
  #rounds = 0;
  /** Of the rounds that have ended. */
  #used: RoundsUsage;
  /** The first response's id, as JSON. */
  #responseId: string | undefined;
  /** Whole responses: the first and the current one, empty until it is there, and what those before it said. */
  #firstText: string | undefined;
  #wholeText = '';
  #wholeParts: readonly string[] = [];
  /** The end of the current round, as far as it has come and not been given out. */
  #held: StreamEvent[] = [];
  #keepHeld: Keep;
  #hasLostHeld = false;
  #hasSentStop = false;
  #error: StreamEvent | undefined;
  #unread: StreamEvent | undefined;
  /** A whole body that is no response. */
  #isBroken = false;
  #hasEnded = false;
  /** What a round that is abandoned goes back to. */
  #before: BeforeRound;

  constructor(view: RequestView, plan: Plan, usageShown: UsageShown, keep: Keep | undefined) {
    this.#keep = keep;
    this.#keepHeld = keep ?? keepUpTo(TAIL_CHARS);
    this.#wantsStream = view.isStream;
    this.#hidden = hiddenNames(plan);
    this.#used = new RoundsUsage(COUNT_RULES, usageShown);
    this.#round = new RoundReader(this.#hidden, keep);
    this.#before = this.#standing;
  }

  /** A stream has no terminal event: usage may follow the reason why it ended. */
  get isRoundOver(): boolean {
    return (this.#round.calls.isOverfull || this.#hasLostHeld) && !this.#hasEnded;
  }

  get usage(): Usage | undefined {
    const counts = this.#hasEnded ? this.#used.total : this.#used.totalWith(this.#round.usage);
    return counts && countTokens(counts);
  }

  feed(event: WireEvent): readonly WireEvent[] {
    if (this.#hasEnded) this.#beginRound();
    const events = this.#take(event);
    this.hasStarted ||= events.length > 0;
    return events;
  }

  endRound(): RoundEnd {
    // A body without a single event is a round all the same.
    if (this.#hasEnded) this.#beginRound();
    this.#used = this.#used.after(this.#round.usage);
    this.#rounds += 1;
    this.#hasEnded = true;
    const failure = this.#findFailure();
    if (failure !== undefined) return failure;
    const turn = this.#round.turn();
    if (this.#shape === 'whole') this.#wholeParts = [...this.#wholeParts, ...this.#round.visibleParts()];
    this.#before = this.#standing;
    const { stopReason } = this.#round;
    if (turn.searches.length === 0 || turn.realCalls.length > 0 || this.#hasSentStop) {
      // What was not kept whole cannot be put back either.
      const isForgotten = this.#hasSentStop || this.#round.isTooLong;
      return { kind: 'finished', turn: isForgotten ? { ...turn, searches: [] } : turn, stopReason };
    }
    return this.#round.isTooLong ? roundFailure('held_too_much') : { kind: 'searching', turn };
  }

  abandonRound(): void {
    this.#rounds = this.#before.rounds;
    this.#used = this.#before.used;
    this.hasShown = this.#before.hasShown;
    this.#wholeParts = this.#before.wholeParts;
    this.#error = undefined;
    this.#held = [];
    // The next event begins the round anew.
    this.#hasEnded = true;
  }

  get #standing(): BeforeRound {
    return {
      rounds: this.#rounds,
      used: this.#used,
      hasShown: this.hasShown,
      wholeParts: this.#wholeParts,
    };
  }

  finish(): readonly WireEvent[] {
    const events: readonly WireEvent[] =
      this.#shape === 'whole' ? [{ kind: 'whole', text: this.#finishWhole() }] : this.#held;
    this.hasStarted ||= events.length > 0;
    return events;
  }

  fail(failure: RoundFailure): readonly WireEvent[] {
    this.hasStarted = true;
    const isStream = this.#shape === undefined ? this.#wantsStream : this.#shape === 'stream';
    const hidden = this.#hidden;
    return failResponse({ failure, sent: this.#error, errorIn, vendor, hidden, isStream });
  }

  #beginRound(): void {
    this.#round = new RoundReader(this.#hidden, this.#keep);
    this.#held = [];
    this.#keepHeld = this.#keep ?? keepUpTo(TAIL_CHARS);
    this.#hasLostHeld = false;
    this.#hasEnded = false;
    this.#isBroken = false;
    this.#wholeText = '';
    this.#unread = undefined;
  }

  #findFailure(): RoundFailure | undefined {
    if (this.#error !== undefined) return roundFailure('upstream_error');
    if (this.#round.calls.isOverfull || this.#hasLostHeld) return roundFailure('held_too_much');
    // What is no response at all is passed on as it is: the client gets what it would have got without us.
    if (this.#isBroken) {
      const isFirst = this.#rounds === 1 && !this.#mentionsSearch(this.#wholeText);
      return isFirst ? undefined : roundFailure('malformed_answer');
    }
    // With all tools in its sight, the model would have called what there is.
    const isOurFault = !this.#hidden.isEmpty && this.#round.isAstray && !this.hasShown;
    if (isOurFault) return roundFailure('malformed_answer');
    const isWhole = this.#shape === 'whole' ? this.#wholeText !== '' : this.#round.isComplete;
    return isWhole ? undefined : roundFailure('truncated');
  }

  #take(event: WireEvent): readonly WireEvent[] {
    switch (event.kind) {
      case 'comment':
        return this.#shape === 'whole' ? NOTHING : [event];
      case 'whole':
        return this.#takeWhole(event.text);
      case 'event':
        this.#shape ??= 'stream';
        return this.#error === undefined ? this.#takeNext(event) : NOTHING;
      default:
        return event satisfies never;
    }
  }

  /** A whole response in a stream is one chunk of it. */
  #takeWhole(text: string): readonly WireEvent[] {
    if (this.#shape === 'stream') return this.#takeNext({ kind: 'event', data: text });
    const response = parseObject(text);
    this.#shape ??= 'whole';
    this.#wholeText = text;
    this.#firstText ??= text;
    this.#isBroken = response === undefined || (candidateOf(response) === undefined && !isBlocked(response));
    if (!this.#isBroken) this.#round.takeWhole(response!, text);
    return NOTHING;
  }

  #takeNext(event: StreamEvent): readonly WireEvent[] {
    const unread = this.#releaseUnread();
    return unread.length === 0 ? this.#takeEvent(event) : [...unread, ...this.#takeEvent(event)];
  }

  #takeEvent(sent: StreamEvent): readonly WireEvent[] {
    const clean = hideMentions(sent.data, this.#hidden);
    const event = clean === sent.data ? sent : withData(sent, clean);
    const chunk = parseObject(event.data);
    if (chunk === undefined) {
      this.#unread = event;
      return NOTHING;
    }
    if (isError(chunk)) {
      this.#error = event;
      return NOTHING;
    }
    return this.#shape === 'whole' ? NOTHING : this.#takeChunk(event, chunk);
  }

  /** What is no chunk passes on as it is, unless it is the last: then the stream was cut within it. */
  #releaseUnread(): readonly WireEvent[] {
    const unread = this.#unread;
    this.#unread = undefined;
    if (unread === undefined || this.#mentionsSearch(unread.data)) return NOTHING;
    this.hasShown = true;
    return [unread];
  }

  #takeChunk(event: StreamEvent, chunk: JsonObject): readonly WireEvent[] {
    // 1. Keep, and decide about the parts.
    const parts = this.#round.takeChunk(chunk, event.data);
    this.#responseId ??= rawMember(event.data, 'responseId');
    const visible = parts.filter(({ kind }) => kind !== 'search');
    const candidate = candidateOf(chunk);
    const isStop = textOrNone(candidate?.finishReason) !== undefined || isBlocked(chunk);
    const shows = visible.some(isShown);
    this.hasShown ||= shows;
    if (this.#isPlain) {
      this.#hasSentStop ||= isStop;
      return [event];
    }
    // 2. and 3. The end waits, and what says something does not.
    const root = this.#rootChanges(chunk);
    if (isStop || candidate === undefined) this.#hold(this.#endOf(event, { root, visible, shows }));
    if (candidate === undefined) return NOTHING;
    // 4.
    if (!shows && !visible.some(isNews) && !isGrounded(candidate)) return NOTHING;
    if (!isStop && visible.length === parts.length)
      return [withData(event, editResponse(event.data, { root }))];
    const change: ResponseChanges = { root, candidate: WITHOUT_END, parts: visible.map(({ text }) => text) };
    return [withData(event, editResponse(event.data, change))];
  }

  #hold(event: StreamEvent): void {
    this.#hasLostHeld ||= !this.#keepHeld(event.data.length + EVENT_CHARS);
    if (!this.#hasLostHeld) this.#held.push(event);
  }

  /** The chunk that ends the response, without what has been given out of it. */
  #endOf(event: StreamEvent, { root, visible, shows }: HeldEnd): StreamEvent {
    const isGiven = shows || visible.some(isNews);
    const parts = isGiven || visible.length === 0 ? [NOTHING_SAID] : visible.map(({ text }) => text);
    const hides = this.#round.calls.hasSearches;
    const candidate = hides ? { finishMessage: undefined, ...WITHOUT_TOKENS } : {};
    return withData(event, editResponse(event.data, { root, candidate, parts }));
  }

  #rootChanges(chunk: JsonObject): Record<string, string | undefined> {
    const { usageMetadata } = chunk;
    const isLater = this.#rounds > 0;
    return {
      ...(isLater && this.#responseId !== undefined && { responseId: this.#responseId }),
      ...(isLater && 'promptFeedback' in chunk && !isBlocked(chunk) && { promptFeedback: undefined }),
      ...(isLater &&
        hasCounts(usageMetadata) && { usageMetadata: JSON.stringify(this.#used.shownWith(usageMetadata)) }),
    };
  }

  #finishWhole(): string {
    const text = hideMentions(this.#wholeText, this.#hidden);
    if (this.#rounds === 1 && !this.#round.calls.hasSearches) return text;
    return joinWhole(text, {
      first: this.#firstText!,
      parts: this.#wholeParts,
      usage:
        this.#rounds === 1 || this.#used.shown === undefined ? undefined : JSON.stringify(this.#used.shown),
    });
  }

  /** Whether nothing of this exchange is hidden so far. */
  get #isPlain(): boolean {
    return this.#rounds === 0 && !this.#round.calls.hasSearches;
  }

  #mentionsSearch(text: string): boolean {
    return this.#hidden.areIn(text);
  }
}

/** The error of a refusal. A stream is refused by a list of one. */
function errorIn(body: string): string | undefined {
  const parsed = parseJson(body);
  const [only = parsed] = Array.isArray(parsed) ? (parsed as unknown[]) : [];
  if (!isJsonObject(only) || !isJsonObject(only.error)) return undefined;
  return only === parsed ? body : JSON.stringify(only);
}

/** What the rounds that ended well have left. */
interface BeforeRound {
  readonly rounds: number;
  readonly used: RoundsUsage;
  readonly hasShown: boolean;
  readonly wholeParts: readonly string[];
}

/** What becomes of the end of a response. */
interface HeldEnd {
  readonly root: ResponseChanges['root'];
  readonly visible: readonly ReadPart[];
  readonly shows: boolean;
}

/** What takes the end out of a chunk. */
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

function parseObject(text: string): JsonObject | undefined {
  const parsed = parseJson(text);
  return isJsonObject(parsed) ? parsed : undefined;
}
