import type { ToolCall, Turn } from '../format/view.ts';
import type { Keep } from '../joining/keep.ts';
import type { ReadEvent } from '../joining/read-event.ts';
import { PART_CHARS } from '../joining/round-memory.ts';
import { type RoundPart, RoundParts } from '../joining/round-parts.ts';
import { memberOf, memberTexts } from '../json/json-members.ts';
import { isJsonObject, type JsonObject, textOrNone } from '../json/json-splice.ts';
import { parseJson } from '../json/parse-json.ts';
import type { HiddenNames } from '../tools/hidden-names.ts';
import { StepAssembler } from './assemble-step.ts';
import { isFunctionCall, isThought } from './read-steps.ts';
import { withAnySignature } from './sign-thoughts.ts';
import { END, isDone, isGood } from './step-events.ts';

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
    const body = parseJson(text);
    if (!isJsonObject(body) || typeof body.status !== 'string') return false;
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
