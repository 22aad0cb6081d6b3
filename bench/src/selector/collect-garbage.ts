import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** V8's collector: https://github.com/v8/v8/blob/main/src/extensions/gc-extension.h */
type Collector = (options: { type: 'major'; execution: 'sync'; flavor?: 'last-resort' }) => void;

const collect = ((): Collector => {
  // Instead of asking the person at the keyboard for `--expose-gc`.
  setFlagsFromString('--expose-gc');
  return runInNewContext('gc') as Collector;
})();

/** Collects what making a catalogue left behind, so that no measurement is interrupted for it. */
export function collectGarbage(): void {
  collect({ type: 'major', execution: 'sync' });
}

/** Collects everything that can be, caches included, so that what is left is what is held. */
export function collectAllGarbage(): void {
  collect({ type: 'major', execution: 'sync', flavor: 'last-resort' });
}
