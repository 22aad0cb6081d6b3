import { createMemoryStore, makeEpoch } from '../src/index.ts';
import { countingIds } from './make-registry.ts';
import { describeStore } from './store-contract.ts';

describeStore('memory', async () => {
  const ids = countingIds();
  return {
    isDurable: false,
    open: async () => createMemoryStore({ makeEpoch: () => makeEpoch(ids) }),
  };
});
