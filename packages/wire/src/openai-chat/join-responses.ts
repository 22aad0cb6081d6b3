import type { ResponseJoiner, RoundEnd, RoundFailure } from '../format/format.ts';
import type { Plan, RequestView, Usage } from '../format/view.ts';
import { type StreamEvent, type WireEvent, withData } from '../framing/wire-event.ts';
import { failResponse } from '../joining/fail-response.ts';
import type { Keep } from '../joining/keep.ts';
import { roundFailure } from '../joining/round-failure.ts';
import { type CountRules, RoundsUsage } from '../joining/rounds-usage.ts';
import { shownCounts, type UsageShown } from '../joining/shown-counts.ts';
import { sumCounts } from '../joining/sum-counts.ts';
import { isJsonObject, type JsonObject } from '../json/json-splice.ts';
import { parseJson } from '../json/parse-json.ts';
import { type HiddenNames, hiddenNames } from '../tools/hidden-names.ts';
import { openai } from '../vendors/openai.ts';
import { countTokens } from './count-tokens.ts';
import { type ChunkChanges, chunkFromWhole, deltaOf, editChunk, hasNews, rawMembers } from './edit-chunk.ts';
import { hideMentions } from './hide-mentions.ts';
import { joinWhole, type WholeRound } from './join-whole.ts';
import { objectsIn, textOrNone } from './read-message.ts';
import { groqUsage, RoundReader, type VisibleCalls } from './round-reader.ts';
import { StreamEnd } from './stream-end.ts';

/** The joiner for one exchange. */
export function joinResponses(
  view: RequestView,
  plan: Plan,
  usageShown: UsageShown = 'last',
  keep?: Keep,
): ResponseJoiner {
  return new ChatJoiner(view, plan, usageShown, keep);
}

const NOTHING: readonly WireEvent[] = [];

/** How rounds are counted together. */
const COUNT_RULES: CountRules = { sum: sumCounts, show: shownCounts };

/** Stop reasons that promise a call. */
const CALLING_REASONS: ReadonlySet<string> = new Set(['tool_calls', 'function_call']);

/**
 * Steps of a chunk: 1. the reader keeps what it says and tells which calls are for the client; 2. the end of a response
 * that searched is held, as another round may follow; 3. what was ours is taken out, and the first round's identity put
 * in; 4. a chunk of which nothing is left is dropped.
 */
class ChatJoiner implements ResponseJoiner {
  hasStarted = false;
  hasShown = false;
  readonly #hidden: HiddenNames;
  /** The client did not ask for usage, but we did. */
  readonly #hidesUsage: boolean;
  readonly #wantsStream: boolean;
  readonly #keep: Keep | undefined;
  /** What the upstream sends, which is not always what the client asked for. */
  #shape: 'stream' | 'whole' | undefined;
  #round: RoundReader;
  #rounds = 0;
  /** Of the rounds that have ended. */
  #used: RoundsUsage;
  /** Id and time of the first round, as JSON. */
  #identity: Readonly<Record<string, string>> | undefined;
  #wholeRounds: WholeRound[] = [];
  #wholeText = '';
  #held = new StreamEnd();
  #hasSentRole = false;
  #hasSentStop = false;
  #error: StreamEvent | undefined;
  #unread: StreamEvent | undefined;
  /** A whole body that is no response. */
  #isBroken = false;
  #isDone = false;
  #hasEnded = false;
  /** What a round that is abandoned goes back to. */
  #before: BeforeRound;

  constructor(view: RequestView, plan: Plan, usageShown: UsageShown, keep: Keep | undefined) {
    this.#keep = keep;
    this.#used = new RoundsUsage(COUNT_RULES, usageShown);
    this.#hidden = hiddenNames(plan);
    this.#hidesUsage = view.isStream && !view.wantsUsage && !this.#hidden.isEmpty;
    this.#wantsStream = view.isStream;
    this.#round = new RoundReader(this.#hidden, 0, keep);
    this.#before = this.#standing;
  }

  get isRoundOver(): boolean {
    return (this.#isDone || this.#round.calls.isOverfull) && !this.#hasEnded;
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
    this.#held.lateCalls = this.#round.calls.settle();
    this.#used = this.#used.after(this.#round.usage);
    this.#rounds += 1;
    this.#hasEnded = true;
    const failure = this.#findFailure();
    if (failure !== undefined) return failure;
    const turn = this.#round.turn();
    this.#wholeRounds.push({ text: this.#wholeText, turn });
    this.#before = this.#standing;
    const { stopReason } = this.#round;
    if (turn.searches.length === 0 || turn.realCalls.length > 0 || this.#hasSentStop) {
      return { kind: 'finished', turn: this.#hasSentStop ? { ...turn, searches: [] } : turn, stopReason };
    }
    return this.#round.isTooLong ? roundFailure('held_too_much') : { kind: 'searching', turn };
  }

  abandonRound(): void {
    this.#rounds = this.#before.rounds;
    this.#used = this.#before.used;
    this.#hasSentRole = this.#before.hasSentRole;
    this.hasShown = this.#before.hasShown;
    this.#error = undefined;
    this.#held = new StreamEnd();
    // The next event begins the round anew.
    this.#hasEnded = true;
  }

  get #standing(): BeforeRound {
    return {
      rounds: this.#rounds,
      used: this.#used,
      hasSentRole: this.#hasSentRole,
      hasShown: this.hasShown,
    };
  }

  finish(): readonly WireEvent[] {
    const events: readonly WireEvent[] =
      this.#shape === 'whole'
        ? [{ kind: 'whole', text: this.#finishWhole() }]
        : this.#held.events(this.#identity, this.#trueReason);
    this.hasStarted ||= events.length > 0;
    return events;
  }

  fail(failure: RoundFailure): readonly WireEvent[] {
    this.hasStarted = true;
    const isStream = this.#shape === undefined ? this.#wantsStream : this.#shape === 'stream';
    const hidden = this.#hidden;
    return failResponse({ failure, sent: this.#error, errorIn, vendor: openai, hidden, isStream });
  }

  #beginRound(): void {
    this.#round = new RoundReader(this.#hidden, this.#rounds, this.#keep);
    this.#held = new StreamEnd();
    this.#hasEnded = false;
    this.#isDone = false;
    this.#isBroken = false;
    this.#unread = undefined;
    this.#wholeText = '';
  }

  #findFailure(): RoundFailure | undefined {
    if (this.#error !== undefined) return roundFailure('upstream_error');
    if (this.#round.calls.isOverfull) return roundFailure('held_too_much');
    // What is no response at all is passed on as it is: the client gets what it would have got without us.
    if (this.#isBroken) {
      const isFirst = this.#rounds === 1 && !this.#mentionsSearch(this.#wholeText);
      return isFirst ? undefined : roundFailure('malformed_answer');
    }
    return this.#isDone || this.#round.stopReason !== undefined ? undefined : roundFailure('truncated');
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

  #takeWhole(text: string): readonly WireEvent[] {
    const response = parseObject(text);
    if (this.#shape === 'stream' && response !== undefined) {
      const data = JSON.stringify(chunkFromWhole(response));
      this.#isDone = true;
      return this.#takeEvent({ kind: 'event', data });
    }
    this.#shape ??= 'whole';
    this.#wholeText = text;
    this.#isBroken = response === undefined || !this.#round.takeWhole(response, text);
    this.#isDone = !this.#isBroken;
    return NOTHING;
  }

  #takeNext(event: StreamEvent): readonly WireEvent[] {
    const unread = this.#releaseUnread();
    return unread.length === 0 ? this.#takeEvent(event) : [...unread, ...this.#takeEvent(event)];
  }

  #takeEvent(sent: StreamEvent): readonly WireEvent[] {
    if (sent.data.trim() === '[DONE]') return this.#takeDone(sent);
    const clean = hideMentions(sent.data, this.#hidden);
    const event = clean === sent.data ? sent : withData(sent, clean);
    const chunk = parseObject(event.data);
    if (chunk === undefined) {
      this.#unread = event;
      return NOTHING;
    }
    if (isError(event, chunk)) {
      this.#error = event;
      return NOTHING;
    }
    return this.#takeChunk(event, chunk);
  }

  /** What is no chunk passes on as it is, unless it is the last: then the stream was cut within it. */
  #releaseUnread(): readonly WireEvent[] {
    const unread = this.#unread;
    this.#unread = undefined;
    if (unread === undefined || this.#mentionsSearch(unread.data)) return NOTHING;
    this.hasShown = true;
    return [unread];
  }

  #takeDone(event: StreamEvent): readonly WireEvent[] {
    this.#isDone = true;
    if (this.#isPlain && this.#hasSentStop) return [event];
    this.#held.done = event;
    return NOTHING;
  }

  #takeChunk(event: StreamEvent, chunk: JsonObject): readonly WireEvent[] {
    // 1. Keep, and decide about the calls.
    const visibleCalls = this.#round.takeChunk(chunk, event.data);
    this.#identity ??= identityOf(chunk, event.data);
    const choice = objectsIn(chunk.choices)[0];
    if (choice === undefined) return this.#takeUsageChunk(event, chunk);
    const changes = this.#changesTo(chunk, visibleCalls);
    const isStop = textOrNone(choice.finish_reason) !== undefined;
    // 2. The end of a response that searched waits.
    const isHeld = isStop && !this.#isPlain;
    if (isHeld) this.#held.stop = withData(event, editChunk(event.data, onlyStop(changes)));
    else if (isStop) this.#hasSentStop = true;
    // 3. and 4.
    const isSent = (isStop && !isHeld) || this.#hasLeft(chunk, visibleCalls.parts, isHeld);
    if (!isSent) return NOTHING;
    this.#hasSentRole ||= deltaOf(chunk).role !== undefined;
    this.hasShown ||= visibleCalls.parts.length > 0 || hasVisibleNews(chunk);
    return [withData(event, editChunk(event.data, isHeld ? withoutStop(changes) : changes))];
  }

  /** A chunk without a choice: the usage of a stream, or what Azure says about the prompt. */
  #takeUsageChunk(event: StreamEvent, chunk: JsonObject): readonly WireEvent[] {
    if (!isJsonObject(chunk.usage)) return this.#rounds === 0 ? [event] : NOTHING;
    if (this.#hidesUsage) return NOTHING;
    const edited = withData(
      event,
      editChunk(event.data, this.#changesTo(chunk, { parts: [], areAsSent: true })),
    );
    if (this.#isPlain && this.#hasSentStop) return [edited];
    this.#held.usage = edited;
    return NOTHING;
  }

  #changesTo(chunk: JsonObject, { parts, areAsSent }: VisibleCalls): ChunkChanges {
    const delta = deltaOf(chunk);
    const isLater = this.#rounds > 0;
    const usage = isJsonObject(chunk.usage) ? this.#used.shownWith(chunk.usage) : undefined;
    const calls = parts.length > 0 ? `[${parts.join(',')}]` : undefined;
    const hasCalls = calls !== undefined || Array.isArray(delta.tool_calls);
    // Probabilities of tokens spell out the search.
    const isHiding =
      objectsIn(delta.tool_calls).length > parts.length ||
      (this.#round.calls.hasSearches && !hasVisibleNews(chunk));
    const keepsCalls = areAsSent && (calls !== undefined || this.#isPlain);
    return {
      root: {
        ...(isLater && this.#identity),
        ...(this.#used.shown !== undefined && usage !== undefined && { usage: JSON.stringify(usage) }),
        ...this.#groqChanges(chunk),
        ...(this.#hidesUsage && chunk.usage === null && { usage: undefined }),
      },
      choice: isHiding && objectsIn(chunk.choices)[0]?.logprobs ? { logprobs: 'null' } : {},
      delta: {
        ...(isLater && this.#hasSentRole && 'role' in delta && { role: undefined }),
        ...(hasCalls && !keepsCalls && !this.#hidden.isEmpty && { tool_calls: calls }),
      },
    };
  }

  #groqChanges(chunk: JsonObject): { readonly x_groq?: string } {
    const usage = this.#used.shown && groqUsage(chunk);
    if (usage === undefined) return {};
    return {
      x_groq: JSON.stringify({ ...(chunk.x_groq as JsonObject), usage: this.#used.shownWith(usage) }),
    };
  }

  /** Whether anything is left of a chunk that searches, repeats the role or has lost its stop; others stay as they are. */
  #hasLeft(chunk: JsonObject, visibleCalls: readonly string[], hasLostStop: boolean): boolean {
    const { tool_calls, role, ...rest } = deltaOf(chunk);
    const repeatsRole = role !== undefined && this.#rounds > 0;
    const isTouched = hasLostStop || repeatsRole || objectsIn(tool_calls).length > 0;
    const isFirstRole = role !== undefined && !this.#hasSentRole;
    return !isTouched || visibleCalls.length > 0 || isFirstRole || hasNews(rest);
  }

  #finishWhole(): string {
    const isUntouched =
      this.#rounds === 1 && this.#wholeRounds[0]?.turn.searches.length === 0 && !this.#hasDropped;
    if (isUntouched) return hideMentions(this.#wholeText, this.#hidden);
    const joined = joinWhole(this.#wholeRounds, { usage: this.#used.shown, stopReason: this.#trueReason });
    // Probabilities of tokens spell out the search.
    const spells = this.#hasDropped && objectsIn(parseObject(joined)?.choices)[0]?.logprobs;
    const clean = spells ? editChunk(joined, { choice: { logprobs: 'null' } }) : joined;
    return hideMentions(clean, this.#hidden);
  }

  /** The stop reason where the upstream's promises a call that the client does not get. */
  get #trueReason(): string | undefined {
    const { stopReason, calls } = this.#round;
    const promises = stopReason !== undefined && CALLING_REASONS.has(stopReason);
    return promises && calls.realCalls.length === 0 ? 'stop' : undefined;
  }

  /** Whether nothing of this exchange is hidden so far. */
  get #isPlain(): boolean {
    return this.#rounds === 0 && !this.#round.calls.hasSearches;
  }

  /** Whether searches were cut off, which are in the upstream's text but not in the turn. */
  get #hasDropped(): boolean {
    return this.#round.calls.searches.length > 0;
  }

  #mentionsSearch(text: string): boolean {
    return this.#hidden.areIn(text);
  }
}

/** The error of a refusal. */
function errorIn(body: string): string | undefined {
  return isJsonObject(parseObject(body)?.error) ? body : undefined;
}

/** What the rounds that ended well have left. */
interface BeforeRound {
  readonly rounds: number;
  readonly used: RoundsUsage;
  readonly hasSentRole: boolean;
  readonly hasShown: boolean;
}

/** Whether a chunk says anything beside its role and its calls, which are judged one by one. */
function hasVisibleNews(chunk: JsonObject): boolean {
  const { role, tool_calls, ...rest } = deltaOf(chunk);
  return hasNews(rest);
}

/** What makes of a chunk one that only stops. */
function onlyStop(changes: ChunkChanges): ChunkChanges {
  return { root: changes.root, choice: { ...changes.choice, delta: '{}' } };
}

/** What takes the stop out of a chunk, and the usage that goes with it. */
function withoutStop({ root, choice, delta }: ChunkChanges): ChunkChanges {
  return { root: { ...root, usage: undefined }, choice: { ...choice, finish_reason: 'null' }, delta };
}

/** Some servers name the event, some send an object, some a text; null beside choices is none. */
function isError({ name }: StreamEvent, { error, choices }: JsonObject): boolean {
  return name === 'error' || (error !== undefined && error !== null && !Array.isArray(choices));
}

function identityOf(chunk: JsonObject, text: string): Readonly<Record<string, string>> | undefined {
  return textOrNone(chunk.id) === undefined ? undefined : rawMembers(text, ['id', 'created']);
}

function parseObject(text: string): JsonObject | undefined {
  const parsed = parseJson(text);
  return isJsonObject(parsed) ? parsed : undefined;
}
