import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** V8's own collector: https://nodejs.org/api/v8.html#v8setflagsfromstringflags */
export interface Collector {
  /** Everything, in a turn of its own. */
  (options: { readonly type: 'major'; readonly execution: 'async' }): Promise<void>;
  /** What was made since the collections before, at once: a millisecond or two. */
  (options: { readonly type: 'minor'; readonly execution: 'sync' }): void;
}

let collector: Collector | undefined;

/** The collector, which nobody else gets to see: contexts that are made while the flag is set have it. */
export function findCollector(): Collector {
  if (collector !== undefined) return collector;
  setFlagsFromString('--expose-gc');
  collector = runInNewContext('gc') as Collector;
  setFlagsFromString('--no-expose-gc');
  return collector;
}
