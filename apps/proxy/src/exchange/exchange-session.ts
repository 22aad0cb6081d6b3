import type { Format, HiddenTurn, RequestView, ResponseAlias, TurnKeys } from '@winnow/wire';
import {
  type Beginning,
  beginningNoteKey,
  isSameVerdict,
  type KnownResponse,
  noteKeys,
  preloadNoteKeys,
  readBeginning,
  readVerdict,
  responseNoteKey,
  turnNoteKeys,
  type Verdict,
  verdictNoteKeys,
  writeBeginning,
  writeKnownResponse,
  writeVerdict,
} from '../sessions/notes.ts';
import type { Note, NotePlace, PendingWork, SessionStore } from '../sessions/session-store.ts';
import { type ExchangeEffects, pause } from './exchange.ts';

/** Stored notes for the history of a request. */
export interface SessionReading {
  /** Hidden turns of this history in order, each once. */
  readonly hiddenTurns: readonly HiddenTurn[];
  /** Undefined if nothing is known about the conversation. */
  readonly verdict: Verdict | undefined;
  /** The tools that the conversation has shown from its start; undefined if unknown. */
  readonly preloaded?: readonly string[] | undefined;
  /** The way the conversation began; undefined if unknown. */
  readonly beginning?: Beginning | undefined;
  /** Failures to read the store: 0 or 1. */
  readonly errors: number;
}

/** A response that the provider stores. */
interface StoredResponse {
  /** The id that the client knows. */
  readonly id: string;
  /** Describes the response for storage; call it after the hidden parts are gathered. */
  readonly describe: () => ResponseAlias | undefined;
  /** Returns the names of the functions that the conversation has shown from its start. */
  readonly kept: () => readonly string[];
}

/** The owner and the content of the exchange. */
interface SessionScope extends NotePlace {
  readonly format: Format;
  readonly view: RequestView;
  readonly hasCredential: boolean;
  readonly keepsOpenings: boolean;
  /**
   * Whether other requests of the conversation could be edited in another mode if nothing were remembered.
   */
  readonly hasModes: boolean;
  /**
   * Whether to store names of preloaded tools: the client names the session, and a credential identifies its
   * owner.
   */
  readonly keepsPreloaded?: boolean;
  /** Whether to store the way the conversation began: a credential identifies its owner. */
  readonly keepsBeginning?: boolean;
  /**
   * The session's place in the rollout; undefined if the session cannot be identified. Read only when the
   * place is stored.
   */
  readonly place?: { readonly bucket?: number | undefined };
  /** Reserves memory in bytes for the notes; if it returns false, no notes are read. Unlimited if missing. */
  readonly take?: ((bytes: number) => boolean) | undefined;
  /** Longest wait for pending searches in the history, in milliseconds. */
  readonly patienceMs: number;
}

export interface SessionContext {
  readonly sessions: SessionStore;
  readonly pendingWork: PendingWork;
  readonly effects: Pick<ExchangeEffects, 'every'>;
}

/**
 * One exchange's access to the stored notes of its conversation: only notes that its own visible history
 * points to. If the store fails, nothing is read and additions are lost, but the exchange continues.
 */
export class ExchangeSession {
  readonly #scope: SessionScope;
  readonly #context: SessionContext;
  #verdict: Verdict | undefined;
  #beginning: Beginning | undefined;
  /** Stored together with the exchange's other notes. */
  #newPreloaded: readonly string[] | undefined;

  constructor(scope: SessionScope, context: SessionContext) {
    this.#scope = scope;
    this.#context = context;
  }

  /**
   * Whether another process may read the client's next turn: hidden turns must then be stored before the
   * response ends. Within one process, the next exchange of the conversation waits.
   */
  get isShared(): boolean {
    return this.#context.sessions.isShared;
  }

  /**
   * Reads the notes of the history, including those that earlier exchanges are still storing. Never rejects.
   */
  async read(): Promise<SessionReading> {
    const { view, format, tenant, patienceMs } = this.#scope;
    const { pendingWork, sessions, effects } = this.#context;
    if (view.turns.length === 0) return NO_NOTES;
    let hiddenTurns: readonly HiddenTurn[] = [];
    let preloaded: readonly string[] | undefined;
    let beginning: Beginning | undefined;
    const errors = await this.#failuresOf(async () => {
      const keys = noteKeys(view, this.#scope);
      const turns = keys.turns.flat();
      await pendingWork.settled(this.#inTenant(turns), () => pause(effects.every, patienceMs));
      const preloadKeys = this.#preloadKeys();
      const beginningKeys = this.#beginningKeys();
      const notes = await sessions.read(tenant, [
        ...turns,
        ...keys.verdicts.flat(),
        ...preloadKeys,
        ...beginningKeys,
      ]);
      if (!this.#hasRoom(notes)) return;
      beginning = readBeginning(
        beginningKeys.map((key) => notes.get(key)).find((value) => value !== undefined),
      );
      const names = preloadKeys.map((key) => notes.get(key)).find((value) => value !== undefined);
      preloaded = names === undefined ? undefined : (JSON.parse(names) as readonly string[]);
      this.#verdict = latestVerdict(keys.verdicts, notes);
      hiddenTurns = format.remembering.recall(
        view,
        turns.flatMap((key) => readTurn(notes.get(key)) ?? []),
      );
    });
    return { hiddenTurns, verdict: this.#verdict, preloaded, beginning, errors };
  }

  #hasRoom(notes: ReadonlyMap<string, string>): boolean {
    let chars = 0;
    for (const value of notes.values()) chars += value.length;
    return chars === 0 || (this.#scope.take?.(NOTE_FACTOR * chars) ?? true);
  }

  /** Notes the way the conversation began, which is stored with its responses. */
  follow(beginning: Beginning): void {
    this.#beginning = beginning;
  }

  /**
   * Stores the way the conversation began, if the request is its first one or if nothing is known of it. No
   * response waits for it, and a failure is ignored.
   */
  keepBeginning(beginning: Beginning, { isFirst, isKnown }: { isFirst: boolean; isKnown: boolean }): void {
    if (isKnown && !isFirst) return;
    this.#beginning = beginning;
    const ifTaken = isFirst ? 'replace' : 'keep';
    const value = writeBeginning(beginning);
    const notes = this.#beginningKeys().map((key): Note => ({ key, value, ifTaken }));
    if (notes.length > 0) this.#context.sessions.add(this.#scope, notes).catch(() => {});
  }

  /** Marks the names of preloaded tools to be stored with the exchange's next notes, if they are kept. */
  keepPreloaded(names: readonly string[]): void {
    this.#newPreloaded = names;
  }

  /**
   * Stores an exchange's hidden turn, if `gather` returns one, under the keys of its visible part
   * (`shownKeys`), with its verdict if that is new and the description of a stored response. Later exchanges
   * of this process wait for it. Returns the number of failures. Never rejects.
   */
  async add(
    shownKeys: () => TurnKeys | undefined,
    verdict: Verdict,
    gather: (() => Promise<HiddenTurn | undefined>) | undefined,
    response?: StoredResponse,
  ): Promise<number> {
    // Most exchanges store nothing: skipping them avoids computing keys, and no later exchange waits.
    const isNothing = gather === undefined && response === undefined && !this.#isNew(verdict);
    if (isNothing && this.#preloadNotes().length === 0) return 0;
    let shown: TurnKeys | undefined;
    const work = async () => {
      shown = shownKeys();
      const hidden = await gather?.();
      const notes = [
        ...this.#turnNotes(hidden),
        ...this.#verdictNotes(shown, verdict),
        ...this.#preloadNotes(),
        ...this.#aliasNotes(response, verdict),
      ];
      if (notes.length > 0) await this.#context.sessions.add(this.#scope, notes);
    };
    const working = this.#failuresOf(work);
    const keys = [
      ...(shown === undefined ? [] : turnNoteKeys(shown, this.#scope)),
      ...(response === undefined ? [] : [responseNoteKey(response.id, this.#scope.format)]),
    ];
    if (keys.length > 0) this.#context.pendingWork.add(this.#inTenant(keys), working);
    return working;
  }

  #aliasNotes(response: StoredResponse | undefined, verdict: Verdict): Note[] {
    const alias = response?.describe();
    if (response === undefined || alias === undefined) return [];
    const { session, place, format } = this.#scope;
    const known: KnownResponse = {
      ...{ alias, verdict, session, bucket: place?.bucket },
      kept: response.kept(),
      beginning: this.#beginning,
    };
    const key = responseNoteKey(alias.id, format);
    return [{ key, value: writeKnownResponse(known), ifTaken: 'replace' }];
  }

  /**
   * Remembers how the upstream accepted this conversation, from the last turn of its history on. Never
   * rejects.
   */
  async remember(verdict: Verdict): Promise<number> {
    const { view } = this.#scope;
    const { turns, verdicts } = noteKeys(view, this.#scope);
    const keys = verdicts[turns.length] ?? [];
    const value = writeVerdict(verdict);
    if (keys.length === 0) return 0;
    const notes = keys.map((key): Note => ({ key, value, ifTaken: 'replace' }));
    return this.#failuresOf(() => this.#context.sessions.add(this.#scope, notes));
  }

  #turnNotes(hidden: HiddenTurn | undefined): Note[] {
    if (hidden === undefined) return [];
    const value = JSON.stringify(hidden);
    const own = turnNoteKeys({ ...hidden.keys, conversation: undefined }, this.#scope);
    return turnNoteKeys(hidden.keys, this.#scope).map((key) => ({
      key,
      value,
      ifTaken: own.includes(key) ? 'forget' : 'keep',
    }));
  }

  #verdictNotes(shown: TurnKeys | undefined, verdict: Verdict): Note[] {
    if (!shown || !this.#isNew(verdict)) return [];
    const value = writeVerdict(verdict);
    return verdictNoteKeys(shown, this.#scope).map((key) => ({ key, value, ifTaken: 'keep' }));
  }

  /** Whether a verdict adds something to the history. */
  #isNew(verdict: Verdict): boolean {
    // If only one mode exists, only a refusal changes it, and `remember` stores that.
    const isNeeded = this.#scope.hasModes || verdict.dropsThinking;
    return isNeeded && !isSameVerdict(verdict, this.#verdict);
  }

  #preloadKeys(): readonly string[] {
    const { keepsPreloaded, view, session, format } = this.#scope;
    return keepsPreloaded ? preloadNoteKeys(view, session, format) : [];
  }

  #beginningKeys(): readonly string[] {
    const { keepsBeginning, view, format } = this.#scope;
    return keepsBeginning ? [beginningNoteKey(view, format)] : [];
  }

  #preloadNotes(): Note[] {
    if (this.#newPreloaded === undefined) return [];
    const value = JSON.stringify(this.#newPreloaded);
    return this.#preloadKeys().map((key) => ({ key, value, ifTaken: 'keep' }));
  }

  #inTenant(keys: readonly string[]): string[] {
    return keys.map((key) => `${this.#scope.tenant} ${key}`);
  }

  /** Does some work with the store; returns 1 if it fails, and 0 otherwise. */
  async #failuresOf(work: () => Promise<void>): Promise<number> {
    try {
      await work();
      return 0;
    } catch {
      return 1;
    }
  }
}

/** Bytes per character of a note: its text, its parsed form, and its place in the edited request. */
const NOTE_FACTOR = 4;

/** A conversation without notes. */
export const NO_NOTES: SessionReading = { hiddenTurns: [], verdict: undefined, errors: 0 };

/** Returns the verdict of the latest turn that has one; otherwise that of the opening. */
function latestVerdict(
  verdicts: readonly (readonly string[])[],
  notes: ReadonlyMap<string, string>,
): Verdict | undefined {
  const latest = verdicts.findLast((keys) => keys.some((key) => notes.has(key)));
  const value = latest && notes.get(latest.find((key) => notes.has(key))!);
  return value === undefined ? undefined : readVerdict(value);
}

/** Parses a note that this version wrote, so it is a hidden turn. */
function readTurn(value: string | undefined): HiddenTurn | undefined {
  return value === undefined ? undefined : (JSON.parse(value) as HiddenTurn);
}
