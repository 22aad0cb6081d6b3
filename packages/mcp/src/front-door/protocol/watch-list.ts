import type { McpTool, Registry } from '@winnow/registry';

/** Options of {@link watchList}. */
export interface WatchListOptions {
  readonly registry: Pick<Registry, 'onChange'>;
  readonly listTools: () => Promise<readonly McpTool[]>;
  /** Whether any client is subscribed. */
  readonly isWanted: () => boolean;
  readonly onListChanged: () => void;
  /** Calls once, after so many milliseconds, unless the function that it gives is called before. */
  readonly after: (delayMs: number, call: () => void) => () => void;
}

/** Changes of content that come within this time of one another are looked at together, in milliseconds. */
const DEBOUNCE_MS = 500;

/**
 * Reports when a list of tools has changed; other changes of the registry's content are not reported. Returns a
 * function that ends the watch.
 */
export function watchList({
  registry,
  listTools,
  isWanted,
  onListChanged,
  after,
}: WatchListOptions): () => void {
  const read = async () => JSON.stringify(await listTools());
  let known = read();
  known.catch(() => {});
  let cancel: (() => void) | undefined;
  const look = async () => {
    cancel = undefined;
    if (!isWanted()) return;
    const before = known;
    known = read();
    if ((await before) !== (await known)) onListChanged();
  };
  const stop = registry.onChange(() => {
    cancel ??= after(DEBOUNCE_MS, () => void look().catch(() => {}));
  });
  return () => {
    stop();
    cancel?.();
  };
}
