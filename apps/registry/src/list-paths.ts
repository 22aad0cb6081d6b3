import type { Method, ServicePath } from '@winnow/service';
import type { z } from 'zod';
import { type RegistryRoute, type RouteContext, toRoute } from './http/registry-route.ts';
import { type ChangesContext, changesRoute } from './routes/changes.ts';
import { callsRoute, expandRoute, namespacesRoute, statsRoute, usageRoute } from './routes/content.ts';
import { type McpContext, mcpRoute, readOnlyMcpRoute } from './routes/mcp.ts';
import { searchRoute, searchToolRoute, searchToolSearchRoute } from './routes/search.ts';
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

/** Context of all routes. */
export type PathContext = RouteContext & ChangesContext & McpContext & ServersContext;

type Routes = Partial<Record<Method, RegistryRoute<z.ZodType | undefined>>>;

/** Returns the paths of the service, except those that every service has. */
export function listPaths(context: PathContext): readonly ServicePath[] {
  const registry = (routes: Routes) => registryPath(routes, context);
  return [
    registry({ POST: searchRoute(context) }),
    registry({ PUT: registerRoute, GET: listRoute }),
    registry({ GET: toolRoute, DELETE: removeRoute }),
    registry({ PUT: examplesRoute }),
    registry({ GET: namespacesRoute }),
    registry({ POST: expandRoute }),
    registry({ POST: usageRoute, GET: callsRoute(context) }),
    registry({ GET: statsRoute(context) }),
    registry({ GET: serversRoute(context), POST: addServerRoute(context) }),
    registry({
      GET: serverRoute(context),
      PATCH: changeServerRoute(context),
      DELETE: removeServerRoute(context),
    }),
    registry({ POST: refreshServerRoute(context) }),
    registry({ GET: serverToolsRoute(context) }),
    registry({ POST: approveRoute(context) }),
    registry({ GET: changesRoute(context) }),
    registry({ GET: searchToolRoute }),
    registry({ POST: searchToolSearchRoute(context) }),
    registry({ POST: mcpRoute(context) }),
    registry({ POST: readOnlyMcpRoute(context) }),
  ];
}

/** Combines the routes of one path, by method. */
function registryPath(routes: Routes, context: PathContext): ServicePath {
  const entries = Object.entries(routes);
  const [, { path, name }] = entries[0]!;
  const methods = entries.map(([method, route]) => [
    method,
    (params: Readonly<Record<string, string>>) => toRoute(route, params, context),
  ]);
  return { path, name, methods: Object.fromEntries(methods) };
}
