import type { HistoryEntry } from '../changes/change-history.ts';
import type { StoredTool } from '../model/tool.ts';
import {
  type Epoch,
  KEPT_DAYS,
  type RegistryStore,
  type ScopeStore,
  type TransactionOutcome,
} from './store.ts';

/** Creates a store in memory, which is lost when the process ends. Its scopes start with a new epoch each time. */
export function createMemoryStore(options: { readonly makeEpoch: () => Epoch }): RegistryStore {
  const scopes = new Map<string, ScopeStore>();
  return {
    kind: 'memory',
    async openScope(name) {
      const scope = scopes.get(name) ?? createScope(options.makeEpoch());
      scopes.set(name, scope);
      return scope;
    },
    async close() {},
  };
}

function createScope(epoch: Epoch): ScopeStore {
  const tools = new Map<string, StoredTool>();
  const calls = new Map<string, Map<string, number>>();
  const notes = new Map<string, string>();
  let history: HistoryEntry[] = [];
  let version = 0;
  let last: Promise<unknown> = Promise.resolve();

  const transact: ScopeStore['transact'] = async (work) => {
    const { changes, keepFrom } = await work({
      version,
      toolCount: tools.size,
      read: async (ids) => new Map(ids.flatMap((id) => entryOf(tools, id))),
    });
    for (const { upserts, removals, events, at, version: next } of changes) {
      for (const tool of upserts) tools.set(tool.id, tool);
      for (const id of removals) tools.delete(id);
      history.push({ version: next, at, events });
      version = next;
    }
    const first = history.findIndex((entry) => entry.version >= keepFrom);
    if (first !== 0) history = first < 0 ? [] : history.slice(first);
    return { ok: true };
  };

  return {
    epoch,
    async load(onTools) {
      onTools?.([...tools.values()]);
      return { version, tools: [...tools.values()], history: [...history] };
    },
    transact(work) {
      const run: Promise<TransactionOutcome> = last.then(() => transact(work));
      last = run.catch(() => {});
      return run;
    },
    async countCalls(day, added) {
      const counts = calls.get(day) ?? new Map<string, number>();
      for (const [id, count] of added) counts.set(id, (counts.get(id) ?? 0) + count);
      calls.set(day, counts);
      for (const old of [...calls.keys()].sort().slice(0, -KEPT_DAYS)) calls.delete(old);
    },
    async callsBetween(firstDay, lastDay) {
      const sums = new Map<string, number>();
      for (const [day, counts] of calls) {
        if (day < firstDay || day > lastDay) continue;
        for (const [id, count] of counts) sums.set(id, (sums.get(id) ?? 0) + count);
      }
      return sums;
    },
    readNote: async (name) => notes.get(name),
    async writeNote(name, value) {
      notes.set(name, value);
    },
  };
}

function entryOf(tools: ReadonlyMap<string, StoredTool>, id: string): [string, StoredTool][] {
  const tool = tools.get(id);
  return tool === undefined ? [] : [[id, tool]];
}
