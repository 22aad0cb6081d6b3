import type { MemberChanges } from '@winnow/core';
import {
  type JoinResponses,
  type Keep,
  keepUpTo,
  type RoundFailure,
  roundFailure,
} from '../format/response-joiner.ts';
import { type StreamEvent, withData } from '../framing/framing.ts';
import { ChunkReducer, type ChunkState } from '../joining/chunk-reducer.ts';
import type { SpokenMembers } from '../joining/hide-mentions.ts';
import { isUntouched, joinedUsage } from '../joining/part-state.ts';
import { type EndedRound, NOTHING, RoundJoiner, type Step, withState } from '../joining/round-joiner.ts';
import { countsByKind } from '../joining/rounds-usage.ts';
import { seamBetween } from '../joining/seam.ts';
import { withChangesAt, withMembers } from '../json/json-members.ts';
import { isJsonObject, type JsonObject, parseJson, textOrNone } from '../json/json-value.ts';
import { hiddenNames } from '../tools/hidden-names.ts';
import { gemini } from '../vendors/gemini.ts';
import { partsOf as partsIn } from './read-request.ts';
import {
  candidateOf,
  countTokens,
  hasCounts,
  isBlocked,
  partsOf as partsOfCandidate,
  type ReadPart,
  RoundReader,
  shownText,
} from './read-round.ts';

/** Creates the joiner for one exchange. */
export const joinResponses: JoinResponses = (view, plan, keep) => {
  const reducer = new GenerationReducer(hiddenNames(plan), keep);
  const rules = countsByKind(countTokens, ({ modality }) => modality);
  const shared = reducer.start(view, rules);
  return new RoundJoiner<GenerationState>(reducer, { ...shared, ...reducer.newRound(), wholeParts: [] });
};

/** Characters of the events held at the end of a stream. */
const TAIL_CHARS = 1024 * 1024;
/** The memory that an event takes in addition to its text, in characters. */
const EVENT_CHARS = 500;

/** The edited places of a response. */
const RESPONSE = { root: [], candidate: ['candidates'], content: ['candidates', 'content'] } as const;

/** Changes of a response, by place. */
type ResponseChanges = { readonly [Name in keyof typeof RESPONSE]?: MemberChanges };

/** The changes that remove the token probabilities, which spell out the search, from a candidate. */
const WITHOUT_TOKENS = { logprobsResult: undefined, avgLogprobs: undefined } as const;

/** The changes that remove the end from a candidate. */
const WITHOUT_END = { finishReason: undefined, finishMessage: undefined, ...WITHOUT_TOKENS } as const;

/** The members of a candidate that hold content in addition to its parts. */
const GROUNDS = ['groundingMetadata', 'citationMetadata', 'urlContextMetadata', 'safetyRatings'];

/** Members of which every chunk has one. */
const MEMBERS = ['candidates', 'usageMetadata', 'promptFeedback', 'responseId', 'modelVersion'];

interface GenerationState extends ChunkState {
  readonly reader: RoundReader;
  /** The parts of all whole responses that have ended. */
  readonly wholeParts: readonly string[];
  /** The events held at the end of the current round. The list grows in place. */
  readonly held: StreamEvent[];
  readonly keepHeld: Keep;
  readonly hasLostHeld: boolean;
}

/**
 * Takes a chunk in steps: 1. the reader keeps it and selects the parts for the client; 2. the end of a
 * response that searched is held, because another round may follow; 3. searches are removed, the first
 * round's identity inserted, and texts of rounds set apart; 4. a chunk without content is dropped.
 *
 * A stream has no terminal event: usage may follow the reason why it ended.
 */
class GenerationReducer extends ChunkReducer<GenerationState> {
  protected readonly vendor = gemini;
  protected override readonly identifying = ['responseId'];
  protected readonly spoken: SpokenMembers = {
    kept: ['candidates', 'error'],
    within: ['candidates', ['content']],
  };

  protected says(response: JsonObject): boolean {
    return (partsOfCandidate(candidateOf(response))?.length ?? 0) > 0;
  }

  protected textIn(message: JsonObject): string {
    return partsIn(message).map(saidIn).join('');
  }

  newRound() {
    const reader = new RoundReader(this.hidden, this.keep);
    return { reader, held: [], keepHeld: this.keep ?? keepUpTo(TAIL_CHARS), hasLostHeld: false };
  }

  /** Returns the error as an object: the refusal of a stream is a list of one error. */
  protected override errorIn(body: string): string | undefined {
    const parsed = parseJson(body);
    const [only = parsed] = Array.isArray(parsed) ? (parsed as unknown[]) : [];
    if (!isJsonObject(only) || !isJsonObject(only.error)) return undefined;
    return only === parsed ? body : JSON.stringify(only);
  }

  protected override isComplete({ isDone, reader }: GenerationState): boolean {
    return isDone || reader.isComplete;
  }

  protected override isOverfull({ reader, hasLostHeld }: GenerationState): boolean {
    return reader.memory.isOverfull || hasLostHeld;
  }

  override end(state: GenerationState): EndedRound<GenerationState> | RoundFailure {
    const end = super.end(state);
    if (end.kind === 'failed') return end;
    const { reader, isWhole, wholeParts } = state;
    // If the model had seen all tools, it would have called an existing one.
    const isOurFault = !this.hidden.isEmpty && reader.isAstray && !state.hasShown;
    if (isOurFault) return roundFailure('malformed_answer');
    const parts = isWhole ? [...wholeParts, ...setApart(reader.visibleParts(), state.textBefore)] : [];
    // A response that was not kept cannot be restored in later requests.
    const turn = reader.memory.isShort ? { ...end.turn, searches: [] } : end.turn;
    return { ...end, turn, state: { ...end.state, wholeParts: parts } };
  }

  protected finishStream({ held }: GenerationState): readonly StreamEvent[] {
    return held;
  }

  protected takeChunk(before: GenerationState, event: StreamEvent, chunk: JsonObject): Step<GenerationState> {
    if (!MEMBERS.some((member) => member in chunk)) return this.takeUnread(before, event);
    // 1. Keep the chunk, and select its parts.
    const parts = before.reader.takeChunk(chunk, event.data);
    const visible = parts.filter(({ kind }) => kind !== 'search');
    const candidate = candidateOf(chunk);
    const isStop = textOrNone(candidate?.finishReason) !== undefined || isBlocked(chunk);
    const shows = visible.some(isShown);
    const isClear = isUntouched(before);
    const said = visible.find(({ value }) => saidIn(value) !== '');
    const { state: apart, seam } = this.seamBefore(before, saidIn(said?.value));
    const textOf = (part: ReadPart) =>
      shownText(part, part === said ? withSeam(part.text, part.value, seam) : part.text);
    const state = withState(apart, {
      hasShown: before.hasShown || shows,
      hasSentStop: before.hasSentStop || (isClear && isStop),
    });
    if (isClear) return { state, events: [event] };
    // 2. and 3. The end is held; content passes.
    const root = rootChanges(state, chunk);
    const says = shows || visible.some(isNews);
    const held =
      isStop || candidate === undefined
        ? hold(state, endOf(state, event, root, (says ? [] : visible).map(textOf)))
        : state;
    // 4. Drop a chunk without content.
    if (candidate === undefined || !(says || GROUNDS.some((member) => candidate[member] !== undefined)))
      return { state: held, events: NOTHING };
    const isPart =
      seam !== '' ||
      isStop ||
      visible.length < parts.length ||
      visible.some(({ needsSignature }) => needsSignature);
    const left = { candidate: WITHOUT_END, content: { parts: `[${visible.map(textOf).join(',')}]` } };
    return { state: held, events: [edit(event, { root, ...(isPart && left) })] };
  }

  protected joinBody(state: GenerationState, body: string): string {
    return withChangesAt(body, RESPONSE, {
      root: { ...state.identity, ...joinedUsage(state, 'usageMetadata') },
      // The message would mention the function call.
      candidate: { finishMessage: undefined, ...WITHOUT_TOKENS },
      content: partsOf(state.wholeParts),
    });
  }
}

function edit(event: StreamEvent, changes: ResponseChanges): StreamEvent {
  return withData(event, withChangesAt(event.data, RESPONSE, changes));
}

/** Returns parts as a change of the content. An empty text replaces an empty list, which clients reject. */
function partsOf(texts: readonly string[]): MemberChanges {
  return { parts: texts.length === 0 ? '[{"text":""}]' : `[${texts.join(',')}]` };
}

function hold(state: GenerationState, event: StreamEvent): GenerationState {
  if (state.hasLostHeld || !state.keepHeld(event.data.length + EVENT_CHARS))
    return { ...state, hasLostHeld: true };
  state.held.push(event);
  return state;
}

/** Returns the last chunk of the response, with the parts that have not been sent yet. */
function endOf(
  { reader }: GenerationState,
  event: StreamEvent,
  root: MemberChanges,
  left: readonly string[],
) {
  const candidate = reader.hasSearch ? { finishMessage: undefined, ...WITHOUT_TOKENS } : {};
  return edit(event, { root, candidate, content: partsOf(left) });
}

/** Returns the text of a part that is neither a thought nor anything else; empty when there is none. */
function saidIn(part: unknown): string {
  if (!isJsonObject(part) || part.thought === true) return '';
  return textOrNone(part.text) ?? '';
}

function withSeam(text: string, part: unknown, seam: string): string {
  return seam === '' ? text : withMembers(text, { text: JSON.stringify(seam + saidIn(part)) });
}

/** Returns a round's parts with its first text set apart from the text before. */
function setApart(parts: readonly string[], textBefore: string): readonly string[] {
  const values = parts.map(parseJson);
  const first = values.findIndex((value) => saidIn(value) !== '');
  return parts.map((text, at) => {
    const value = values[at];
    return at === first ? withSeam(text, value, seamBetween(textBefore, saidIn(value))) : text;
  });
}

function rootChanges({ rounds, identity, used }: GenerationState, chunk: JsonObject): MemberChanges {
  if (rounds === 1) return {};
  const { usageMetadata } = chunk;
  return {
    ...identity,
    ...('promptFeedback' in chunk && !isBlocked(chunk) && { promptFeedback: undefined }),
    ...(hasCounts(usageMetadata) && { usageMetadata: JSON.stringify(used.shownWith(usageMetadata)) }),
  };
}

/** Whether a part shows content: a signature and an empty text do not. */
function isShown({ value }: ReadPart): boolean {
  return !isJsonObject(value) || value.text !== '';
}

/** Whether a part must reach the client, even if it is only a signature. */
function isNews({ value }: ReadPart): boolean {
  return !isJsonObject(value) || value.text !== '' || Object.keys(value).length > 1;
}
