import type { PendingDefinition } from '@winnow/registry';
import type { HeaderParameter } from './header-parameters.ts';
import type { ListedTools } from './list-tools.ts';
import type { ServerEffects } from './server-effects.ts';
import type { ServerEntry } from './server-entry.ts';
import type { ServerNotes } from './server-notes.ts';
import { type PreparedList, prepareList, type TakenList, takeOverList } from './take-over-list.ts';

/** Parts of a {@link KeptList}. */
export interface KeptListParts extends Pick<ServerEffects, 'registry' | 'observer'> {
  readonly entry: ServerEntry;
  readonly notes: ServerNotes;
}

/** The list of one server in the registry, with left out and pending tools. */
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

  /** Tools of the last list that were not registered normally. */
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

  /** Returns the header parameters of a tool, by the server's own name. */
  headerParametersOf(tool: string): readonly HeaderParameter[] {
    return this.#prepared?.headerParameters.get(tool) ?? [];
  }

  /**
   * Registers a list and returns the number of changed tools; undefined for a doubtful empty list. An empty list counts
   * only the second time, as a server may lose its tools for a moment.
   */
  async take(list: ListedTools): Promise<number | undefined> {
    const isEmpty = list.tools.length === 0 && this.size > 0;
    const isDoubtful = isEmpty && !this.#wasEmpty;
    this.#wasEmpty = isEmpty;
    return isDoubtful ? undefined : await this.#take(prepareList(list, this.#parts.entry));
  }

  /** Approves pending definitions: the given ids with their reviewed digests, or all. Returns the approved ids. */
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

  /** Removes the server's backend from all of its tools, in one change. Rejects with a `ServerProblem`. */
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

  /** Approves definitions that are seen for the first time. */
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
