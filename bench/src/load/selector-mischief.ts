import type { Mischief } from './mischief.ts';
import type { ReplaceableProcess } from './replaceable-process.ts';

/** Failures of selectors. */
export function selectorMischief(selectors: readonly ReplaceableProcess[]): Mischief[] {
  const [one] = selectors;
  const each = (act: (selector: ReplaceableProcess) => unknown) => Promise.all(selectors.map(act));
  return [
    { name: 'a selector is killed', begin: () => one!.end('SIGKILL'), end: () => one!.startAgain() },
    {
      name: 'both selectors are killed',
      begin: () => each((selector) => selector.end('SIGKILL')),
      end: () => each((selector) => selector.startAgain()),
    },
    {
      name: 'a selector is paused',
      begin: async () => one!.process.signal('SIGSTOP'),
      end: async () => one!.process.signal('SIGCONT'),
    },
    {
      name: 'both selectors are paused',
      begin: () => each((selector) => selector.process.signal('SIGSTOP')),
      end: () => each((selector) => selector.process.signal('SIGCONT')),
    },
    { name: 'a selector is restarted', begin: () => one!.end('SIGTERM'), end: () => one!.startAgain() },
  ];
}
