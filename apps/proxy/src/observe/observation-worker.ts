import { constants, setPriority } from 'node:os';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import type { Config } from '../config/config.ts';
import { readPrices } from '../config/read-prices.ts';
import { createSearches } from '../search/create-searches.ts';
import { LoadModes } from '../strategies/load-modes.ts';
import { type Policy, profilesOf } from '../strategies/policy.ts';
import { PreloadIndexes } from '../strategies/preload.ts';
import type { Upstream } from '../upstream/choose-upstream.ts';
import { createUpstreams } from '../upstream/create-upstreams.ts';
import type {
  ChangedSettings,
  ObservationReply,
  ObservationRequest,
  ObservationThreadData,
} from './observation-messages.ts';
import { type ObserveContext, observeExchange } from './observe-exchange.ts';

const { config: initial, sessionSecret } = workerData as ObservationThreadData;
const port = parentPort!;
const reply = (message: ObservationReply) => port.postMessage(message);
const now = () => performance.now();
const pause = () => nextTurn();

const prices = readPrices(initial.settings['page.prices_file']);

const base: Omit<ObserveContext, keyof Policy | 'upstreams'> = {
  loadModes: new LoadModes(
    { prices, trustsNames: initial.settings['tools.load_mode'] === 'native' },
    { now, say: () => {} },
  ),
  searches: createSearches(initial, 'observation', {
    now,
    deadline: (timeoutMs) => AbortSignal.timeout(timeoutMs),
    pause,
    onEmbedder: (event) => reply({ kind: 'embedder', event }),
  }).searches,
  sessionSecret,
  prices,
  now,
  onDefect: (error) => reply({ kind: 'defect', error }),
};

const parts = { pause, indexes: new PreloadIndexes(pause) };
/** Upstreams that are gone stay known, for exchanges that went to them. */
let upstreams: ReadonlyMap<string, Upstream> = new Map();
let contexts = settle(initial);

function settle(config: Config) {
  upstreams = new Map([...upstreams, ...createUpstreams(config.upstreams)]);
  return profilesOf(config, parts, (policy): ObserveContext => ({ ...base, ...policy, upstreams }));
}

// Linux gives each thread its own priority; elsewhere this would lower the whole process. Serving takes
// precedence over observing.
if (process.platform === 'linux') setPriority(constants.priority.PRIORITY_BELOW_NORMAL);

port.on('message', async (message: ObservationRequest | ChangedSettings) => {
  if ('config' in message) {
    contexts = settle(message.config);
    return;
  }
  const { id, order } = message;
  try {
    reply({ kind: 'observed', id, observed: await observeExchange(order, contexts) });
  } catch (error) {
    reply({ kind: 'failed', id, error });
  }
});
