import type { RequestListener } from 'node:http';
import {
  createListener,
  docsRoute,
  type ExchangeContext,
  healthRoute,
  type Method,
  openApiRoute,
  type ServicePath,
  servicePath,
} from '@winnow/service';
import type { z } from 'zod';
import { type RegistryRoute, type RouteContext, toRoute } from './http/registry-route.ts';
import { type ChangesContext, changesRoute } from './routes/changes.ts';
import { callsRoute, expandRoute, namespacesRoute, statsRoute, usageRoute } from './routes/content.ts';
import { type McpContext, mcpRoute, readOnlyMcpRoute } from './routes/mcp.ts';
import { metricsRoute } from './routes/metrics.ts';
import { describeApi } from './routes/openapi.ts';
import { readyRoute } from './routes/probes.ts';
import { searchRoute } from './routes/search.ts';
import { searchToolRoute, searchToolSearchRoute } from './routes/search-tool.ts';
import {
  addServerRoute,
  approveRoute,
  changeServerRoute,
  refreshServerRoute,
  removeServerRoute,
  type ServersContext,
  serverRoute,
  serversRoute,
  serverToolsRoute,
} from './routes/servers.ts';
import { examplesRoute, listRoute, registerRoute, removeRoute, toolRoute } from './routes/tools.ts';
import { VERSION } from './version.ts';

/** What the routes need, all together. */
export type AppContext = RouteContext &
  ChangesContext &
  McpContext &
  ServersContext &
  Omit<ExchangeContext, 'metrics'>;

/** The service as a listener for Node's HTTP server. */
export function createApp(context: AppContext): RequestListener {
  const registry = (routes: Partial<Record<Method, RegistryRoute<never>>>) => registryPath(routes, context);
  const ready = readyRoute(() => context.registries.isOpen, context.isDraining);
  return createListener(
    [
      registry({ POST: erased(searchRoute(context)) }),
      registry({ PUT: erased(registerRoute), GET: erased(listRoute) }),
      registry({ GET: erased(toolRoute), DELETE: erased(removeRoute) }),
      registry({ PUT: erased(examplesRoute) }),
      registry({ GET: erased(namespacesRoute) }),
      registry({ POST: erased(expandRoute) }),
      registry({ POST: erased(usageRoute), GET: erased(callsRoute(context)) }),
      registry({ GET: erased(statsRoute(context)) }),
      registry({ GET: erased(serversRoute(context)), POST: erased(addServerRoute(context)) }),
      registry({
        GET: erased(serverRoute(context)),
        PATCH: erased(changeServerRoute(context)),
        DELETE: erased(removeServerRoute(context)),
      }),
      registry({ POST: erased(refreshServerRoute(context)) }),
      registry({ GET: erased(serverToolsRoute(context)) }),
      registry({ POST: erased(approveRoute(context)) }),
      registry({ GET: erased(changesRoute(context)) }),
      registry({ GET: erased(searchToolRoute) }),
      registry({ POST: erased(searchToolSearchRoute(context)) }),
      registry({ POST: erased(mcpRoute(context)) }),
      registry({ POST: erased(readOnlyMcpRoute(context)) }),
      servicePath('GET', '/healthz', healthRoute),
      servicePath('GET', '/readyz', ready),
      servicePath('GET', '/metrics', metricsRoute(context.metrics, context.callers)),
      servicePath('GET', '/openapi.json', openApiRoute(describeApi(VERSION))),
      servicePath('GET', '/docs', docsRoute()),
    ],
    context,
  );
}

/** All routes of one path, by method. */
function registryPath(
  routes: Partial<Record<Method, RegistryRoute<never>>>,
  context: AppContext,
): ServicePath {
  const entries = Object.entries(routes) as [Method, RegistryRoute<undefined>][];
  const [, { path, name }] = entries[0]!;
  const methods = entries.map(([method, route]) => [
    method,
    (params: Readonly<Record<string, string>>) => toRoute(route, params, context),
  ]);
  return { path, name, methods: Object.fromEntries(methods) };
}

/** A route whose body's form is its own business. */
function erased<Schema extends z.ZodType | undefined>(route: RegistryRoute<Schema>): RegistryRoute<never> {
  return route as unknown as RegistryRoute<never>;
}
