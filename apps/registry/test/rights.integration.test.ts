import { describe, expect, test } from 'vitest';
import { RIGHTS, type Right } from '../src/http/callers.ts';
import { start, type TestRegistry } from './start.ts';

const tokenOf = (right: Right) => `token-that-may-${right}`;

const TOKENS = RIGHTS.map((right) => ({
  name: right,
  token: tokenOf(right),
  tenant: 'default',
  rights: [right],
  namespaces: undefined,
}));

/** Which right every route asks for; undefined for those that answer everybody. */
const ROUTES: Readonly<Record<string, Right | undefined>> = {
  'POST /v1/registry/search': 'read',
  'PUT /v1/registry/tools': 'write',
  'GET /v1/registry/tools': 'read',
  'GET /v1/registry/tools/{id}': 'read',
  'DELETE /v1/registry/tools/{id}': 'write',
  'PUT /v1/registry/tools/{id}/examples': 'write',
  'GET /v1/registry/namespaces': 'read',
  'POST /v1/registry/expand': 'read',
  'POST /v1/registry/usage': 'read',
  'GET /v1/registry/usage': 'read',
  'GET /v1/registry/stats': 'read',
  'GET /v1/registry/servers': 'read',
  'POST /v1/registry/servers': 'servers',
  'GET /v1/registry/servers/{name}': 'read',
  'PATCH /v1/registry/servers/{name}': 'servers',
  'DELETE /v1/registry/servers/{name}': 'servers',
  'POST /v1/registry/servers/{name}/refresh': 'servers',
  'GET /v1/registry/servers/{name}/tools': 'read',
  'POST /v1/registry/servers/{name}/approve': 'servers',
  'GET /v1/registry/changes': 'read',
  'GET /v1/registry/search-tool': 'read',
  'POST /v1/registry/search-tool/search': 'read',
  'POST /mcp': 'read',
  'POST /mcp/read-only': 'read',
  'GET /metrics': 'metrics',
  'GET /healthz': undefined,
  'GET /readyz': undefined,
  'GET /openapi.json': undefined,
  'GET /docs': undefined,
};

/** The status of a caller's request; does not wait for streams. */
async function statusOf({ url }: TestRegistry, route: string, token?: string): Promise<number> {
  const [method, path] = route.split(' ') as [string, string];
  const leave = new AbortController();
  const response = await fetch(url + path.replace(/\{\w+\}/, 'none'), {
    method,
    signal: leave.signal,
    headers: {
      'content-type': 'application/json',
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
    },
    ...(method !== 'GET' && { body: '{}' }),
  });
  leave.abort();
  return response.status;
}

describe('rights', () => {
  test('are asked for by every route that is described', async () => {
    const { url } = await start();
    const { paths } = (await (await fetch(`${url}/openapi.json`)).json()) as {
      paths: Record<string, object>;
    };
    const described = Object.entries(paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );
    expect(described.toSorted()).toEqual(Object.keys(ROUTES).toSorted());
  });

  test('R24: a token does what its right is for, and nothing else; without one nothing is done', async () => {
    const registry = await start({ tokens: TOKENS });
    const told: Record<string, readonly (Right | 'anonymous')[]> = {};
    for (const route of Object.keys(ROUTES)) {
      const may: (Right | 'anonymous')[] = [];
      for (const right of RIGHTS) {
        const status = await statusOf(registry, route, tokenOf(right));
        expect(status, route).not.toBe(401);
        if (status !== 403) may.push(right);
      }
      const status = await statusOf(registry, route);
      expect([200, 401], route).toContain(status);
      if (status === 200) may.push('anonymous');
      told[route] = may;
    }
    expect(told).toEqual(
      Object.fromEntries(
        Object.entries(ROUTES).map(([route, right]) => [
          route,
          right === undefined ? [...RIGHTS, 'anonymous'] : [right],
        ]),
      ),
    );
  });
});
