import { constants, setPriority } from 'node:os';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { PRICES } from '@winnow/prices';
import { createSearches } from '../search/create-searches.ts';
import { LoadModes } from '../strategies/load-modes.ts';
import { type Policy, profilesOf } from '../strategies/policy.ts';
import { PreloadIndexes } from '../strategies/preload.ts';
import { createUpstreams } from '../upstream/create-upstreams.ts';
import type { ObservationReply, ObservationRequest, ObservationThreadData } from './observation-messages.ts';
import { type ObserveContext, observeExchange } from './observe-exchange.ts';

const { config, sessionSecret } = workerData as ObservationThreadData;
const port = parentPort!;
const reply = (message: ObservationReply) => port.postMessage(message);
const now = () => performance.now();

const { settings } = config;
const base: Omit<ObserveContext, keyof Policy> = {
  upstreams: createUpstreams(config.upstreams),
  loadModes: new LoadModes(
    { prices: PRICES, trustsNames: settings['tools.load_mode'] === 'native' },
    { now, say: () => {} },
  ),
  searches: createSearches(config, 'observation', {
    now,
    deadline: (timeoutMs) => AbortSignal.timeout(timeoutMs),
    pause: () => nextTurn(),
    onEmbedder: (event) => reply({ kind: 'embedder', event }),
  }).searches,
  sessionSecret,
  now,
  onDefect: (error) => reply({ kind: 'defect', error }),
};

const pause = () => nextTurn();
const contexts = profilesOf(
  config,
  { pause, indexes: new PreloadIndexes(pause) },
  (policy): ObserveContext => ({ ...base, ...policy }),
);

// Linux gives each thread its own priority; elsewhere this would lower the whole process. Serving takes
// precedence over observing.
if (process.platform === 'linux') setPriority(constants.priority.PRIORITY_BELOW_NORMAL);

port.on('message', async ({ id, order }: ObservationRequest) => {
  try {
    reply({ kind: 'observed', id, observed: await observeExchange(order, contexts) });
  } catch (error) {
    reply({ kind: 'failed', id, error });
  }
});
