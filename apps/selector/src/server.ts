import { setImmediate as nextTurn } from 'node:timers/promises';
import { followRegistry, openRegistryAgent } from '@winnow/clients';
import { openMeanings } from '@winnow/embeddings';
import { RANKERS } from '@winnow/ranking';
import {
  describeError,
  type HttpPool,
  isLoopback,
  openService,
  type Reloaded,
  type RunningService,
  type ServiceEffects,
  type ServiceParts,
  serve,
  servicePath,
  spendersOf,
  takeSettings,
} from '@winnow/service';
import { type CallerRules, Callers } from './callers.ts';
import { Catalogues } from './catalogues.ts';
import { SETTINGS, type Settings, settingsProblems } from './config.ts';
import { createMetrics, type Metrics } from './metrics.ts';
import { describeApi } from './openapi.ts';
import { RegistryContent } from './registry-content.ts';
import { SEARCH_PATH, type SearchRouteContext, searchRoute } from './search-route.ts';

/** Effects of the selector on its environment, injectable for tests. */
export interface SelectorEffects extends ServiceEffects {
  /**
   * The file or folder from which a local model's libraries are resolved, for tests; by default, Node's own
   * rules apply.
   */
  readonly librariesFrom?: string;
}

/** A listening selector. */
export interface RunningSelector extends RunningService {
  /** Takes over tokens, the largest body and certificates, from the next request on. */
  reload(read: Settings): Reloaded;
}

/**
 * Starts the service. Rejects if it cannot listen or a certificate file is invalid; the message names the
 * setting.
 */
export async function startSelector(settings: Settings, effects: SelectorEffects): Promise<RunningSelector> {
  const service = openService(settings, effects);
  const agent = openRegistryAgent(settings);
  const { context, meaningModel } = assemble(settings, effects, service, agent);
  const { callers, metrics, registry } = context;
  service.useParties(callers.parties);
  const running = await serve(settings, service, {
    paths: [servicePath('POST', SEARCH_PATH, searchRoute(context))],
    metrics,
    admitScraper: (incoming) => callers.identify(incoming),
    // A selector is ready without its registry: it still searches known tools and tools that clients send.
    readiness: () => ({ status: 'ready', ...(registry && { registry: registry.status.state }) }),
    description: describeApi(),
    onStopped: async () => {
      await registry?.stop();
      await agent?.destroy();
      await meaningModel?.close();
    },
  });
  registry?.start();
  return {
    ...running,
    reload: takeSettings(
      {
        ...{ settings, table: SETTINGS, problems: settingsProblems },
        mayChange: ['tokens', 'registryCallers'],
        use: (held) => {
          callers.use(callerRules(held));
          service.useParties(callers.parties);
        },
      },
      { ...service, ...running },
    ),
  };
}

function assemble(
  settings: Settings,
  { librariesFrom }: SelectorEffects,
  service: ServiceParts,
  agent: HttpPool | undefined,
) {
  const { log, now, deadline, wait } = service;
  const catalogues = new Catalogues({
    ...{ maxBytes: settings.cacheMaxBytes, maxCatalogues: settings.cacheMaxCatalogues },
    ranker: RANKERS[settings.ranker],
    ...{ pause: nextTurn, onBuilt: () => metrics.countBuild() },
  });
  const metrics: Metrics = createMetrics({
    ...service.meters,
    registryStatus: () => registry?.status,
    meanings: () => meanings,
  });
  const registry =
    agent &&
    followRegistry(settings, {
      ...{ agent, effects: service, log, tools: new RegistryContent(), maxTools: settings.maxTools },
    });
  const meaningModel = openMeanings(settings, {
    ...{ setting: 'embedder.address', now, log, describeError, deadline, wait, librariesFrom },
  });
  const meanings = meaningModel?.open();
  const context: SearchRouteContext = {
    ...service,
    ...{ catalogues, metrics, registry, meanings, pause: nextTurn, maxTools: settings.maxTools },
    callers: new Callers(callerRules(settings)),
  };
  return { context, meaningModel };
}

function callerRules(settings: Settings): CallerRules {
  return { ...settings, isLocalOnly: isLocalOnly(settings) };
}

/**
 * Whether callers without a token must name a host of this machine: a page of another site can let its own
 * name resolve to this address, and would read the registry's tools or spend a key. On any other address, the
 * service is open to its network, and warns of it at the start.
 */
function isLocalOnly(settings: Settings): boolean {
  const isProperty = settings.registry !== '' || spendersOf(SETTINGS, settings).has('every_request');
  return isProperty && isLoopback(settings.host) && settings.tlsClientCaFile === undefined;
}
