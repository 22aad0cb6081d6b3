import type { IncomingMessage } from 'node:http';
import { expect, it } from 'vitest';
import { overloaded } from '../../src/api/admission.ts';
import type { Exchange, RouteResponse } from '../../src/api/exchange.ts';
import { type OwnPathsOptions, ownPaths } from '../../src/api/own-paths.ts';

/** Requests one of the paths of a service. */
async function ask(path: string, options: Partial<OwnPathsOptions> = {}): Promise<RouteResponse> {
  const paths = ownPaths({
    isDraining: () => false,
    collectMetrics: async () => ({ text: 'up 1\n', contentType: 'text/plain' }),
    admitScraper: () => {},
    description: { openapi: '3.1.0' },
    ...options,
  });
  const route = paths.find((one) => one.path === path)!.methods.GET!({});
  return (await route.handle({ incoming: { headers: {} } as IncomingMessage } as Exchange)) as RouteResponse;
}

it('says that the process is alive, even while it drains', async () => {
  expect(await ask('/healthz', { isDraining: () => true })).toMatchObject({
    status: 200,
    body: '{"status":"alive"}',
  });
});

it("is ready, with the service's additions, until it drains", async () => {
  expect((await ask('/readyz')).body).toBe('{"status":"ready"}');
  const readiness = () => ({ status: 'ready' as const, registry: 'following' });
  expect((await ask('/readyz', { readiness })).body).toBe('{"status":"ready","registry":"following"}');
  await expect(ask('/readyz', { readiness, isDraining: () => true })).rejects.toMatchObject({
    code: 'overloaded',
    message: 'The service is shutting down.',
  });
});

it('is not ready while the service says so', async () => {
  const readiness = () => {
    throw overloaded('The registry is starting.');
  };
  await expect(ask('/readyz', { readiness })).rejects.toMatchObject({
    status: 503,
    message: 'The registry is starting.',
  });
});

it('shows metrics only to clients that may read them', async () => {
  expect(await ask('/metrics')).toEqual({
    status: 200,
    headers: { 'content-type': 'text/plain' },
    body: 'up 1\n',
  });
  const admitScraper = () => {
    throw new Error('no token');
  };
  await expect(ask('/metrics', { admitScraper })).rejects.toThrow('no token');
});

it('describes the service as a document and as a page that loads nothing from elsewhere', async () => {
  expect((await ask('/openapi.json')).body).toBe('{"openapi":"3.1.0"}');
  const { headers, body } = await ask('/docs');
  expect(headers['content-security-policy']).toContain("default-src 'none'; script-src 'self'; ");
  expect(headers['content-type']).toBe('text/html; charset=utf-8');
  expect(body).toContain('<!doctype html>');
  const [, script] = /src="(.*?)"/.exec(body) ?? [];
  expect((await ask(`/${script}`)).body.length).toBeGreaterThan(100_000);
});
