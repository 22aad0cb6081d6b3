import type { Keep } from '../format/response-joiner.ts';
import type { SearchCall, ToolCall, Turn, Usage } from '../format/view.ts';
import { PART_CHARS, RoundMemory } from '../joining/round-memory.ts';
import { toUsage } from '../joining/rounds-usage.ts';
import { memberTexts, withMembers } from '../json/json-members.ts';
import { isJsonObject, type JsonObject, objectsIn, textOrNone } from '../json/json-value.ts';
import type { HiddenNames } from '../tools/hidden-names.ts';
import { callKey, callOf, fieldOf, keyOf, signatureOf } from './read-request.ts';
import { ANY_SIGNATURE } from './turns.ts';

/** Reasons with which the model ends a response itself; after any other reason, its searches do not count. */
const GOOD_REASONS: ReadonlySet<string> = new Set(['STOP', 'FINISH_REASON_UNSPECIFIED']);

/** Reasons that result from a call of a tool that the model was not shown. */
const ASTRAY_REASONS: ReadonlySet<string> = new Set(['UNEXPECTED_TOOL_CALL', 'MALFORMED_FUNCTION_CALL']);

/** A part of a response. */
export interface ReadPart {
  readonly kind: PartKind;
  /** The part's original text. */
  readonly text: string;
  /** Whether the client gets it with a signature that fits any call. */
  readonly needsSignature: boolean;
  /** The same part, parsed. */
  readonly value: unknown;
}

/**
 * The original texts of a chunk's parts, found on demand: most chunks only continue a text and never need
 * them.
 */
class PartTexts {
  readonly #chunk: string;
  #texts: readonly string[] | undefined;

  constructor(chunk: string) {
    this.#chunk = chunk;
  }

  at(position: number): string {
    this.#texts ??= memberTexts(this.#chunk, 'parts', ['candidates', 'content']);
    return this.#texts[position]!;
  }
}

class KeptPart implements ReadPart {
  readonly kind: PartKind;
  readonly value: unknown;
  /** The texts of the following parts, for a text that arrives word by word. */
  readonly more: string[] = [];
  readonly needsSignature: boolean;
  readonly #texts: PartTexts;
  readonly #at: number;

  constructor({ kind, value, needsSignature }: Omit<ReadPart, 'text'>, texts: PartTexts, at: number) {
    this.kind = kind;
    this.value = value;
    this.needsSignature = needsSignature;
    this.#texts = texts;
    this.#at = at;
  }

  get text(): string {
    return this.#texts.at(this.#at);
  }
}

/**
 * Keeps the parts, calls, usage and end of one response.
 *
 * Contract: for one response; takes the chunks of a stream in order, or one whole response as a single chunk.
 * Never throws, whatever an upstream sends.
 */
export class RoundReader {
  readonly memory: RoundMemory;
  readonly calls: CallReader;
  /** The latest counts, which are those of the whole response. */
  usage: JsonObject | undefined;
  hasContent = false;
  stopReason: string | undefined;
  /** Whether the provider refused the whole prompt. */
  isBlocked = false;
  #parts: KeptPart[] = [];
  /** Whether the signature of the response's calls is on a search. */
  #isSearchSigned = false;

  constructor(hidden: HiddenNames, keep: Keep | undefined) {
    this.memory = new RoundMemory(keep);
    this.calls = new CallReader(hidden, this.memory);
  }

  get hasSearch(): boolean {
    return this.calls.hasSearches;
  }

  /** Whether the response was cut off, so that its searches do not count. */
  get isCutOff(): boolean {
    return this.isBlocked || (this.stopReason !== undefined && !GOOD_REASONS.has(this.stopReason));
  }

  /** Whether the model called a tool that it was not shown. */
  get isAstray(): boolean {
    return this.stopReason !== undefined && ASTRAY_REASONS.has(this.stopReason);
  }

  /** Whether the response is complete. */
  get isComplete(): boolean {
    return this.stopReason !== undefined || this.isBlocked;
  }

  /** Takes a whole response, whose memory is already reserved; returns false for any other object. */
  takeWhole(response: JsonObject, text: string): boolean {
    const candidate = candidateOf(response);
    const says = (partsOf(candidate)?.length ?? 0) > 0 || textOrNone(candidate?.finishReason) !== undefined;
    const isResponse = says || isBlocked(response);
    if (isResponse) this.#take(response, text);
    return isResponse;
  }

  /** Takes a chunk of a stream; returns its parts. */
  takeChunk(chunk: JsonObject, text: string): readonly ReadPart[] {
    const values = partsOf(candidateOf(chunk));
    if (values !== undefined) this.memory.mayKeep(text.length + PART_CHARS * values.length);
    return this.#take(chunk, text);
  }

  #take(chunk: JsonObject, text: string): readonly ReadPart[] {
    if (hasCounts(chunk.usageMetadata)) this.usage = chunk.usageMetadata;
    this.isBlocked ||= isBlocked(chunk);
    const candidate = candidateOf(chunk);
    if (candidate === undefined) return [];
    this.stopReason = textOrNone(candidate.finishReason) ?? this.stopReason;
    const values = partsOf(candidate);
    if (values === undefined) return [];
    const texts = new PartTexts(text);
    const parts = values.map((value, at) => {
      const kind = isJsonObject(value) ? this.calls.take(value) : 'other';
      return new KeptPart({ kind, value, needsSignature: this.#needsSignature(kind, value) }, texts, at);
    });
    if (this.memory.isShort) this.#parts = [];
    else for (const part of parts) this.#keep(part);
    return parts;
  }

  /** Returns the parts that the client may see, as JSON. */
  visibleParts(): string[] {
    return this.#parts.filter(({ kind }) => kind !== 'search').map((part) => shownText(part, textOf(part)));
  }

  /**
   * Whether the client's first call lacks a signature, because the provider signs only the first call of a
   * response, and that was a search. The provider refuses such a call.
   */
  #needsSignature(kind: PartKind, value: unknown): boolean {
    if (!isJsonObject(value) || kind === 'other') return false;
    const isSigned = signatureOf(value) !== undefined;
    if (kind === 'search') this.#isSearchSigned ||= isSigned;
    const needsOne = kind === 'real' && this.#isSearchSigned;
    if (needsOne) this.#isSearchSigned = false;
    return needsOne && !isSigned;
  }

  /** Returns the turn of the response. */
  turn(): Turn {
    const searches = this.isCutOff ? [] : this.calls.searches;
    const kept = this.#parts.filter(({ kind }) => kind !== 'search' || !this.isCutOff);
    const parts = kept.flatMap((part) => this.#wholeText(part));
    return {
      message: `{"role":"model","parts":[${parts.join(',')}]}`,
      realCalls: this.calls.realCalls,
      searches,
    };
  }

  /** Keeps a part. Texts that arrive word by word become one; an empty text counts only if it is signed. */
  #keep(part: KeptPart): void {
    if (!isPlainText(part.value)) {
      this.#parts.push(part);
      return;
    }
    if (part.value.text === '') return;
    const last = this.#parts.at(-1);
    const continues = isPlainText(last?.value) && last.value.thought === part.value.thought;
    if (continues) last!.more.push(part.value.text);
    else this.#parts.push(part);
  }

  #wholeText(part: KeptPart): string[] {
    const { kind, value } = part;
    if (kind === 'other' || !isJsonObject(value)) return [textOf(part)];
    const whole = this.calls.wholePart(value);
    if (whole === value) return [part.text];
    return whole === undefined ? [] : [JSON.stringify(whole)];
  }
}

/** Returns the text of a part for the client. `text` is its text otherwise. */
export function shownText({ needsSignature }: ReadPart, text: string): string {
  return needsSignature ? withMembers(text, { thoughtSignature: ANY_SIGNATURE }) : text;
}

/** Returns the first candidate of a response; undefined when there is none. */
export function candidateOf({ candidates }: JsonObject): JsonObject | undefined {
  return objectsIn(candidates)[0];
}

/** Returns the parts of a candidate; undefined without a list of them. */
export function partsOf(candidate: JsonObject | undefined): readonly unknown[] | undefined {
  const parts = isJsonObject(candidate?.content) ? candidate.content.parts : undefined;
  return Array.isArray(parts) ? parts : undefined;
}

function textOf(part: KeptPart): string {
  const { value, more } = part;
  if (more.length === 0 || !isPlainText(value)) return part.text;
  return JSON.stringify({ ...value, text: value.text + more.join('') });
}

/** Whether the prompt was refused. Such a response has no candidates. */
export function isBlocked({ promptFeedback, candidates }: JsonObject): boolean {
  const reason = isJsonObject(promptFeedback) ? fieldOf(promptFeedback, 'blockReason') : undefined;
  return reason !== undefined && !(Array.isArray(candidates) && candidates.length > 0);
}

type PlainText = JsonObject & { readonly text: string };

function isPlainText(value: unknown): value is PlainText {
  return (
    isJsonObject(value) &&
    typeof value.text === 'string' &&
    Object.keys(value).every((key) => key === 'text' || key === 'thought')
  );
}

/** A call of a response. */
interface ReadCall {
  readonly key: string;
  readonly name: string;
  readonly isSearch: boolean;
  /** The part that began the call. */
  readonly part: JsonObject;
  /** Undefined for a call in a single part. */
  readonly pieces: CallArguments | undefined;
}

/** The kind of a part: no part of a call, a part of the client's call, or of a search. */
type PartKind = 'other' | 'real' | 'search';

/**
 * Assigns the parts of one response to its calls.
 *
 * A call is usually one part. If its arguments are streamed, the first part has the name and `willContinue`.
 * The following parts have no name, and the last lacks `willContinue`; it may be empty:
 * `{"functionCall":{}}`.
 *
 * Contract: for one response; takes its parts in order.
 */
class CallReader {
  readonly #hidden: HiddenNames;
  readonly #calls: ReadCall[] = [];
  #open: ReadCall | undefined;
  readonly #memory: RoundMemory;

  /** Without memory, only the kinds of calls and their names are kept. */
  constructor(hidden: HiddenNames, memory: RoundMemory) {
    this.#hidden = hidden;
    this.#memory = memory;
  }

  get hasSearches(): boolean {
    return this.#calls.some(({ isSearch }) => isSearch);
  }

  /** Calls for the client, in order. */
  get realCalls(): ToolCall[] {
    return this.#calls.filter(({ isSearch }) => !isSearch).map(({ key: id, name }) => ({ id, name }));
  }

  /** Calls of the search tool, in order. */
  get searches(): SearchCall[] {
    return this.#calls
      .filter(({ isSearch }) => isSearch)
      .map((call) => this.#hidden.readCall({ id: call.key, name: call.name }, argumentsOf(call)));
  }

  /** Takes the next part. */
  take(part: JsonObject): PartKind {
    const called = callOf(part);
    if (called === undefined) return 'other';
    const goesOn = fieldOf(called, 'willContinue') === true;
    const name = textOrNone(called.name);
    if (name !== undefined) return this.#begin(part, called, { name, goesOn });
    const call = this.#open;
    if (call === undefined) return 'other';
    if (!this.#memory.isShort) call.pieces?.take(fieldOf(called, 'partialArgs'));
    if (!goesOn) this.#open = undefined;
    return call.isSearch ? 'search' : 'real';
  }

  /**
   * Returns a part as it is sent back to the provider: a call with all of its arguments. Undefined for a
   * later part of a streamed call.
   */
  wholePart(part: JsonObject): JsonObject | undefined {
    const called = callOf(part);
    if (called === undefined) return part;
    const call = this.#calls.find((one) => one.part === part);
    if (call === undefined) return undefined;
    if (call.pieces === undefined) return part;
    const { willContinue, will_continue, partialArgs, partial_args, ...rest } = called;
    const { functionCall, function_call, ...others } = part;
    return { functionCall: { ...rest, args: call.pieces.value }, ...others };
  }

  #begin(
    part: JsonObject,
    called: JsonObject,
    { name, goesOn }: { readonly name: string; readonly goesOn: boolean },
  ): PartKind {
    const pieces = fieldOf(called, 'partialArgs');
    const isInPieces = goesOn || pieces !== undefined;
    const call: ReadCall = {
      key: callKey(called, this.#calls.length),
      name,
      isSearch: this.#hidden.has(name),
      part: this.#memory.isShort ? {} : part,
      pieces: isInPieces ? new CallArguments() : undefined,
    };
    this.#memory.begin();
    if (!this.#memory.isShort) call.pieces?.take(pieces);
    this.#calls.push(call);
    this.#open = goesOn ? call : undefined;
    return call.isSearch ? 'search' : 'real';
  }
}

function argumentsOf({ part, pieces }: ReadCall): unknown {
  return pieces === undefined ? callOf(part)?.args : pieces.value;
}

/** The deepest nesting of a place: deeper values could not be written. */
const MAX_STEPS = 100;

/**
 * Assembles the arguments of a call that arrive in pieces, each a value and its place.
 *
 * The pieces of a text are joined; pieces that are not understood are left out. Source:
 * https://cloud.google.com/vertex-ai/generative-ai/docs/multimodal/function-calling#streaming-fc
 */
export class CallArguments {
  readonly #root: Record<string, unknown> = {};
  /** Places whose text continues in the next piece. */
  readonly #open = new Set<string>();

  /** Takes the `partialArgs` of one part. */
  take(pieces: unknown): void {
    for (const piece of objectsIn(pieces)) this.#takePiece(piece);
  }

  get value(): JsonObject {
    return this.#root;
  }

  #takePiece(piece: JsonObject): void {
    const place = fieldOf(piece, 'jsonPath');
    const steps = typeof place === 'string' ? stepsOf(place) : undefined;
    const value = givenValue(piece);
    if (steps === undefined || value === undefined) return;
    const goesOn = this.#open.has(place as string);
    setAt(this.#root, steps, (before) => (goesOn ? `${before}${value}` : value));
    if (fieldOf(piece, 'willContinue') === true) this.#open.add(place as string);
    else this.#open.delete(place as string);
  }
}

const VALUE_TYPES = { stringValue: 'string', numberValue: 'number', boolValue: 'boolean' } as const;

/** Returns the value of a piece; undefined when no member has the right type. */
function givenValue(piece: JsonObject): string | number | boolean | null | undefined {
  for (const [key, type] of Object.entries(VALUE_TYPES)) {
    if (!(keyOf(piece, key) in piece)) continue;
    const value = fieldOf(piece, key);
    return typeof value === type ? (value as string | number | boolean) : undefined;
  }
  return keyOf(piece, 'nullValue') in piece ? null : undefined;
}

type Step = string | number;

/**
 * Returns the steps of a path such as `$.steps[0].name` or `$['a b']`; undefined for a path that does not
 * name a single value.
 */
function stepsOf(path: string): Step[] | undefined {
  const steps = [...path.matchAll(STEP)].map(([, name, index, quoted]) =>
    index === undefined ? (name ?? quoted!) : Number(index),
  );
  const isWhole = path.replaceAll(STEP, '') === '$';
  const isDeep = steps.length === 0 || steps.length > MAX_STEPS;
  return isWhole && !isDeep && !steps.includes('__proto__') ? steps : undefined;
}

const STEP = /\.([^.[\]]+)|\[(\d+)\]|\['((?:[^'\\]|\\.)*)'\]/g;

/**
 * Sets the value at a place and creates the objects and lists on the way. Lists grow by one element at a
 * time: a place far beyond the end would fill memory with empty elements.
 */
function setAt(root: Record<string, unknown>, steps: readonly Step[], change: (before: unknown) => unknown) {
  let target = root as Record<Step, unknown>;
  for (const [at, step] of steps.entries()) {
    if (Array.isArray(target) !== (typeof step === 'number')) return;
    if (Array.isArray(target) && (step as number) > target.length) return;
    const next = steps[at + 1];
    if (next === undefined) {
      target[step] = change(target[step]);
      return;
    }
    const present = target[step];
    const isThere = typeof next === 'number' ? Array.isArray(present) : isJsonObject(present);
    if (!isThere) target[step] = typeof next === 'number' ? [] : {};
    target = target[step] as Record<Step, unknown>;
  }
}

/** Whether a usage has counts. Before the last chunk, some servers only report the traffic type. */
export function hasCounts(usage: unknown): usage is JsonObject {
  return isJsonObject(usage) && Object.values(usage).some((value) => typeof value === 'number');
}

/**
 * Counts the tokens of a usage. The provider counts thoughts separately from the output, and the input of its
 * own tools separately from the prompt. Cache reads are part of the prompt's count, and are left out when
 * zero; cache writes are not reported.
 *
 * Source: https://ai.google.dev/api/generate-content#UsageMetadata
 */
export function countTokens(usage: JsonObject): Usage {
  return toUsage({
    input: [usage.promptTokenCount, usage.toolUsePromptTokenCount],
    output: [usage.candidatesTokenCount, usage.thoughtsTokenCount],
    cachedInput: usage.cachedContentTokenCount ?? 0,
  });
}
