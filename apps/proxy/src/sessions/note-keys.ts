import type { Format, RequestView, TurnKeys } from '@winnow/wire';

/** The keys of the notes that the visible history of a request points to, within its tenant. */
export interface NoteKeys {
  /** For each visible turn: the keys for its hidden part. */
  readonly turns: readonly (readonly string[])[];
  /** For the opening and then for each visible turn: the keys for a verdict. */
  readonly verdicts: readonly (readonly string[])[];
}

export interface KeyScope {
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
