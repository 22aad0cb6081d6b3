import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { ClientAccess } from '../src/edge/client-access.ts';
import { type AppContext, createListener } from '../src/edge/create-listener.ts';

it('responds with 500 if the metrics cannot be collected, and continues', async () => {
  const defects: unknown[] = [];
  const context: Partial<AppContext> = {
    isDraining: () => false,
    access: new ClientAccess({ tokens: [], allowedHosts: [], allowedOrigins: [] }),
    collectMetrics: () => Promise.reject(new Error('no metrics')),
    onDefect: (error) => defects.push(error),
  };
  const server = createServer(createListener(context as AppContext));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/_winnow`;
  expect((await fetch(`${url}/metrics`)).status).toBe(500);
  expect(defects).toEqual([new Error('no metrics')]);
  expect((await fetch(`${url}/healthz`)).status).toBe(200);
});
