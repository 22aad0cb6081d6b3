import type { Turn } from '../format/view.ts';
import type { Keep } from '../joining/keep.ts';
import { PART_CHARS, RoundMemory } from '../joining/round-memory.ts';
import { memberTexts, withMembers } from '../json/json-members.ts';
import { isJsonObject, type JsonObject, objectsIn, textOrNone } from '../json/json-splice.ts';
import type { HiddenNames } from '../tools/hidden-names.ts';
import { CallReader, type PartKind } from './call-reader.ts';
import { fieldOf } from './field-of.ts';
import { signatureOf } from './read-contents.ts';
import { ANY_SIGNATURE } from './sign-calls.ts';
import { hasCounts } from './usage.ts';

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
    const isResponse = candidateOf(response) !== undefined || isBlocked(response);
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

function partsOf(candidate: JsonObject | undefined): readonly unknown[] | undefined {
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
