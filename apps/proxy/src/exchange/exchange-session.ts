import type { Format, HiddenTurn, RequestView, ResponseAlias, TurnKeys } from '@winnow/wire';
import type { StoreUse } from '../records/exchange-fact.ts';
import { type KnownResponse, responseNoteKey, writeKnownResponse } from '../sessions/known-response.ts';
import { noteKeys, preloadNoteKeys, turnNoteKeys, verdictNoteKeys } from '../sessions/note-keys.ts';
import type { PendingWork } from '../sessions/pending-work.ts';
import type { Note, NotePlace, SessionStore } from '../sessions/session-store.ts';
import { isSameVerdict, readVerdict, type Verdict, writeVerdict } from '../sessions/verdict.ts';
import type { ExchangeEffects } from './exchange-effects.ts';
import { pause } from './pause.ts';

/** Notes that the history of a request brings back. */
export interface SessionReading {
  /** Hidden turns of this history, in its order, each once. */
  readonly hiddenTurns: readonly HiddenTurn[];
  /** Undefined in a conversation of which nothing is known. */
  readonly verdict: Verdict | undefined;
  /** Names of the tools that the conversation has shown from its start; undefined where that is not known. */
  readonly preloaded?: readonly string[] | undefined;
  readonly store: StoreUse;
}

/** A response that the provider stores. */
export interface StoredResponse {
  /** The id that the client has of it. */
  readonly id: string;
  /** Describes it as it is remembered; to be called once the hidden parts are gathered. */
  readonly describe: () => ResponseAlias | undefined;
  /** Names of the functions that the conversation has shown from its start. */
  readonly kept: () => readonly string[];
}

/** Whose exchange it is, and what of. */
export interface SessionScope extends NotePlace {
  readonly format: Format;
  readonly view: RequestView;
  readonly hasCredential: boolean;
  readonly keepsOpenings: boolean;
  /** Whether another request of the conversation could be edited in another mode, if nothing were remembered. */
  readonly hasModes: boolean;
  /** Whether names of preloaded tools are kept: the session is one that the client names, and a credential tells whose it is. */
  readonly keepsPreloaded?: boolean;
  /** Has the place of the session among all, undefined when nothing tells it apart; asked for where that is stored. */
  readonly place?: { readonly bucket?: number | undefined };
  /** Takes memory, in bytes, for what is read; false where there is none, and nothing is known. Without it there always is. */
  readonly take?: ((bytes: number) => boolean) | undefined;
  /** The longest that an exchange waits for searches that its history contains, in milliseconds. */
  readonly patienceMs: number;
}

/** Context of a session. */
export interface SessionContext {
  readonly sessions: SessionStore;
  readonly pendingWork: PendingWork;
  readonly effects: Pick<ExchangeEffects, 'now' | 'every'>;
}

/**
 * An exchange's part in what is known of its conversation: notes that its own visible history points to, and no others. Without a store that
 * works, nothing is known and what is added is lost: the exchange itself goes on.
 */
export class ExchangeSession {
  readonly #scope: SessionScope;
  readonly #context: SessionContext;
  #verdict: Verdict | undefined;
  /** To be stored with what else the exchange stores. */
  #newPreloaded: readonly string[] | undefined;

  constructor(scope: SessionScope, context: SessionContext) {
    this.#scope = scope;
    this.#context = context;
  }

  /**
   * Whether the client's next turn may be read by another process: then what was hidden has to be stored before its response ends. In one
   * process, the next exchange of the conversation waits by itself.
   */
  get isShared(): boolean {
    return this.#context.sessions.isShared;
  }

  /** Reads the notes of the history, including those that earlier exchanges still have to store. Never rejects. */
  async read(): Promise<SessionReading> {
    const { view, format, tenant, patienceMs } = this.#scope;
    const { pendingWork, sessions, effects } = this.#context;
    if (view.turns.length === 0) return { hiddenTurns: [], verdict: undefined, store: UNUSED };
    let hiddenTurns: readonly HiddenTurn[] = [];
    let preloaded: readonly string[] | undefined;
    const store = await this.#measure(async () => {
      const keys = noteKeys(view, this.#scope);
      const turns = keys.turns.flat();
      await pendingWork.settled(this.#inTenant(turns), () => pause(effects.every, patienceMs));
      const preloadKeys = this.#preloadKeys();
      const notes = await sessions.read(tenant, [...turns, ...keys.verdicts.flat(), ...preloadKeys]);
      if (!this.#hasRoom(notes)) return;
      preloaded = readNames(preloadKeys.map((key) => notes.get(key)).find((value) => value !== undefined));
      this.#verdict = latestVerdict(keys.verdicts, notes);
      hiddenTurns = format.remembering.recall(
        view,
        turns.flatMap((key) => readTurn(notes.get(key)) ?? []),
      );
    });
    return { hiddenTurns, verdict: this.#verdict, preloaded, store };
  }

  #hasRoom(notes: ReadonlyMap<string, string>): boolean {
    let chars = 0;
    for (const value of notes.values()) chars += value.length;
    return chars === 0 || (this.#scope.take?.(NOTE_FACTOR * chars) ?? true);
  }

  /** Has the names of preloaded tools stored, where they are to be kept, as soon as something is. */
  keepPreloaded(names: readonly string[]): void {
    this.#newPreloaded = names;
  }

  /**
   * Stores what the client has not seen of an exchange, given by `gather` where there is such a thing, under the keys of what it has seen, given by `shownKeys`, and the verdict by which it
   * was made, where that is not known; and what is known of a stored response. Later exchanges of this process wait for it. Gives what the
   * store took, without the gathering. Never rejects.
   */
  async add(
    shownKeys: () => TurnKeys | undefined,
    verdict: Verdict,
    gather: (() => Promise<HiddenTurn | undefined>) | undefined,
    response?: StoredResponse,
  ): Promise<StoreUse> {
    // Most exchanges leave nothing behind: no keys are made for them, and no later exchange waits.
    const isNothing = gather === undefined && response === undefined && !this.#isNew(verdict);
    if (isNothing && this.#preloadNotes().length === 0) return UNUSED;
    let store = UNUSED;
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
      if (notes.length > 0) store = await this.#store(notes);
    };
    const working = this.#measure(work);
    const keys = [
      ...(shown === undefined ? [] : turnNoteKeys(shown, this.#scope)),
      ...(response === undefined ? [] : [responseNoteKey(response.id, this.#scope.format)]),
    ];
    if (keys.length > 0) this.#context.pendingWork.add(this.#inTenant(keys), working);
    const { errors } = await working;
    return { ...store, errors: store.errors + errors };
  }

  #aliasNotes(response: StoredResponse | undefined, verdict: Verdict): Note[] {
    const alias = response?.describe();
    if (response === undefined || alias === undefined) return [];
    const { session, place, format } = this.#scope;
    const known: KnownResponse = { alias, verdict, session, bucket: place?.bucket, kept: response.kept() };
    const key = responseNoteKey(alias.id, format);
    return [{ key, value: writeKnownResponse(known), ifTaken: 'replace' }];
  }

  /** Remembers how the upstream took this conversation, from the turn on that its history ends with. Never rejects. */
  async remember(verdict: Verdict): Promise<StoreUse> {
    const { view } = this.#scope;
    const { turns, verdicts } = noteKeys(view, this.#scope);
    const keys = verdicts[turns.length] ?? [];
    const value = writeVerdict(verdict);
    return keys.length === 0 ? UNUSED : this.#store(keys.map((key) => ({ key, value, ifTaken: 'replace' })));
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

  /** Whether a verdict says what the history does not say already. */
  #isNew(verdict: Verdict): boolean {
    // Where there is one mode only, nothing but a refusal decides, and that is remembered by itself.
    const isNeeded = this.#scope.hasModes || verdict.dropsThinking;
    return isNeeded && !isSameVerdict(verdict, this.#verdict);
  }

  #preloadKeys(): readonly string[] {
    const { keepsPreloaded, view, session, format } = this.#scope;
    return keepsPreloaded ? preloadNoteKeys(view, session, format) : [];
  }

  #preloadNotes(): Note[] {
    if (this.#newPreloaded === undefined) return [];
    const value = JSON.stringify(this.#newPreloaded);
    return this.#preloadKeys().map((key) => ({ key, value, ifTaken: 'keep' }));
  }

  #store(notes: readonly Note[]): Promise<StoreUse> {
    return this.#measure(() => this.#context.sessions.add(this.#scope, notes));
  }

  #inTenant(keys: readonly string[]): string[] {
    return keys.map((key) => `${this.#scope.tenant} ${key}`);
  }

  /** Measures how long some work takes, and whether it fails. */
  async #measure(work: () => Promise<void>): Promise<StoreUse> {
    const { now } = this.#context.effects;
    const startedAt = now();
    try {
      await work();
      return { waitedMs: now() - startedAt, errors: 0 };
    } catch {
      return { waitedMs: now() - startedAt, errors: 1 };
    }
  }
}

/** Bytes for each character of a note: its text, its parsed form, and its place in the edited request. */
const NOTE_FACTOR = 4;

const UNUSED: StoreUse = { waitedMs: 0, errors: 0 };

/** The verdict of the latest turn that has one; that of the opening stands in where none has. */
function latestVerdict(
  verdicts: readonly (readonly string[])[],
  notes: ReadonlyMap<string, string>,
): Verdict | undefined {
  const latest = verdicts.findLast((keys) => keys.some((key) => notes.has(key)));
  const value = latest && notes.get(latest.find((key) => notes.has(key))!);
  return value === undefined ? undefined : readVerdict(value);
}

/** As `#preloadNotes` writes them. */
function readNames(value: string | undefined): readonly string[] | undefined {
  return value === undefined ? undefined : (JSON.parse(value) as string[]);
}

/** A note's content was written by this version, so it is a hidden turn. */
function readTurn(value: string | undefined): HiddenTurn | undefined {
  return value === undefined ? undefined : (JSON.parse(value) as HiddenTurn);
}
