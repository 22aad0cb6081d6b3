import type { ResponseJoiner, RoundEnd, RoundFailure } from '../format/response-joiner.ts';
import type { Plan, RequestView, Usage } from '../format/view.ts';
import { type StreamEvent, type WireEvent, withData } from '../framing/wire-event.ts';
import { bedrockStreamError } from '../joining/bedrock-stream-error.ts';
import type { Keep } from '../joining/keep.ts';
import { roundFailure } from '../joining/round-failure.ts';
import type { UsageShown } from '../joining/shown-counts.ts';
import { sumCounts } from '../joining/sum-counts.ts';
import {
  changeMembers,
  isJsonObject,
  type JsonObject,
  memberSpan,
  setMember,
  splice,
  valueSpan,
} from '../json/json-splice.ts';
import { parseJson } from '../json/parse-json.ts';
import { type HiddenNames, hiddenNames } from '../tools/hidden-names.ts';
import { bedrock } from '../vendors/bedrock.ts';
import { hideMentions } from './hide-mentions.ts';
import { type RoundBlock, RoundReader } from './round-reader.ts';
import { countTokens, showUsage, sumUsage } from './usage.ts';

/** The joiner for one exchange. */
export function joinResponses(
  view: RequestView,
  plan: Plan,
  usageShown: UsageShown = 'last',
  keep?: Keep,
): ResponseJoiner {
  return new ConverseJoiner(view, plan, usageShown, keep);
}

const NOTHING: readonly WireEvent[] = [];

/** Events at the end of a stream that are held; real ones have two. */
const TAIL_EVENTS = 16;
const TAIL_CHARS = 1024 * 1024;

/**
 * Steps of an event: 1. the reader keeps what it says; 2. the start of a later round, and the searches, go to nobody; 3. blocks get the place that they
 * have in the client's message; 4. the end is held, as another round may follow.
 */
class ConverseJoiner implements ResponseJoiner {
  hasStarted = false;
  hasShown = false;
  readonly #hidden: HiddenNames;
  readonly #usageShown: UsageShown;
  readonly #keep: Keep | undefined;
  readonly #wantsStream: boolean;
  /** All responses, the current one last. */
  readonly #readers: RoundReader[] = [];
  /** The place of each block of the current response in the client's message. */
  #places = new Map<RoundBlock, number>();
  #nextPlace = 0;
  /** Whether a block of this exchange was hidden, so that the upstream's indexes are no longer the client's. */
  #hasHidden = false;
  #isInRound = false;
  #isWhole: boolean;
  #hasRepeated = false;
  #before: Standing = { readers: 0, nextPlace: 0, hasShown: false, hasHidden: false, hasRepeated: false };
  /** The last whole body, as it came. */
  #body: string | undefined;
  /** The end of the current response's stream: everything from its `messageStop` or `metadata` on. */
  #tail: StreamEvent[] = [];
  #tailChars = 0;
  #error: StreamEvent | undefined;

  constructor({ isStream }: RequestView, plan: Plan, usageShown: UsageShown, keep: Keep | undefined) {
    this.#hidden = hiddenNames(plan);
    this.#usageShown = usageShown;
    this.#keep = keep;
    this.#wantsStream = isStream;
    this.#isWhole = !isStream;
  }

  get isRoundOver(): boolean {
    if (!this.#isInRound) return false;
    const { hasStopped, hasMetadata, isOverfull } = this.#current;
    return (hasStopped && hasMetadata) || isOverfull || this.#error !== undefined;
  }

  get usage(): Usage | undefined {
    const reported = this.#reported;
    return reported.length === 0 ? undefined : countTokens(reported.reduce(sumUsage));
  }

  feed(event: WireEvent): readonly WireEvent[] {
    if (!this.#isInRound) this.#beginRound(event.kind === 'whole');
    const events = this.#take(event);
    this.hasStarted ||= events.length > 0;
    return events;
  }

  endRound(): RoundEnd {
    // A body without a single event was still a round.
    if (!this.#isInRound) this.#beginRound(this.#isWhole);
    this.#isInRound = false;
    const failure = this.#findFailure();
    if (failure !== undefined) return failure;
    const { stopReason } = this.#current;
    const turn = this.#current.turn();
    this.#hasRepeated ||= stopReason === 'malformed_tool_use' && turn.searches.length > 0;
    this.#before = this.#standing;
    if (turn.searches.length > 0 && turn.realCalls.length === 0) return { kind: 'searching', turn };
    return { kind: 'finished', turn, stopReason };
  }

  abandonRound(): void {
    this.#readers.length = this.#before.readers;
    this.#nextPlace = this.#before.nextPlace;
    this.hasShown = this.#before.hasShown;
    this.#hasHidden = this.#before.hasHidden;
    this.#hasRepeated = this.#before.hasRepeated;
    this.#tail = [];
    this.#error = undefined;
    this.#isInRound = false;
  }

  finish(): readonly WireEvent[] {
    this.hasStarted = true;
    return this.#isWhole ? [{ kind: 'whole', text: this.#finishWhole() }] : this.#finishStream();
  }

  fail(failure: RoundFailure): readonly WireEvent[] {
    this.hasStarted = true;
    const isOfUpstream = failure.reason === 'upstream_error' && this.#error !== undefined;
    const isOpen = isOfUpstream && !this.#namesSearchTool(this.#error!.data);
    const isStream = this.#readers.length === 0 ? this.#wantsStream : !this.#isWhole;
    if (isStream) return [isOpen ? this.#error! : bedrockStreamError(failure, this.#hidden)];
    // What is no response of this format is still what the upstream wanted to say.
    const isStrange = failure.reason === 'malformed_answer' && this.#readers.length === 1;
    const status = failure.refusal?.status ?? 502;
    const own = JSON.parse(bedrockStreamError(failure, this.#hidden).data) as { message: string };
    const text = isStrange ? this.#body : undefined;
    return [{ kind: 'whole', text: text ?? bedrock.errorBody({ status, message: own.message }) }];
  }

  #beginRound(isWhole: boolean): void {
    if (this.#readers.length === 0) this.#isWhole = isWhole;
    this.#isInRound = true;
    this.#readers.push(new RoundReader(this.#hidden, !this.#hasRepeated, this.#keep));
    this.#places = new Map();
    this.#tail = [];
    this.#tailChars = 0;
    this.#body = undefined;
  }

  #take(event: WireEvent): readonly WireEvent[] {
    switch (event.kind) {
      case 'comment':
        return this.#isWhole ? NOTHING : [event];
      case 'whole':
        return this.#takeWhole(event.text);
      case 'event':
        return this.#isWhole || this.#error !== undefined ? NOTHING : this.#takeEvent(event);
      default:
        return event satisfies never;
    }
  }

  #takeWhole(text: string): readonly WireEvent[] {
    this.#body = hideMentions(text, this.#hidden);
    const body = parseJson(this.#body);
    if (this.#isWhole && isJsonObject(body)) this.#current.takeWhole(body, this.#body);
    return NOTHING;
  }

  #takeEvent(sent: StreamEvent): readonly WireEvent[] {
    if (sent.isError) {
      this.#error = sent;
      return NOTHING;
    }
    const event = withData(sent, hideMentions(sent.data, this.#hidden));
    const body = parseJson(event.data);
    if (!isJsonObject(body)) return this.#passUnknown(event);
    switch (event.name) {
      case 'messageStart':
        return this.#readers.length === 1 ? [event] : NOTHING;
      case 'contentBlockStart':
      case 'contentBlockDelta':
      case 'contentBlockStop':
        return this.#takeBlock(event, body);
      case 'messageStop':
        this.#current.takeStop(body);
        return this.#holdTail(event);
      case 'metadata':
        this.#current.takeMetadata(body);
        return this.#holdTail(event);
      default:
        return this.#passUnknown(event);
    }
  }

  /** Nobody knows what it shows; behind the beginning of the end it keeps its place. */
  #passUnknown(event: StreamEvent): readonly WireEvent[] {
    if (this.#namesSearchTool(event.data)) return NOTHING;
    if (this.#tail.length > 0) return this.#holdTail(event);
    this.hasShown = true;
    return [event];
  }

  #takeBlock(event: StreamEvent, body: JsonObject): readonly WireEvent[] {
    const block = this.#current.takeBlock(body, event.data.length);
    if (block.isSearch) {
      this.#hasHidden = true;
      return NOTHING;
    }
    this.hasShown ||= shows(event.name, body);
    const isAsSent = this.#readers.length === 1 && !this.#hasHidden;
    if (isAsSent && typeof body.contentBlockIndex !== 'number') return [event];
    const place = this.#placeOf(block, body.contentBlockIndex);
    if (place === body.contentBlockIndex) return [event];
    const edit = setMember(event.data, valueSpan(event.data), 'contentBlockIndex', String(place));
    return [withData(event, splice(event.data, [edit]))];
  }

  #placeOf(block: RoundBlock, index: unknown): number {
    const isAsSent = this.#readers.length === 1 && !this.#hasHidden && typeof index === 'number';
    const place = this.#places.get(block) ?? (isAsSent ? index : this.#nextPlace);
    this.#nextPlace = Math.max(this.#nextPlace, place + 1);
    this.#places.set(block, place);
    return place;
  }

  #holdTail(event: StreamEvent): readonly WireEvent[] {
    this.#tailChars += event.data.length;
    if (this.#tailChars <= TAIL_CHARS && this.#tail.length < TAIL_EVENTS) this.#tail.push(event);
    return NOTHING;
  }

  #finishStream(): readonly WireEvent[] {
    if (this.#isUntouched) return this.#tail;
    return this.#tail.map((event) => {
      if (!isJsonObject(parseJson(event.data))) return event;
      const root = valueSpan(event.data);
      const changes =
        event.name === 'messageStop'
          ? this.#stopChanges
          : event.name === 'metadata'
            ? this.#metadataChanges
            : {};
      return withData(event, splice(event.data, changeMembers(event.data, root, changes)));
    });
  }

  /** The last response's body, with everything that any response said to the client. */
  #finishWhole(): string {
    const body = this.#body!;
    if (this.#isUntouched) return body;
    const root = valueSpan(body);
    const output = memberSpan(body, root.start, 'output')!;
    const message = memberSpan(body, output.start, 'message')!;
    const blocks = this.#readers.flatMap((reader) => reader.visibleBlocks());
    return splice(body, [
      setMember(body, message, 'content', `[${blocks.join(',')}]`),
      ...changeMembers(body, root, { ...this.#stopChanges, ...this.#metadataChanges }),
    ]);
  }

  /** A response may not end for the sake of a call that the client does not see. */
  get #stopChanges(): Record<string, string> {
    const { hasSearch, stopReason } = this.#current;
    const promises = hasSearch && stopReason === 'tool_use';
    return promises && this.#current.turn().realCalls.length === 0 ? { stopReason: '"end_turn"' } : {};
  }

  get #metadataChanges(): Record<string, string> {
    const usage = this.#reported;
    const metrics = this.#readers.flatMap(({ metrics: own }) => (own === undefined ? [] : [own]));
    if (this.#readers.length === 1) return {};
    return {
      ...(usage.length > 0 && {
        usage: JSON.stringify(usage.reduce((earlier, later) => showUsage(earlier, later, this.#usageShown))),
      }),
      ...(metrics.length > 0 && { metrics: JSON.stringify(metrics.reduce(sumCounts)) }),
    };
  }

  #findFailure(): RoundFailure | undefined {
    if (this.#error !== undefined) return roundFailure('upstream_error');
    if (this.#current.heldTooMuch || this.#tailChars > TAIL_CHARS) return roundFailure('held_too_much');
    if (this.#current.hasStopped) return undefined;
    if (this.#body === undefined) return roundFailure('truncated');
    // JSON of another shape is passed on as it is; what is no JSON may have been cut.
    const isFirst = this.#isWhole && this.#readers.length === 1 && !this.#namesSearchTool(this.#body);
    return isFirst && parseJson(this.#body) !== undefined ? undefined : roundFailure('malformed_answer');
  }

  get #reported(): JsonObject[] {
    return this.#readers.flatMap(({ usage }) => (usage === undefined ? [] : [usage]));
  }

  get #current(): RoundReader {
    return this.#readers.at(-1)!;
  }

  /** Whether the client gets what the upstream sent. */
  get #isUntouched(): boolean {
    return this.#readers.length === 1 && !this.#current.hasSearch;
  }

  get #standing(): Standing {
    return {
      readers: this.#readers.length,
      nextPlace: this.#nextPlace,
      hasShown: this.hasShown,
      hasHidden: this.#hasHidden,
      hasRepeated: this.#hasRepeated,
    };
  }

  #namesSearchTool(text: string): boolean {
    return this.#hidden.areIn(text);
  }
}

/** What the rounds that ended well have left. */
interface Standing {
  readonly readers: number;
  readonly nextPlace: number;
  readonly hasShown: boolean;
  readonly hasHidden: boolean;
  readonly hasRepeated: boolean;
}

/** Whether the client sees anything of an event about a block: the start of a text, an empty piece and a signature do not show. */
function shows(name: string | undefined, { start, delta }: JsonObject): boolean {
  if (name === 'contentBlockStop') return false;
  if (name === 'contentBlockStart') return isJsonObject(start) && Object.keys(start).length > 0;
  if (!isJsonObject(delta)) return false;
  const { text, reasoningContent: reasoning, ...others } = delta;
  if (typeof text === 'string' && text !== '') return true;
  if (isJsonObject(reasoning)) return typeof reasoning.text === 'string' && reasoning.text !== '';
  return Object.keys(others).length > 0;
}
