import type { Method, ServicePath } from '@winnow/service';
import type { z } from 'zod';
import { type RegistryRoute, type RouteContext, toRoute } from './http/registry-route.ts';
import { type ChangesContext, changesRoute } from './routes/changes.ts';
import { callsRoute, expandRoute, namespacesRoute, statsRoute, usageRoute } from './routes/content.ts';
import { type McpContext, mcpRoute, readOnlyMcpRoute } from './routes/mcp.ts';
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

/** Everything that the routes need, all together. */
export type PathContext = RouteContext & ChangesContext & McpContext & ServersContext;

/** The paths of the service, apart from those that every service has. */
export function listPaths(context: PathContext): readonly ServicePath[] {
  const registry = (routes: Partial<Record<Method, RegistryRoute<never>>>) => registryPath(routes, context);
  return [
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
  ];
}

/** All routes of one path, by method. */
function registryPath(
  routes: Partial<Record<Method, RegistryRoute<never>>>,
  context: PathContext,
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
