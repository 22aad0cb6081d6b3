import type { PendingDefinition } from '@winnow/registry';
import type { HeaderParameter } from './header-parameters.ts';
import type { ListedTools } from './list-tools.ts';
import type { ServerEffects } from './server-effects.ts';
import type { ServerEntry } from './server-entry.ts';
import type { ServerNotes } from './server-notes.ts';
import { type PreparedList, prepareList, type TakenList, takeOverList } from './take-over-list.ts';

/** What a list is kept with. */
export interface KeptListParts extends Pick<ServerEffects, 'registry' | 'observer'> {
  readonly entry: ServerEntry;
  readonly notes: ServerNotes;
}

/** What the registry holds of one server's list, and what of it was left out or waits. */
export class KeptList {
  readonly #parts: KeptListParts;
  #wasEmpty = false;
  #prepared: PreparedList | undefined;
  #taken: Pick<TakenList, 'leftOut' | 'pending'> & { readonly diverged: readonly string[] } = NOTHING_TAKEN;
  #approved: ReadonlyMap<string, string> | undefined;

  constructor(parts: KeptListParts) {
    this.#parts = parts;
  }

  /** Tools of the server that the registry holds. */
  get size(): number {
    return this.#parts.registry.idsOfServer(this.#parts.entry.name).length;
  }

  /** What of the list that was read last is not with the others. */
  get exceptions(): Pick<TakenList, 'leftOut' | 'pending'> & { readonly diverged: readonly string[] } {
    return this.#taken;
  }

  /** Whether the last list was empty although there are tools. */
  get isInDoubt(): boolean {
    return this.#wasEmpty;
  }

  /** The server's own name of a stored one. */
  ownName(storedName: string): string {
    return this.#prepared?.ownNames.get(storedName) ?? storedName;
  }

  /** Of a tool, by the server's own name. */
  headerParametersOf(tool: string): readonly HeaderParameter[] {
    return this.#prepared?.headerParameters.get(tool) ?? [];
  }

  /**
   * Takes a list over, and gives how many tools changed; undefined for an empty list that is in doubt: it is believed when it comes a second time,
   * as a server that has lost its tools for a moment says the same as one that has none.
   */
  async take(list: ListedTools): Promise<number | undefined> {
    const isEmpty = list.tools.length === 0 && this.size > 0;
    const isDoubtful = isEmpty && !this.#wasEmpty;
    this.#wasEmpty = isEmpty;
    return isDoubtful ? undefined : await this.#take(prepareList(list, this.#parts.entry));
  }

  /** Takes over definitions that wait: these, with the digests that somebody has looked at, or all. Gives the ids that were taken over. */
  async approve(wanted: ReadonlyMap<string, string | undefined> | undefined): Promise<readonly string[]> {
    const agreed = this.#taken.pending.filter(({ id, after }) => {
      const digest = wanted?.get(id);
      return wanted === undefined || (wanted.has(id) && (digest === undefined || digest === after));
    });
    const prepared = this.#prepared;
    if (agreed.length === 0 || prepared === undefined) return [];
    const approved = new Map([
      ...(this.#approved ?? []),
      ...agreed.map(({ name, after }) => [name, after] as const),
    ]);
    await this.#parts.notes.writeApproved(this.#parts.entry.name, approved);
    this.#approved = approved;
    await this.#take(prepared);
    return agreed.map(({ id }) => id);
  }

  /** Takes the server's backend from all of its tools, in one change. Rejects with a `ServerProblem`. */
  async remove(): Promise<void> {
    const { entry, registry } = this.#parts;
    await takeOverList(NOTHING_LISTED, entry, registry, undefined);
    this.#taken = NOTHING_TAKEN;
  }

  async #take(prepared: PreparedList): Promise<number> {
    const { entry, registry, notes, observer } = this.#parts;
    const { name, isPinned } = entry;
    if (isPinned) this.#approved ??= await notes.readApproved(name);
    const { summary, leftOut, pending } = await takeOverList(
      prepared,
      entry,
      registry,
      isPinned ? this.#approved : undefined,
    );
    if (isPinned) await this.#keepApproved(summary.hashes);
    if (isNews(leftOut, this.#taken.leftOut)) observer.onLeftOut(name, leftOut);
    if (isNews(pending, this.#taken.pending))
      observer.onPending(
        name,
        pending.map(({ id }) => id),
      );
    this.#prepared = prepared;
    this.#taken = { leftOut, pending, diverged: summary.diverged };
    this.#wasEmpty = false;
    return summary.registered + summary.updated + summary.removed;
  }

  /** What is seen for the first time is taken at its word, and held to it. */
  async #keepApproved(hashes: ReadonlyMap<string, string>): Promise<void> {
    const known = this.#approved ?? new Map();
    const all = new Map([...known, ...hashes]);
    if (all.size === known.size) return;
    this.#approved = all;
    await this.#parts.notes.writeApproved(this.#parts.entry.name, all);
  }
}

const NOTHING_TAKEN = { leftOut: [], pending: [] as readonly PendingDefinition[], diverged: [] } as const;

const NOTHING_LISTED: PreparedList = {
  tools: [],
  ownNames: new Map(),
  headerParameters: new Map(),
  leftOut: [],
};

/** Whether there is something that was not there before. */
function isNews(now: readonly unknown[], before: readonly unknown[]): boolean {
  return now.length > 0 && JSON.stringify(now) !== JSON.stringify(before);
}
