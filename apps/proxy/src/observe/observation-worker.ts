import { constants, setPriority } from 'node:os';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { PRICES } from '@winnow/prices';
import { createSearches } from '../search/create-searches.ts';
import { STRATEGIES } from '../strategies/index.ts';
import { LoadModes } from '../strategies/load-modes.ts';
import { preloadOf } from '../strategies/preload.ts';
import { createUpstreams } from '../upstream/create-upstreams.ts';
import type { ObservationReply, ObservationRequest, ObservationThreadData } from './observation-messages.ts';
import { type ObserveContext, observeExchange } from './observe-exchange.ts';

const { config, sessionSecret } = workerData as ObservationThreadData;
const port = parentPort!;
const reply = (message: ObservationReply) => port.postMessage(message);
const now = () => performance.now();

const { settings } = config;
const context: ObserveContext = {
  settings,
  upstreams: createUpstreams(config.upstreams),
  strategy: STRATEGIES[settings['tools.strategy']].configure(settings),
  preload: preloadOf(settings, () => nextTurn()),
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

// Linux gives each thread its own priority; elsewhere this would lower the whole process. Serving takes
// precedence over observing.
if (process.platform === 'linux') setPriority(constants.priority.PRIORITY_BELOW_NORMAL);

port.on('message', async ({ id, order }: ObservationRequest) => {
  try {
    reply({ kind: 'observed', id, observed: await observeExchange(order, context) });
  } catch (error) {
    reply({ kind: 'failed', id, error });
  }
});
