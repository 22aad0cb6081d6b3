import type { AnswerJoiner, RoundEnd, RoundFailure } from '../format.ts';
import { isJsonObject, type JsonObject } from '../json-splice.ts';
import { parseJson } from '../parse-json.ts';
import { roundFailure } from '../round-failure.ts';
import { type StreamEvent, type WireEvent, writeComment, writeEvent } from '../sse.ts';
import { sumCounts } from '../sum-counts.ts';
import type { Plan, RequestView, Usage } from '../view.ts';
import { type ChunkChanges, chunkFromWhole, deltaOf, editChunk, hasNews, rawMembers } from './edit-chunk.ts';
import { errorBody } from './error-body.ts';
import { HeldEnd } from './held-end.ts';
import { joinWhole, type WholeRound } from './join-whole.ts';
import { objectsIn, textOrNone } from './read-message.ts';
import { RoundWatcher } from './round-watcher.ts';

/** The joiner for one exchange. */
export function joinResponses(view: RequestView, plan: Plan): AnswerJoiner {
  return new ChatJoiner(view, plan);
}

/** Stop reasons that promise a call. */
const CALLING_REASONS: ReadonlySet<string> = new Set(['tool_calls', 'function_call']);

/**
 * Steps of a chunk: 1. the watcher keeps what it says and tells which calls are for the client; 2. the end of an answer
 * that searched is held, as another round may follow; 3. what was ours is taken out, and the first round's identity put
 * in; 4. a chunk of which nothing is left is dropped.
 */
class ChatJoiner implements AnswerJoiner {
  hasStarted = false;
  readonly #searchToolName: string | undefined;
  /** The client did not ask for usage, but we did. */
  readonly #hidesUsage: boolean;
  readonly #wantsStream: boolean;
  /** What the upstream sends, which is not always what the client asked for. */
  #shape: 'stream' | 'whole' | undefined;
  #round: RoundWatcher;
  #rounds = 0;
  /** The usage of the rounds that have ended. */
  #totals: JsonObject | undefined;
  /** Id and time of the first round, as JSON. */
  #identity: Readonly<Record<string, string>> | undefined;
  #wholeRounds: WholeRound[] = [];
  #wholeText = '';
  #held = new HeldEnd();
  #hasSentRole = false;
  #hasSentStop = false;
  #error: StreamEvent | undefined;
  #unread: StreamEvent | undefined;
  /** A whole body that is no answer. */
  #isBroken = false;
  #isDone = false;
  #hasEnded = false;

  constructor(view: RequestView, plan: Plan) {
    this.#searchToolName = plan.searchTool?.name;
    this.#hidesUsage = view.isStream && !view.wantsUsage && plan.searchTool !== undefined;
    this.#wantsStream = view.isStream;
    this.#round = new RoundWatcher(this.#searchToolName, 0);
  }

  get usage(): Usage | undefined {
    const counts = this.#hasEnded ? this.#totals : this.#sum(this.#round.usage);
    if (counts === undefined) return undefined;
    return { inputTokens: count(counts.prompt_tokens), outputTokens: count(counts.completion_tokens) };
  }

  feed(event: WireEvent): string {
    if (this.#hasEnded) this.#beginRound();
    const text = this.#take(event);
    this.hasStarted ||= text !== '';
    return text;
  }

  endRound(): RoundEnd {
    // A body without a single event is a round all the same.
    if (this.#hasEnded) this.#beginRound();
    this.#held.lateCalls = this.#round.calls.settle();
    this.#totals = this.#sum(this.#round.usage);
    this.#rounds += 1;
    this.#hasEnded = true;
    const failure = this.#findFailure();
    if (failure !== undefined) return failure;
    const turn = this.#round.turn();
    this.#wholeRounds.push({ text: this.#wholeText, turn });
    const { stopReason } = this.#round;
    if (turn.searches.length === 0 || turn.realCalls.length > 0 || this.#hasSentStop) {
      return { kind: 'finished', turn: this.#hasSentStop ? { ...turn, searches: [] } : turn, stopReason };
    }
    return this.#round.isTooLong ? roundFailure('held_too_much') : { kind: 'searching', turn };
  }

  finish(): string {
    const text =
      this.#shape === 'whole' ? this.#finishWhole() : this.#held.write(this.#identity, this.#trueReason);
    this.hasStarted ||= text !== '';
    return text;
  }

  fail({ message }: RoundFailure): string {
    const isOurs = this.#error === undefined || this.#mentionsSearch(this.#error.data);
    const event = isOurs ? { data: errorBody({ status: 502, message }) } : this.#error!;
    this.hasStarted = true;
    const isStream = this.#shape === undefined ? this.#wantsStream : this.#shape === 'stream';
    return isStream ? writeEvent(event) : event.data;
  }

  #beginRound(): void {
    this.#round = new RoundWatcher(this.#searchToolName, this.#rounds);
    this.#held = new HeldEnd();
    this.#hasEnded = false;
    this.#isDone = false;
    this.#isBroken = false;
    this.#unread = undefined;
    this.#wholeText = '';
  }

  #findFailure(): RoundFailure | undefined {
    if (this.#error !== undefined) return roundFailure('upstream_error');
    // What is no answer at all is passed on as it is: the client gets what it would have got without us.
    if (this.#isBroken) return this.#rounds === 1 ? undefined : roundFailure('malformed_answer');
    return this.#isDone || this.#round.stopReason !== undefined ? undefined : roundFailure('truncated');
  }

  #take(event: WireEvent): string {
    switch (event.kind) {
      case 'comment':
        return this.#shape === 'whole' ? '' : writeComment(event.text);
      case 'whole':
        return this.#takeWhole(event.text);
      case 'event':
        this.#shape ??= 'stream';
        return this.#error === undefined ? this.#releaseUnread() + this.#takeEvent(event) : '';
      default:
        return event satisfies never;
    }
  }

  #takeWhole(text: string): string {
    const answer = parseObject(text);
    if (this.#shape === 'stream' && answer !== undefined) {
      const data = JSON.stringify(chunkFromWhole(answer));
      this.#isDone = true;
      return this.#takeEvent({ kind: 'event', name: undefined, id: undefined, data });
    }
    this.#shape ??= 'whole';
    this.#wholeText = text;
    this.#isBroken = answer === undefined || !this.#round.takeWhole(answer, text);
    this.#isDone = !this.#isBroken;
    return '';
  }

  #takeEvent(event: StreamEvent): string {
    if (event.data.trim() === '[DONE]') return this.#takeDone(event);
    const chunk = parseObject(event.data);
    if (chunk === undefined) {
      this.#unread = event;
      return '';
    }
    if (isError(event, chunk)) {
      this.#error = event;
      return '';
    }
    return this.#takeChunk(event, chunk);
  }

  /** What is no chunk passes on as it is, unless it is the last: then the stream was cut within it. */
  #releaseUnread(): string {
    const unread = this.#unread;
    this.#unread = undefined;
    return unread === undefined || this.#mentionsSearch(unread.data) ? '' : writeEvent(unread);
  }

  #takeDone(event: StreamEvent): string {
    this.#isDone = true;
    if (this.#isPlain && this.#hasSentStop) return writeEvent(event);
    this.#held.done = event;
    return '';
  }

  #takeChunk(event: StreamEvent, chunk: JsonObject): string {
    // 1. Keep, and decide about the calls.
    const visibleCalls = this.#round.takeChunk(chunk, event.data);
    this.#identity ??= identityOf(chunk, event.data);
    const choice = objectsIn(chunk.choices)[0];
    if (choice === undefined) return this.#takeUsageChunk(event, chunk);
    const changes = this.#changesTo(chunk, visibleCalls);
    const isStop = textOrNone(choice.finish_reason) !== undefined;
    // 2. The end of an answer that searched waits.
    const isHeld = isStop && !this.#isPlain;
    if (isHeld) this.#held.stop = { ...event, data: editChunk(event.data, onlyStop(changes)) };
    else if (isStop) this.#hasSentStop = true;
    // 3. and 4.
    const isSent = (isStop && !isHeld) || this.#hasLeft(chunk, visibleCalls, isHeld);
    if (!isSent) return '';
    this.#hasSentRole ||= deltaOf(chunk).role !== undefined;
    return writeEvent({ ...event, data: editChunk(event.data, isHeld ? withoutStop(changes) : changes) });
  }

  /** A chunk without a choice: the usage of a stream, or what Azure says about the prompt. */
  #takeUsageChunk(event: StreamEvent, chunk: JsonObject): string {
    if (!isJsonObject(chunk.usage)) return this.#rounds === 0 ? writeEvent(event) : '';
    if (this.#hidesUsage) return '';
    const edited = { ...event, data: editChunk(event.data, this.#changesTo(chunk, [])) };
    if (this.#isPlain && this.#hasSentStop) return writeEvent(edited);
    this.#held.usage = edited;
    return '';
  }

  #changesTo(chunk: JsonObject, visibleCalls: readonly string[]): ChunkChanges {
    const delta = deltaOf(chunk);
    const isLater = this.#rounds > 0;
    const usage = isJsonObject(chunk.usage) ? this.#sum(chunk.usage) : undefined;
    const calls = visibleCalls.length > 0 ? `[${visibleCalls.join(',')}]` : undefined;
    const hasCalls = calls !== undefined || Array.isArray(delta.tool_calls);
    return {
      root: {
        ...(isLater && this.#identity),
        ...(this.#totals !== undefined && usage !== undefined && { usage: JSON.stringify(usage) }),
        ...(this.#hidesUsage && chunk.usage === null && { usage: undefined }),
      },
      delta: {
        ...(isLater && this.#hasSentRole && 'role' in delta && { role: undefined }),
        ...(hasCalls && this.#searchToolName !== undefined && { tool_calls: calls }),
      },
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
    if (isUntouched) return this.#wholeText;
    return joinWhole(this.#wholeRounds, { usage: this.#totals, stopReason: this.#trueReason });
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

  #sum(usage: JsonObject | undefined): JsonObject | undefined {
    if (usage === undefined || this.#totals === undefined) return usage ?? this.#totals;
    return sumCounts(this.#totals, usage);
  }

  #mentionsSearch(text: string): boolean {
    return this.#searchToolName !== undefined && text.includes(this.#searchToolName);
  }
}

/** What makes of a chunk one that only stops. */
function onlyStop(changes: ChunkChanges): ChunkChanges {
  return { root: changes.root, choice: { delta: '{}' } };
}

/** What takes the stop out of a chunk, and the usage that goes with it. */
function withoutStop({ root, delta }: ChunkChanges): ChunkChanges {
  return { root: { ...root, usage: undefined }, choice: { finish_reason: 'null' }, delta };
}

/** Some servers name the event, some send an object, some a text; null beside choices is none. */
function isError({ name }: StreamEvent, { error, choices }: JsonObject): boolean {
  return name === 'error' || (error !== undefined && error !== null && !Array.isArray(choices));
}

function identityOf(chunk: JsonObject, text: string): Readonly<Record<string, string>> | undefined {
  return textOrNone(chunk.id) === undefined ? undefined : rawMembers(text, ['id', 'created']);
}

function count(tokens: unknown): number {
  return typeof tokens === 'number' ? tokens : 0;
}

function parseObject(text: string): JsonObject | undefined {
  const parsed = parseJson(text);
  return isJsonObject(parsed) ? parsed : undefined;
}
