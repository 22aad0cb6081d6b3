import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** V8's collector: https://github.com/v8/v8/blob/main/src/extensions/gc-extension.h */
type Collector = (options: { type: 'major'; execution: 'sync'; flavor?: 'last-resort' }) => void;

const collect = ((): Collector => {
  // So that the user need not pass `--expose-gc`.
  setFlagsFromString('--expose-gc');
  return runInNewContext('gc') as Collector;
})();

/** Collects the garbage of generating a catalogue, so that it does not interrupt a measurement. */
export function collectGarbage(): void {
  collect({ type: 'major', execution: 'sync' });
}

/** Collects everything possible, including caches, so that only memory in use is left. */
export function collectAllGarbage(): void {
  collect({ type: 'major', execution: 'sync', flavor: 'last-resort' });
}
