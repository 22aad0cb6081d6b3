import { isDeepStrictEqual } from 'node:util';
import type { MemberChanges } from '@winnow/core';
import type { JoinResponses, RoundFailure } from '../format/response-joiner.ts';
import type { Usage } from '../format/view.ts';
import { type StreamEvent, withData } from '../framing/framing.ts';
import { ChunkReducer, type ChunkState, isError } from '../joining/chunk-reducer.ts';
import type { SpokenMembers } from '../joining/hide-mentions.ts';
import { isUntouched, joinedUsage } from '../joining/part-state.ts';
import { type EndedRound, NOTHING, RoundJoiner, type Step, withState } from '../joining/round-joiner.ts';
import { plainCounts, toUsage } from '../joining/rounds-usage.ts';
import { changesTo, parseObject, withChangesAt } from '../json/json-members.ts';
import { isJsonObject, type JsonObject, objectsIn, textOrNone } from '../json/json-value.ts';
import { hiddenNames } from '../tools/hidden-names.ts';
import { openai } from '../vendors/openai.ts';
import {
  CHUNK,
  type ChunkChanges,
  calledName,
  callsEvent,
  callsOf,
  chunkFromWhole,
  contentText,
  deltaOf,
  editChunk,
  hasNews,
  hasThoughts,
  isTextSigned,
  isThoughtList,
  isThoughtPart,
  isTiedToCall,
  splitEnd,
  tiedToCall,
  withoutThoughts,
  withSeam,
} from './messages.ts';
import { groqUsage, RoundReader, type VisibleCalls } from './read-round.ts';
import { visibleMessage } from './turns.ts';

/** Creates the joiner for one exchange. */
export const joinResponses: JoinResponses = (view, plan, keep) => {
  const hidden = hiddenNames(plan, view.toolSection);
  const reducer = new ChatReducer(hidden, keep);
  const shared = reducer.start(view, plainCounts(countTokens));
  const hidesUsage = view.isStream && !view.wantsUsage && !hidden.isEmpty;
  const thoughts = { hasThoughts: false, dropsThoughts: false, isTextSigned: false, heldThoughts: {} };
  const own = { ...reducer.newRound(0), ...thoughts, hasSentRole: false, hidesUsage };
  return new RoundJoiner<ChatState>(reducer, { ...shared, ...own });
};

interface ChatState extends ChunkState {
  readonly reader: RoundReader;
  readonly hasSentRole: boolean;
  /** Whether the stream has usage that the client did not request. */
  readonly hidesUsage: boolean;
  readonly held: HeldEnd;
  /** Whether the client has reasoning that servers check, and whether that is of an earlier round. */
  readonly hasThoughts: boolean;
  readonly dropsThoughts: boolean;
  /** Whether the signature of that reasoning is a text of its own. */
  readonly isTextSigned: boolean;
  /** Blocks of reasoning that belong to a call, by field, until the client gets one. */
  readonly heldThoughts: Readonly<Record<string, readonly JsonObject[]>>;
}

/** The reasoning of a delta that the client may have. */
interface ChosenThoughts {
  readonly delta: JsonObject;
  readonly changes: MemberChanges;
  readonly members: Partial<ChatState>;
}

/** The end of a stream that has arrived but has not been sent to the client. */
interface HeldEnd {
  /** Calls that were decided only at the end of a stream without a stop reason. */
  readonly lateCalls?: readonly string[];
  readonly stop?: StreamEvent;
  readonly usage?: StreamEvent;
  readonly done?: StreamEvent;
}

/**
 * Takes a chunk in steps: 1. the reader keeps it and selects the calls for the client; 2. the end of a
 * response that searched is held, because another round may follow; 3. searches are removed, the first
 * round's identity inserted, and texts of rounds set apart; 4. a chunk without content is dropped.
 */
class ChatReducer extends ChunkReducer<ChatState> {
  protected readonly vendor = openai;
  protected override readonly identifying = ['id', 'created'];
  protected readonly spoken: SpokenMembers = {
    kept: ['choices', 'error'],
    within: ['choices', ['message', 'delta']],
    emptied: 'logprobs',
  };

  newRound(rounds: number) {
    return { held: {}, reader: new RoundReader(this.hidden, rounds, this.keep) };
  }

  /** An end marker alone completes nothing: it follows errors as well. */
  protected override isComplete({ isDone, reader }: ChatState): boolean {
    return reader.stopReason !== undefined || (isDone && reader.hasContent);
  }

  protected override isEnd({ data }: StreamEvent): boolean {
    return data.trim() === '[DONE]';
  }

  protected says(response: JsonObject): boolean {
    const choice = objectsIn(response.choices)[0];
    return [choice?.delta, choice?.message].some(
      (said) => isJsonObject(said) && (hasNews(said) || objectsIn(said.tool_calls).length > 0),
    );
  }

  /** OpenRouter ends a stream with an error by this stop reason. */
  protected override holdsError(chunk: JsonObject): boolean {
    const choice = objectsIn(chunk.choices)[0];
    return super.holdsError(chunk) || isError(choice?.error) || choice?.finish_reason === 'error';
  }

  override begin(left: ChatState): ChatState {
    return { ...super.begin(left), dropsThoughts: left.hasThoughts, heldThoughts: {} };
  }

  protected textIn({ content }: JsonObject): string {
    return contentText(content);
  }

  /** Some servers, such as llama-cpp-python, repeat a call in its older form, `function_call`. */
  protected override clean(text: string): string {
    const cleaned = super.clean(text);
    if (!cleaned.includes('"function_call"') || !this.hidden.areIn(cleaned)) return cleaned;
    const choice = objectsIn(parseObject(cleaned)?.choices)[0];
    const repeated = [choice?.delta, choice?.message].some(
      (said) =>
        isJsonObject(said) && this.hidden.meantBy(calledName({ function: said.function_call })) !== undefined,
    );
    const without = repeated ? { function_call: undefined } : undefined;
    return withChangesAt(cleaned, CHUNK, { delta: without, message: without });
  }

  protected override takeBody(state: ChatState, _: string, response: JsonObject): Step<ChatState> {
    return super.takeBody({ ...state, isDone: true }, JSON.stringify(chunkFromWhole(response)), response);
  }

  override end(state: ChatState): EndedRound<ChatState> | RoundFailure {
    const lateCalls = state.reader.calls.settle();
    return super.end({ ...state, held: { ...state.held, lateCalls } });
  }

  protected finishStream({ held, identity, reader }: ChatState): readonly StreamEvent[] {
    const { lateCalls = [], stop, usage, done } = held;
    const late = lateCalls.length > 0 ? callsEvent(identity, lateCalls) : undefined;
    const ended = stop && editChunk(stop, { choice: trueReason(reader) });
    return [late, ended, usage, done].filter((event) => event !== undefined);
  }

  /** Takes the end of a stream, which is held together with the end of its response. */
  protected override takeUnread(state: ChatState, event: StreamEvent): Step<ChatState> {
    if (!this.isEnd(event)) return super.takeUnread(state, event);
    const done = { ...state, isDone: true };
    if (isUntouched(state) && state.hasSentStop) return { state: done, events: [event] };
    return { state: { ...done, held: { ...state.held, done: event } }, events: NOTHING };
  }

  override takeEvent(state: ChatState, event: StreamEvent): Step<ChatState> {
    const { reader } = state;
    const repeated = reader.repeats.read(state, event);
    const isPlain = repeated && (repeated.filler === '' || !this.hidden.areIn(repeated.filler));
    if (isPlain && reader.takeText(repeated.text, event.data.length))
      return { state, events: [repeated.shown] };
    reader.repeats.forget();
    return super.takeEvent(state, this.#asChunk(state, event));
  }

  /** Some servers stream a response that is not cut into chunks. */
  #asChunk({ rounds }: ChatState, event: StreamEvent): StreamEvent {
    if (rounds === 1 && !this.hidden.areIn(event.data)) return event;
    const response = event.data.includes('"message"') ? parseObject(event.data) : undefined;
    const choice = objectsIn(response?.choices)[0];
    const isWhole = isJsonObject(choice?.message) && !isJsonObject(choice.delta);
    return isWhole ? withData(event, JSON.stringify(chunkFromWhole(response!))) : event;
  }

  protected takeChunk(before: ChatState, event: StreamEvent, chunk: JsonObject): Step<ChatState> {
    const step = this.#takeNewChunk(before, event, chunk);
    const [shown] = step.events;
    if (step.state === before && shown?.kind === 'event')
      before.reader.repeats.learn(before, event, chunk, shown);
    return step;
  }

  #takeNewChunk(before: ChatState, event: StreamEvent, chunk: JsonObject): Step<ChatState> {
    // 1. Keep the chunk, and select its calls.
    const visibleCalls = before.reader.takeChunk(chunk, event.data);
    const choice = objectsIn(chunk.choices)[0];
    const thoughts = this.#chooseThoughts(before, deltaOf(chunk), choice?.finish_reason);
    const { delta } = thoughts;
    const { state, seam } = this.seamBefore(withState(before, thoughts.members), contentText(delta.content));
    const changes = this.#changesTo(state, chunk, { ...visibleCalls, seam, thoughts: thoughts.changes });
    if (choice === undefined) return this.#takeUsage(state, event, chunk.usage, changes);
    const isStop = textOrNone(choice.finish_reason) !== undefined;
    // 2. Hold the end of a response that searched.
    const isHeld = isStop && !isUntouched(state);
    const ending = isHeld ? splitEnd(event, changes) : undefined;
    const held = ending ? { ...state.held, stop: ending.stop } : state.held;
    // 3. and 4. Edit the chunk, or drop it.
    const says = visibleCalls.parts.length > 0 || hasNews(delta);
    const hasRole = delta.role !== undefined;
    const mustLose =
      isHeld ||
      Object.keys(thoughts.changes).length > 0 ||
      (hasRole && state.rounds > 1) ||
      objectsIn(delta.tool_calls).length > 0;
    const isEmpty = mustLose && !says && !(hasRole && !state.hasSentRole);
    if (isEmpty && (isHeld || !isStop)) return { state: withState(state, { held }), events: NOTHING };
    const next = withState(state, {
      held,
      hasSentStop: state.hasSentStop || (isStop && !isHeld),
      hasSentRole: state.hasSentRole || hasRole,
      hasShown: state.hasShown || says,
    });
    return { state: next, events: [ending?.rest ?? editChunk(event, changes)] };
  }

  /**
   * Returns a delta with the reasoning that the client may have, and the changes that make it so. Of all rounds,
   * the client gets the blocks of one, because clients join blocks in their own ways, and servers refuse what is
   * joined. A block that belongs to a call waits for the first call that the client gets.
   */
  #chooseThoughts(state: ChatState, delta: JsonObject, finishReason: unknown): ChosenThoughts {
    const { heldThoughts, dropsThoughts, reader } = state;
    const isNone = !hasThoughts(delta) && Object.keys(heldThoughts).length === 0;
    const mayDrop = state.isTextSigned || objectsIn(delta.content).some(isThoughtPart);
    const isPlain = isNone && !(dropsThoughts && mayDrop);
    if (this.hidden.isEmpty || isPlain) return { delta, changes: {}, members: {} };
    const call = reader.calls.realCalls[0];
    const isDecided = call !== undefined || (textOrNone(finishReason) !== undefined && !reader.hasSearch);
    const base = dropsThoughts ? withoutThoughts(delta, state.isTextSigned) : delta;
    const shown: Record<string, unknown> = { ...base };
    const held: Record<string, readonly JsonObject[]> = {};
    for (const field of new Set([...Object.keys(delta), ...Object.keys(heldThoughts)])) {
      const value = delta[field];
      const blocks = [...(heldThoughts[field] ?? []), ...(isThoughtList(value) ? value : [])];
      if (blocks.length === 0) continue;
      const waiting = isDecided ? [] : blocks.filter(isTiedToCall);
      const passing = blocks.filter(
        (block) => !waiting.includes(block) && (isTiedToCall(block) || !dropsThoughts),
      );
      const isHidden = (block: JsonObject) =>
        reader.calls.searches.some(({ id }) => id === block.id) || this.hidden.areIn(String(block.id));
      if (waiting.length > 0) held[field] = waiting;
      shown[field] = passing.map((block) => (isHidden(block) ? tiedToCall(block, call?.id) : block));
      if (passing.length === 0) delete shown[field];
    }
    const fields = [...new Set([...Object.keys(delta), ...Object.keys(shown)])];
    const changed = fields.filter((field) => !isDeepStrictEqual(delta[field], shown[field]));
    return {
      delta: shown,
      changes: Object.fromEntries(changed.map((field) => [field, JSON.stringify(shown[field])])),
      members: {
        heldThoughts: held,
        hasThoughts: state.hasThoughts || hasThoughts(shown),
        isTextSigned: state.isTextSigned || isTextSigned(shown),
      },
    };
  }

  /** Takes a chunk without a choice: the usage of a stream, or Azure's filter results for the prompt. */
  #takeUsage(state: ChatState, event: StreamEvent, counts: unknown, changes: ChunkChanges): Step<ChatState> {
    if (!isJsonObject(counts)) {
      return isForeign(event)
        ? super.takeUnread(state, event)
        : { state, events: state.rounds === 1 ? [event] : NOTHING };
    }
    if (state.hidesUsage) return { state, events: NOTHING };
    const usage = editChunk(event, changes);
    if (isUntouched(state) && state.hasSentStop) return { state, events: [usage] };
    return { state: { ...state, held: { ...state.held, usage } }, events: NOTHING };
  }

  #changesTo(
    state: ChatState,
    chunk: JsonObject,
    { parts, areAsSent, seam, thoughts }: VisibleCalls & { seam: string; thoughts: MemberChanges },
  ) {
    const { used, identity, reader } = state;
    const delta = deltaOf(chunk);
    const isLater = state.rounds > 1;
    const hasUsed = used.shown !== undefined;
    const groq = hasUsed ? groqUsage(chunk) : undefined;
    const calls = parts.length > 0 ? `[${parts.join(',')}]` : undefined;
    const hasCalls = calls !== undefined || Array.isArray(delta.tool_calls);
    const keepsCalls = areAsSent && (calls !== undefined || isUntouched(state));
    const isHiding =
      objectsIn(delta.tool_calls).length > parts.length || (reader.hasSearch && !hasNews(delta));
    return {
      root: {
        ...(isLater && identity),
        ...(hasUsed && isJsonObject(chunk.usage) && { usage: JSON.stringify(used.shownWith(chunk.usage)) }),
        ...(groq && {
          x_groq: JSON.stringify({ ...(chunk.x_groq as JsonObject), usage: used.shownWith(groq) }),
        }),
        ...(state.hidesUsage && chunk.usage === null && { usage: undefined }),
      },
      choice: isHiding ? withoutTokens(chunk) : {},
      delta: {
        ...(isLater && state.hasSentRole && 'role' in delta && { role: undefined }),
        ...thoughts,
        ...(seam !== '' && { content: JSON.stringify(withSeam(delta.content, seam)) }),
        ...(hasCalls && !keepsCalls && !this.hidden.isEmpty && { tool_calls: calls }),
      },
    };
  }

  protected joinBody(state: ChatState, body: string): string {
    const { turns, reader, identity } = state;
    const response = parseObject(body);
    const own = objectsIn(response?.choices)[0]?.message;
    const joined = visibleMessage(turns);
    const noCalls = callsOf(joined).length === 0 && { tool_calls: undefined };
    // The tokens are those of the last round alone.
    const hasEarlier = isJsonObject(own) && contentText(own.content) !== contentText(joined.content);
    return withChangesAt(body, CHUNK, {
      root: { ...identity, ...joinedUsage(state, 'usage') },
      choice: { ...trueReason(reader), ...((reader.hasSearch || hasEarlier) && withoutTokens(response)) },
      message: isJsonObject(own) ? { ...changesTo(own, joined), ...noCalls } : undefined,
    });
  }
}

/** Whether an event without a choice is no chunk. At the end of a stream, it is an error in a shape of its own. */
function isForeign({ data }: StreamEvent): boolean {
  const chunk = parseObject(data);
  const isChunk =
    String(chunk?.object).startsWith('chat.completion') || 'prompt_filter_results' in (chunk ?? {});
  return !isChunk || !Array.isArray(chunk?.choices);
}

/** Stop reasons that announce a call. */
const CALLING_REASONS: ReadonlySet<string> = new Set(['tool_calls', 'function_call']);

/** Returns the changed stop reason of a response that ends for a call that the client does not see. */
function trueReason({ stopReason, calls }: RoundReader) {
  const promises = stopReason !== undefined && CALLING_REASONS.has(stopReason);
  return promises && calls.realCalls.length === 0 ? { finish_reason: '"stop"' } : {};
}

/** Returns the change that removes the token probabilities, which spell out the search, from the choice. */
function withoutTokens(response: JsonObject | undefined) {
  return objectsIn(response?.choices)[0]?.logprobs ? { logprobs: 'null' } : {};
}

/**
 * Counts the tokens of a usage. Cache reads and writes are part of the prompt's count. DeepSeek has its own
 * name for cached tokens.
 *
 * Source: https://developers.openai.com/api/docs/guides/prompt-caching,
 * https://api-docs.deepseek.com/guides/kv_cache
 */
export function countTokens(usage: JsonObject): Usage {
  const details = isJsonObject(usage.prompt_tokens_details) ? usage.prompt_tokens_details : {};
  return toUsage({
    input: usage.prompt_tokens,
    output: usage.completion_tokens,
    cachedInput: details.cached_tokens ?? usage.prompt_cache_hit_tokens,
    cacheWrite: details.cache_write_tokens,
  });
}
