import { type McpTool, type PendingDefinition, parseToolId } from '@winnow/registry';
import type { After } from './process-group.ts';
import type { ListedTools } from './read-list.ts';
import { type RefusedTool, SERVER_TIMES, type ServerEffects } from './server-connection.ts';
import type { ServerEntry } from './server-entry.ts';
import { type Reviewed, reviewedAmong, type ServerNotes } from './server-notes.ts';
import {
  type CallRefusal,
  type HeaderParameter,
  type PreparedList,
  prepareList,
  type RegisteredTool,
  refuseCall,
  type TakenList,
  takeOverList,
} from './take-over-list.ts';

/** Parts of a {@link KeptList}. */
export interface KeptListParts extends Pick<ServerEffects, 'registry' | 'observer'> {
  readonly entry: ServerEntry;
  readonly notes: ServerNotes;
}

/** Tools of the last list that were not registered normally. */
type Exceptions = Pick<TakenList, 'leftOut' | 'pending'> & { readonly diverged: readonly string[] };

/** The list of one server in the registry, with left out and pending tools. */
export class KeptList {
  readonly #parts: KeptListParts;
  #wasEmpty = false;
  #prepared: PreparedList | undefined;
  #taken: Exceptions = NOTHING_TAKEN;
  #pendingNames: ReadonlySet<string> = new Set();
  #approved: ReadonlyMap<string, string> | undefined;
  #toldRefused: readonly RefusedTool[] = [];

  constructor(parts: KeptListParts) {
    this.#parts = parts;
  }

  /** Tools on the server that the registry holds. */
  get size(): number {
    return this.#ids.length;
  }

  /** Whether a list was read since the start. */
  get isKnown(): boolean {
    return this.#prepared !== undefined;
  }

  get exceptions(): Exceptions {
    return this.#taken;
  }

  /** Registered tools that are not called on the server, by id. */
  get refused(): readonly RefusedTool[] {
    return this.#ids.flatMap((id) => {
      const tool = parseToolId(id);
      const reason = tool && this.refusalOf(tool);
      return reason === undefined ? [] : [{ id, reason }];
    });
  }

  /** Whether the last list was empty although there are tools. */
  get isInDoubt(): boolean {
    return this.#wasEmpty;
  }

  /** Returns why a registered tool is not called; undefined if no reason is known. */
  refusalOf(tool: RegisteredTool): CallRefusal | undefined {
    const { byName } = this.#prepared ?? {};
    return refuseCall(tool, this.#parts.entry, byName && { byName, pending: this.#pendingNames });
  }

  /** The definition of a registered tool as the server lists it. */
  definitionOf({ name }: RegisteredTool): McpTool | undefined {
    return this.#prepared?.byName.get(name)?.tool;
  }

  /** The server's own name of a registered tool. */
  ownName({ name }: RegisteredTool): string {
    return this.#prepared?.byName.get(name)?.ownName ?? name;
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
  async approve(reviewed: Reviewed): Promise<readonly string[]> {
    const agreed = reviewedAmong(this.#taken.pending, reviewed);
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
    await takeOverList(NOTHING_LISTED, registry, { entry });
    this.#taken = NOTHING_TAKEN;
  }

  /** Tells of registered tools that are not called, unless they are the same as last time. */
  tellRefused(): void {
    const { refused } = this;
    if (isNews(refused, this.#toldRefused)) this.#parts.observer.onRefused(this.#parts.entry.name, refused);
    this.#toldRefused = refused;
  }

  get #ids(): readonly string[] {
    return this.#parts.registry.idsOfServer(this.#parts.entry.name);
  }

  async #take(prepared: PreparedList): Promise<number> {
    const { entry, registry, notes, observer } = this.#parts;
    const { name, namespace, isPinned } = entry;
    if (isPinned) this.#approved ??= (await notes.readApproved(name)) ?? new Map();
    const { listedIn = namespace } = notes.get(name);
    const clearedNamespaces = [...new Set([namespace, listedIn])];
    const isFirst = !this.#ids.some((id) => clearedNamespaces.includes(parseToolId(id)?.namespace ?? ''));
    const { summary, leftOut, pending } = await takeOverList(prepared, registry, {
      entry,
      clearedNamespaces,
      ...(isPinned && { approved: this.#approved, approvesNew: isFirst && this.#approved?.size === 0 }),
    });
    if (isPinned) await this.#keepApproved(summary.hashes);
    if (notes.get(name).listedIn !== namespace)
      void notes.set(name, { ...notes.get(name), listedIn: namespace });
    if (isNews(leftOut, this.#taken.leftOut)) observer.onLeftOut(name, leftOut);
    if (isNews(pending, this.#taken.pending))
      observer.onPending(
        name,
        pending.map(({ id }) => id),
      );
    this.#prepared = prepared;
    this.#taken = { leftOut, pending, diverged: summary.diverged };
    this.#pendingNames = new Set(pending.map((one) => one.name));
    this.#wasEmpty = false;
    this.tellRefused();
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
  byName: new Map(),
  headerParameters: new Map(),
  leftOut: [],
};

/** Whether there is something that was not there before. */
function isNews(now: readonly unknown[], before: readonly unknown[]): boolean {
  return now.length > 0 && JSON.stringify(now) !== JSON.stringify(before);
}

/** Schedules the next reading of a server's list: when it is due, or soon after a notice. */
export class RefreshTimer {
  readonly #after: After;
  readonly #refresh: () => void;
  readonly #minMs: number;
  #cancelDue = () => {};
  #cancelNotice: (() => void) | undefined;
  /** Number of lists in a row that were announced as changed and were not. */
  #idleReadings = 0;
  #isStopped = false;

  constructor(after: After, { refresh }: Pick<ServerEntry, 'refresh'>, run: () => void) {
    this.#after = after;
    this.#minMs = refresh.minMs;
    this.#refresh = run;
  }

  /** In so many milliseconds, in place of any time that was set before. */
  schedule(delayMs: number): void {
    this.#cancelDue();
    if (!this.#isStopped) this.#cancelDue = this.#after(delayMs, this.#refresh);
  }

  /** One notice or a thousand: one refresh, and a later one each time when nothing had changed. */
  notice(): void {
    if (this.#cancelNotice !== undefined || this.#isStopped) return;
    const { debounceMs } = SERVER_TIMES;
    const delay = Math.min(
      debounceMs * 2 ** Math.max(0, this.#idleReadings - 1),
      Math.max(debounceMs, this.#minMs),
    );
    this.#cancelNotice = this.#after(delay, () => {
      this.#cancelNotice = undefined;
      this.#refresh();
    });
  }

  /** A list is being read: the timer is cancelled. */
  begin(): void {
    this.#cancelDue();
  }

  /** A list was read, and so many of its tools had changed. */
  succeed(changed: number): void {
    this.#idleReadings = changed > 0 ? 0 : this.#idleReadings + 1;
  }

  stop(): void {
    this.#isStopped = true;
    this.#cancelDue();
    this.#cancelNotice?.();
  }
}
