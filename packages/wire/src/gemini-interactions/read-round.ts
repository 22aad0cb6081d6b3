import type { Keep } from '../format/response-joiner.ts';
import type { ToolCall, Turn } from '../format/view.ts';
import { type RoundPart, RoundParts } from '../joining/envelope-state.ts';
import { type ReadEvent, readEvent } from '../joining/read-event.ts';
import { PART_CHARS } from '../joining/round-memory.ts';
import { memberOf, memberTexts, parseObject, withMembers } from '../json/json-members.ts';
import { isJsonObject, type JsonObject, objectsIn, parseJson, textOrNone } from '../json/json-value.ts';
import type { HiddenNames } from '../tools/hidden-names.ts';
import { isFunctionCall, isThought } from './read-request.ts';
import { withAnySignature } from './turns.ts';

/** A step of a response. */
export interface RoundStep extends RoundPart {
  /**
   * Whether the client sees it. A thought has the fate of the step that it leads to, and is undefined until
   * that begins; behind the thought of a search, that is a call next to it.
   */
  isShown: boolean | undefined;
  /** Whether this is the thought of a search, so that its signature does not fit what the client sees. */
  isOfSearch: boolean;
  /** The step at its start. */
  readonly read: JsonObject;
  /** Undefined when there is no memory to keep the step. */
  readonly assembler: StepAssembler | undefined;
}

/** Reads one response of the upstream. It observes events, in order, and changes none. */
export class RoundReader extends RoundParts<RoundStep> {
  /** Whether the stream has sent its end marker. */
  #isDone = false;
  readonly #hidden: HiddenNames;

  constructor(hidden: HiddenNames, keep?: Keep) {
    super('interaction', keep);
    this.#hidden = hidden;
  }

  /** Takes the next event; returns the step that it is about. */
  take(sent: string, event: ReadEvent | undefined): RoundStep | undefined {
    this.#isDone ||= isDone(sent);
    if (event === undefined) return undefined;
    const { type, data, body } = event;
    this.note(event, type === END);
    if (type === 'step.start' && isJsonObject(body.step)) {
      return this.#begin(body.step, { text: memberOf(data, 'step')!, index: body.index });
    }
    const step = type.startsWith('step.') ? this.partAt(body.index) : undefined;
    if (step?.isSearch) this.searchChars += data.length;
    if (step !== undefined && isJsonObject(body.delta) && this.memory.mayKeep(data.length)) {
      step.assembler?.take(body.delta);
    }
    if (step !== undefined) step.isDone ||= type === 'step.stop';
    return step;
  }

  /**
   * Takes a whole response, whose memory is already reserved; returns false when the text is not a response.
   */
  takeWhole(text: string): boolean {
    const body = readWhole(text);
    if (body === undefined) return false;
    this.start = text;
    this.end = { type: END, data: `{"interaction":${text}}`, body: { interaction: body } };
    const steps = Array.isArray(body.steps) ? (body.steps as readonly unknown[]) : [];
    const texts = steps.length === 0 ? [] : memberTexts(text, 'steps');
    for (const [index, step] of steps.entries()) {
      if (!isJsonObject(step)) continue;
      const begun = this.#addStep(step, { text: texts[index]!, index }, true);
      if (begun.isSearch) this.searchChars += texts[index]!.length;
      begun.isDone = true;
    }
    return true;
  }

  get isOver(): boolean {
    return this.#isDone || this.isOverfull;
  }

  get hasFailed(): boolean {
    return this.status === 'failed';
  }

  /** The provider's status at the end of the response. */
  get status(): string | undefined {
    return textOrNone(this.last.status);
  }

  /** The status for the client: a response that waits for a call which the client does not see is complete. */
  get stopReason(): string | undefined {
    const hasRealCall = this.parts.some(({ isSearch, read }) => !isSearch && isFunctionCall(read));
    return this.status === 'requires_action' && !hasRealCall ? 'completed' : this.status;
  }

  /** Returns the steps for the client, as JSON, in order. */
  visibleParts(): string[] {
    const shown = this.parts.filter(({ isShown = !this.hasSearch }) => isShown);
    return shown.flatMap(({ isOfSearch, assembler }) => {
      if (assembler === undefined) return [];
      return isOfSearch ? withAnySignature(assembler.text) : assembler.text;
    });
  }

  /** Returns the model's turn, without searches that were cut off. */
  turn(): Turn {
    const isWhole = isGood(this.status);
    const kept = this.parts.filter(({ isSearch, isDone: isOver }) => !isSearch || (isWhole && isOver));
    return {
      message: `[${kept.flatMap(({ assembler }) => assembler?.text ?? []).join(',')}]`,
      realCalls: kept.flatMap(({ read, isSearch }) =>
        !isSearch && isFunctionCall(read) ? [toCall(read)] : [],
      ),
      searches: kept.flatMap((step) =>
        step.isSearch ? [this.#hidden.readCall(toCall(step.read), step.assembler?.arguments)] : [],
      ),
    };
  }

  /** Decides about the thoughts before a step. */
  #decide(isSearch: boolean): void {
    for (const thought of this.undecided) {
      if (isSearch) thought.isOfSearch = true;
      else thought.isShown = true;
    }
    if (!isSearch) this.undecided = [];
  }

  #begin(read: JsonObject, start: StepStart): RoundStep {
    const begun = this.#addStep(read, start, this.memory.mayKeep(start.text.length + PART_CHARS));
    if (begun.isSearch) this.searchChars += start.text.length;
    return begun;
  }

  /** Adds a step. Only the kind of a step that is not kept is known. */
  #addStep(read: JsonObject, { text, index }: StepStart, isKept: boolean): RoundStep {
    const isSearch = isFunctionCall(read) && this.#hidden.has(read.name);
    const isUndecided = isThought(read) && !this.#hidden.isEmpty;
    const begun: RoundStep = {
      isSearch,
      isShown: isUndecided ? undefined : !isSearch,
      isOfSearch: false,
      read: isKept ? read : {},
      assembler: isKept ? new StepAssembler(text, read) : undefined,
      isDone: false,
    };
    this.add(begun, index);
    if (isUndecided) this.undecided.push(begun);
    else this.#decide(isSearch);
    return begun;
  }
}

interface StepStart {
  /** The step as JSON. */
  readonly text: string;
  readonly index: unknown;
}

function toCall({ id, name }: JsonObject): ToolCall {
  return { id: textOrNone(id) ?? '', name: String(name) };
}

/**
 * Reassembles a streamed step into the shape of a whole response: adjacent texts are one content, the pieces
 * of arguments form one object, and the output of a provider's tool becomes members of the step.
 *
 * Contract: for one step and one caller; `take` is called with each of its deltas, in order.
 */
class StepAssembler {
  readonly #start: string;
  readonly #read: JsonObject;
  /** Members from deltas. */
  readonly #brought: Record<string, unknown> = {};
  /** The model's output, or the summary of a thought; undefined before the first delta with content. */
  #contents: JsonObject[] | undefined;
  #arguments = '';

  /** `start` is the step in its first event as JSON, `read` the same step parsed. */
  constructor(start: string, read: JsonObject) {
    this.#start = start;
    this.#read = read;
  }

  /** Takes a delta. */
  take(delta: JsonObject): void {
    switch (delta.type) {
      case 'arguments_delta':
        if (typeof delta.arguments === 'string') this.#arguments += delta.arguments;
        return;
      case 'thought_signature':
        this.#brought.signature = delta.signature;
        return;
      case 'thought_summary':
        if (isJsonObject(delta.content)) this.#add('summary', delta.content);
        return;
      case 'text':
      case 'image':
      case 'audio':
      case 'document':
      case 'video':
        this.#add('content', delta);
        return;
      case 'text_annotation':
      case 'text_annotation_delta':
        this.#annotate(delta.annotations);
        return;
      default:
        this.#merge(delta);
    }
  }

  /** The step received so far, as JSON. Arguments that are not JSON stay as they were at the step's start. */
  get text(): string {
    const list = this.#read.type === 'thought' ? 'summary' : 'content';
    const spelt = isJsonObject(parseJson(this.#arguments)) ? this.#arguments : undefined;
    const brought = Object.entries(this.#brought).map(([key, value]) => [key, JSON.stringify(value)]);
    return withMembers(this.#start, {
      // A signature that is not yet known is sent as an empty one.
      ...(this.#read.signature === '' && { signature: undefined }),
      ...(Object.fromEntries(brought) as Record<string, string>),
      ...(this.#contents !== undefined && { [list]: JSON.stringify(this.#contents) }),
      ...(spelt !== undefined && { arguments: spelt }),
    });
  }

  /** The arguments of a call: their text, or the object from the step's start. */
  get arguments(): unknown {
    return this.#arguments === '' ? this.#read.arguments : this.#arguments;
  }

  #add(list: 'summary' | 'content', content: JsonObject): void {
    this.#contents ??= objectsIn(this.#read[list]);
    const last = this.#contents.at(-1);
    const isMore = isPlainText(content) && last !== undefined && isPlainText(last);
    if (isMore) this.#contents[this.#contents.length - 1] = { ...last, text: last.text + content.text };
    else this.#contents.push(content);
  }

  #annotate(annotations: unknown): void {
    this.#contents ??= objectsIn(this.#read.content);
    const at = this.#contents.findLastIndex(({ type }) => type === 'text');
    const text = this.#contents[at];
    if (text === undefined) return;
    this.#contents[at] = { ...text, annotations: [...listOf(text.annotations), ...listOf(annotations)] };
  }

  #merge({ type, ...members }: JsonObject): void {
    for (const [key, value] of Object.entries(members)) {
      const known = this.#brought[key] ?? this.#read[key];
      this.#brought[key] = Array.isArray(known) && Array.isArray(value) ? [...known, ...value] : value;
    }
  }
}

/** Whether more text may be appended to a content. */
function isPlainText(content: JsonObject): content is { readonly text: string } {
  return content.type === 'text' && typeof content.text === 'string' && content.annotations === undefined;
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Whether this is the marker after the last event of a stream. */
export function isDone(data: string): boolean {
  return data.trim() === '[DONE]';
}

/** The types of the events that begin and end an interaction. */
export const START = 'interaction.created';
export const END = 'interaction.completed';

/** Statuses of an unfinished interaction. */
const RUNNING: ReadonlySet<unknown> = new Set([undefined, null, '', 'in_progress', 'queued']);

/** Whether an event announces that the interaction is about to end, or waits for the client. */
export function endsSoon({ type, body }: ReadEvent): boolean {
  return type === 'interaction.status_update' && !RUNNING.has(body.status);
}

/** Statuses of a response with all of its steps. */
const GOOD: ReadonlySet<unknown> = new Set(['completed', 'requires_action']);

/** Whether an interaction with this status has all of its steps. */
function isGood(status: unknown): boolean {
  return GOOD.has(status);
}

/** Parses an interaction, which has steps, or says that it is over; undefined for any other text. */
function readWhole(text: string): JsonObject | undefined {
  const body = parseObject(text);
  return Array.isArray(body?.steps) || isGood(body?.status) ? body : undefined;
}

/**
 * Returns the events that would stream a whole interaction, each step complete in its start; undefined when
 * the text is not an interaction.
 */
export function eventsOfWhole(text: string): ReadEvent[] | undefined {
  if (readWhole(text) === undefined) return undefined;
  const begun = withMembers(text, { steps: undefined, usage: undefined, status: '"in_progress"' });
  const parts = [
    `{"interaction":${begun},"event_type":"${START}"}`,
    ...memberTexts(text, 'steps').flatMap((step, index) => [
      `{"index":${index},"step":${step},"event_type":"step.start"}`,
      `{"index":${index},"event_type":"step.stop"}`,
    ]),
    `{"interaction":${withMembers(text, { steps: undefined })},"event_type":"${END}"}`,
  ];
  return parts.flatMap((part) => readEvent(part, 'event_type') ?? []);
}
