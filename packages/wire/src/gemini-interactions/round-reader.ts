import type { ToolCall, Turn } from '../format/view.ts';
import { type Keep, keepUpTo } from '../joining/keep.ts';
import { memberOf, memberTexts } from '../json/json-members.ts';
import { isJsonObject, type JsonObject } from '../json/json-splice.ts';
import { parseJson } from '../json/parse-json.ts';
import type { HiddenNames } from '../tools/hidden-names.ts';
import { StepAssembler } from './assemble-step.ts';
import { isFunctionCall, textOrNone } from './read-steps.ts';
import { END, interactionOf, isDone, isGood, type StepEvent } from './step-events.ts';
import { countsIn } from './usage.ts';

/** How many characters the searches of one response may have. They are a few words each. */
const SEARCH_CHARS = 1024 * 1024;
/** How many characters a response may have to be kept: more than any model writes. A longer one can only be passed on. */
const RESPONSE_CHARS = 32 * 1024 * 1024;

/** How many steps may begin when no more is kept of them: a response has a few. */
const MOST_LATE_STEPS = 1_000;

/** What a step takes beside its text, as characters. */
const STEP_CHARS = 500;

/** A step of a response. */
export interface RoundStep {
  /** A search, which the client must not see. */
  readonly isSearch: boolean;
  /** The step as it began. */
  readonly read: JsonObject;
  /** Undefined when there is no memory to keep it. */
  readonly assembler: StepAssembler | undefined;
  isDone: boolean;
}

/** What one response of the upstream has said so far. It observes events, in order, and changes none. */
export class RoundReader {
  /** The interaction as it came first, as JSON. */
  start: string | undefined;
  /** The event that ended it. */
  end: StepEvent | undefined;
  /** An error that was sent within it. */
  error: StepEvent | undefined;
  /** Whether the stream has said that nothing follows. */
  #isDone = false;
  readonly #hidden: HiddenNames;
  readonly #steps: RoundStep[] = [];
  readonly #byIndex = new Map<unknown, RoundStep>();
  readonly #keep: Keep;
  /** Whether something of the response was not kept. */
  #isLong = false;
  #lateSteps = 0;
  #searchChars = 0;

  constructor(hidden: HiddenNames, keep: Keep = keepUpTo(RESPONSE_CHARS)) {
    this.#hidden = hidden;
    this.#keep = keep;
  }

  /** Takes the next event; returns the step that it is about. */
  take(sent: string, event: StepEvent | undefined): RoundStep | undefined {
    this.#isDone ||= isDone(sent);
    if (event === undefined) return undefined;
    const { type, data, body } = event;
    if (type === END) this.end = event;
    if (type === 'error') this.error = event;
    if (this.start === undefined && isJsonObject(body.interaction) && this.#mayKeep(data.length)) {
      this.start = memberOf(data, 'interaction');
    }
    if (type === 'step.start' && isJsonObject(body.step)) {
      return this.#begin(body.step, { text: memberOf(data, 'step')!, index: body.index });
    }
    const step = type.startsWith('step.') ? this.#byIndex.get(body.index) : undefined;
    if (step?.isSearch) this.#searchChars += data.length;
    if (step !== undefined && isJsonObject(body.delta) && this.#mayKeep(data.length)) {
      step.assembler?.take(body.delta);
    }
    if (step !== undefined) step.isDone ||= type === 'step.stop';
    return step;
  }

  /** Takes a response that came whole, whose memory is taken already; false when the text is none. */
  takeWhole(text: string): boolean {
    const body = parseJson(text);
    if (!isJsonObject(body) || typeof body.status !== 'string') return false;
    this.start = text;
    this.end = { type: END, data: `{"interaction":${text}}`, body: { interaction: body } };
    const steps = Array.isArray(body.steps) ? (body.steps as readonly unknown[]) : [];
    const texts = steps.length === 0 ? [] : memberTexts(text, 'steps');
    for (const [index, step] of steps.entries()) {
      if (!isJsonObject(step)) continue;
      const begun = this.#add(step, { text: texts[index]!, index }, true);
      if (begun.isSearch) this.#searchChars += texts[index]!.length;
      begun.isDone = true;
    }
    return true;
  }

  get hasSearch(): boolean {
    return this.#steps.some(({ isSearch }) => isSearch);
  }

  /** Whether there was a search, and more than may be held. */
  get heldTooMuch(): boolean {
    return this.isOverfull || (this.hasSearch && (this.#searchChars > SEARCH_CHARS || this.#isLong));
  }

  get isOver(): boolean {
    return this.#isDone || this.isOverfull;
  }

  get hasFailed(): boolean {
    return this.status === 'failed';
  }

  /** Whether steps go on to begin although there is no memory for more. */
  get isOverfull(): boolean {
    return this.#lateSteps > MOST_LATE_STEPS;
  }

  /** The interaction's id; undefined before its start, and where it is not stored. */
  get id(): string | undefined {
    return (
      textOrNone(interactionOf(this.end).id) ??
      textOrNone(parseJson(memberOf(this.start ?? '{}', 'id') ?? 'null'))
    );
  }

  /** Undefined when the response reported none. */
  get usage(): JsonObject | undefined {
    return countsIn(interactionOf(this.end).usage);
  }

  /** The provider's own word for how the response ended. */
  get status(): string | undefined {
    return textOrNone(interactionOf(this.end).status);
  }

  /** The status for the client: a response that waits for a call which the client does not see is complete. */
  get stopReason(): string | undefined {
    const hasRealCall = this.#steps.some(({ isSearch, read }) => !isSearch && isFunctionCall(read));
    return this.status === 'requires_action' && !hasRealCall ? 'completed' : this.status;
  }

  /** The steps for the client, as JSON, in order. */
  visibleParts(): string[] {
    return this.#steps.flatMap(({ isSearch, assembler }) => (isSearch ? [] : (assembler?.text ?? [])));
  }

  /** What the model said. Searches that were cut off are left out of it. */
  turn(): Turn {
    const isWhole = isGood(this.status);
    const kept = this.#steps.filter(({ isSearch, isDone: isOver }) => !isSearch || (isWhole && isOver));
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

  #mayKeep(chars: number): boolean {
    this.#isLong ||= !this.#keep(chars);
    return !this.#isLong;
  }

  #begin(read: JsonObject, start: StepStart): RoundStep {
    const begun = this.#add(read, start, this.#mayKeep(start.text.length + STEP_CHARS));
    if (begun.isSearch) this.#searchChars += start.text.length;
    return begun;
  }

  /** A step that is not kept is known by its kind alone. */
  #add(read: JsonObject, { text, index }: StepStart, isKept: boolean): RoundStep {
    if (!isKept) this.#lateSteps += 1;
    const begun: RoundStep = {
      isSearch: isFunctionCall(read) && this.#hidden.has(read.name),
      read: isKept ? read : {},
      assembler: isKept ? new StepAssembler(text, read) : undefined,
      isDone: false,
    };
    this.#steps.push(begun);
    this.#byIndex.set(index, begun);
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
