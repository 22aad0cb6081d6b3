import type { ExchangeEffects } from './exchange-effects.ts';

/** Resolves after a time in milliseconds. */
export function pause(every: ExchangeEffects['every'], ms: number): Promise<void> {
  return new Promise((resolve) => {
    const stop = every(ms, () => {
      stop();
      resolve();
    });
  });
}
