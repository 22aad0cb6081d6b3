import { RecentMap } from '@winnow/service';
import type { Format, LoadMode, RequestView, ResponseAlias, TurnKeys } from '@winnow/wire';
import { LASTING } from './session-store.ts';

/**
 * The way in which the requests of one conversation are edited: decided once, so that the content before its
 * thinking stays the same.
 */
export interface Verdict {
  /** `bypass`: the upstream accepted the conversation only as the client wrote it. */
  readonly mode: LoadMode | 'bypass';
  /** Whether the upstream refused the thinking in the history, and accepted the conversation without it. */
  readonly dropsThinking: boolean;
}

/** Serialises a verdict as a note's value. */
export function writeVerdict({ mode, dropsThinking }: Verdict): string {
  return JSON.stringify({ mode, dropsThinking });
}

/** Parses the verdict in a note; undefined for one of another version, whose mode is not known here. */
export function readVerdict(value: string): Verdict | undefined {
  const verdict = JSON.parse(value) as Verdict;
  return MODES.has(verdict.mode) ? verdict : undefined;
}

const MODES: ReadonlySet<unknown> = new Set([
  'native',
  'bridge',
  'swap',
  'bypass',
] satisfies Verdict['mode'][]);

/** Whether two verdicts are equal. */
export function isSameVerdict(one: Verdict, other: Verdict | undefined): boolean {
  return one.mode === other?.mode && one.dropsThinking === other.dropsThinking;
}

/**
 * The settings that a conversation began with: it keeps those that shape the head of its prompt when they
 * change.
 */
export interface Beginning {
  /** The model; prompt caches are per model, so another model has no head to keep. */
  readonly model: string | undefined;
  /** The settings that shape the head, as the policy writes them. */
  readonly head: string;
  /** The load mode of the settings. */
  readonly load: 'auto' | LoadMode;
  /** Whether its tools are deferred, if the agent's bill decided so. */
  readonly defers?: boolean | undefined;
}

/** The latest beginnings by their text: most conversations begin alike, and then share both. */
const beginnings = new RecentMap<string, { readonly text: string; readonly beginning: Beginning }>(64);

/** Serialises a beginning as a note's value. */
export function writeBeginning(beginning: Beginning): string {
  const text = JSON.stringify(beginning);
  return beginnings.getOrAdd(text, () => ({ text, beginning })).text;
}

/** Parses the value from `writeBeginning`: notes are sealed, so it has no other source. */
export function readBeginning(value: string | undefined): Beginning | undefined {
  if (value === undefined) return undefined;
  return beginnings.getOrAdd(value, () => ({ text: value, beginning: JSON.parse(value) as Beginning }))
    .beginning;
}

/** The known facts about a response that the provider stores, and about its conversation. */
export interface KnownResponse {
  readonly alias: ResponseAlias;
  readonly verdict: Verdict;
  /** The key of its session. */
  readonly session: string;
  /** The session's place among all; undefined if the session could not be identified. */
  readonly bucket?: number | undefined;
  /**
   * Names of the functions that its conversation has shown from its start, as the provider keeps the history
   * that they follow from.
   */
  readonly kept: readonly string[];
  /** The beginning of its conversation, which a request that continues from it does not contain. */
  readonly beginning?: Beginning | undefined;
}

/** Returns the key of the note about a response, by the id that the client knows. */
export function responseNoteKey(id: string, { name }: Pick<Format, 'name'>): string {
  return `${LASTING}${name} ${id}`;
}

/** Serialises the facts as a note's value. */
export function writeKnownResponse(known: KnownResponse): string {
  return JSON.stringify(known);
}

/** Parses the value from `writeKnownResponse`: notes are sealed, so it has no other source. */
export function readKnownResponse(value: string): KnownResponse {
  return JSON.parse(value) as KnownResponse;
}

/** The keys of the notes that the visible history of a request points to, within its tenant. */
interface NoteKeys {
  /** For each visible turn: the keys for its hidden part. */
  readonly turns: readonly (readonly string[])[];
  /** For the opening and then for each visible turn: the keys for a verdict. */
  readonly verdicts: readonly (readonly string[])[];
}

interface KeyScope {
  readonly format: Pick<Format, 'name' | 'remembering'>;
  /**
   * Whether a credential identifies the tenant. Without one, strangers with the same address are one tenant,
   * and their equal texts must not count as the same conversation.
   */
  readonly hasCredential: boolean;
  /**
   * Whether every conversation stores a verdict after its first turn, so that the opening's verdict never
   * belongs to another conversation.
   */
  readonly keepsOpenings: boolean;
}

/** Returns the keys that the history of a request points to. */
export function noteKeys(view: RequestView, scope: KeyScope): NoteKeys {
  const turns = scope.format.remembering.historyKeys(view).map((keys) => keysWithin(keys, scope));
  const opening = openingKeys(view, scope);
  return {
    turns: turns.map((keys) => keys.map((key) => turnNote(key, scope))),
    verdicts: [opening, ...turns.map((keys) => keys.map((key) => verdictNote(key, scope)))],
  };
}

/** Returns the keys for the hidden part of a turn. */
export function turnNoteKeys(keys: TurnKeys, scope: KeyScope): string[] {
  return keysWithin(keys, scope).map((key) => turnNote(key, scope));
}

/** Returns the keys for a verdict that applies from a turn on. */
export function verdictNoteKeys(keys: TurnKeys, scope: KeyScope): string[] {
  return keysWithin(keys, scope).map((key) => verdictNote(key, scope));
}

/**
 * Returns the keys for the names of preloaded tools in a session that the client names: one for this opening,
 * then one for the session's first opening. Agents within a session have their own openings, and a trimmed
 * history has lost its opening.
 */
export function preloadNoteKeys(
  view: RequestView,
  session: string,
  { name, remembering }: Pick<Format, 'name' | 'remembering'>,
): readonly [string, string] {
  const key = `preload ${name} ${session}`;
  return [`${key} ${remembering.openingKey(view)}`, key];
}

/** Returns the key for the beginning of a conversation. */
export function beginningNoteKey(
  view: RequestView,
  { name, remembering }: Pick<Format, 'name' | 'remembering'>,
): string {
  return `beginning ${name} ${remembering.openingKey(view)}`;
}

function keysWithin({ own, conversation }: TurnKeys, { hasCredential }: KeyScope): readonly string[] {
  return hasCredential && conversation !== undefined ? [...own, conversation] : own;
}

function openingKeys(view: RequestView, scope: KeyScope): readonly string[] {
  if (!scope.hasCredential || !scope.keepsOpenings) return [];
  return [`opening ${verdictNote(scope.format.remembering.openingKey(view), scope)}`];
}

function turnNote(key: string, { format }: KeyScope): string {
  return `turn ${format.name} ${key}`;
}

function verdictNote(key: string, { format }: KeyScope): string {
  return `verdict ${format.name} ${key}`;
}
