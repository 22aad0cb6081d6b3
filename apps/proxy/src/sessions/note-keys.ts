import type { Format, RequestView, TurnKeys } from '@winnow/wire';

/** The keys of the notes that the visible history of a request points to, within its tenant. */
export interface NoteKeys {
  /** For each visible turn, under which its hidden part may be kept. */
  readonly turns: readonly (readonly string[])[];
  /** For each visible turn, and first for the opening, under which a verdict may be kept. */
  readonly verdicts: readonly (readonly string[])[];
}

/** What keys are made for. */
export interface KeyScope {
  readonly format: Pick<Format, 'name' | 'remembering'>;
  /**
   * Whether the tenant is known by a credential. Without one, strangers behind one address are one tenant, and what they say alike may not
   * be taken for the same conversation.
   */
  readonly hasCredential: boolean;
  /** Whether every conversation leaves a verdict after its first turn, so that one for the opening is never another conversation's. */
  readonly keepsOpenings: boolean;
}

/** The keys that the history of a request points to. */
export function noteKeys(view: RequestView, scope: KeyScope): NoteKeys {
  const turns = scope.format.remembering.historyKeys(view).map((keys) => keysWithin(keys, scope));
  const opening = openingKeys(view, scope);
  return {
    turns: turns.map((keys) => keys.map((key) => turnNote(key, scope))),
    verdicts: [opening, ...turns.map((keys) => keys.map((key) => verdictNote(key, scope)))],
  };
}

/** Under which the hidden part of a turn is kept. */
export function turnNoteKeys(keys: TurnKeys, scope: KeyScope): string[] {
  return keysWithin(keys, scope).map((key) => turnNote(key, scope));
}

/** Under which a verdict is kept that holds from a turn on. */
export function verdictNoteKeys(keys: TurnKeys, scope: KeyScope): string[] {
  return keysWithin(keys, scope).map((key) => verdictNote(key, scope));
}

/**
 * Under which the names of preloaded tools are kept in a session that the client names: those of one opening, then those of whatever began first.
 * Agents of one session have openings of their own, and a history that is trimmed has lost its own.
 */
export function preloadNoteKeys(
  view: RequestView,
  session: string,
  { name, remembering }: Pick<Format, 'name' | 'remembering'>,
): readonly [string, string] {
  const key = `preload ${name} ${session}`;
  return [`${key} ${remembering.openingKey(view)}`, key];
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
