/**
 * @module-tag openssl
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { TestCertificates } from '@winnow/testkit';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { startCompanyProxy } from './company-network/http-proxy.ts';

const certificates = new TestCertificates({ server: 'authority' });
beforeAll(() => certificates.make());
afterAll(() => certificates.remove());

const SCRIPT = fileURLToPath(new URL('company-network/reach-servers.ts', import.meta.url));

/** Reached by every client: upstream, selector, registry, MCP server, embedder, Letta. */
const ALL_REACHED = { upstream: 200, selector: 200, registry: 0, mcp: 200, embedder: 1, letta: 200 };

function everywhere(outcome: unknown): object {
  return Object.fromEntries(Object.keys(ALL_REACHED).map((name) => [name, outcome]));
}

/** Starts a server that answers every client; returns its port and the values of the header `x-twice`. */
async function startServer({ isTls }: { readonly isTls: boolean }) {
  const twice: unknown[] = [];
  const listener: RequestListener = (incoming, outgoing) => {
    if (incoming.url === '/upstream') twice.push(incoming.headersDistinct['x-twice']);
    const body = incoming.url?.includes('embeddings')
      ? { data: [{ index: 0, embedding: [1] }] }
      : { selected_names: [], tools: [] };
    outgoing.setHeader('content-type', 'application/json').end(JSON.stringify(body));
  };
  const files = () => ({
    key: readFileSync(certificates.file('server.key')),
    cert: readFileSync(certificates.file('server.pem')),
  });
  const server = isTls ? createTlsServer(files(), listener) : createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { port: (server.address() as AddressInfo).port, twice };
}

async function reachFrom(
  url: string,
  environment: Record<string, string>,
  ...more: string[]
): Promise<unknown> {
  const child = spawn(process.execPath, [SCRIPT, url, ...more], {
    env: { PATH: process.env.PATH, ...environment },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exit = once(child, 'exit');
  let output = '';
  for await (const piece of child.stdout.setEncoding('utf8')) output += piece;
  await exit;
  return JSON.parse(output);
}

describe('behind an HTTP proxy of a company', () => {
  const authority = () => ({ NODE_EXTRA_CA_CERTS: certificates.file('authority.pem') });

  test('every server is reached through it over TLS, whose authority may be the company', async () => {
    const { port, twice } = await startServer({ isTls: true });
    const proxy = await startCompanyProxy(port);
    const environment = { HTTPS_PROXY: `http://127.0.0.1:${proxy.port}`, ...authority() };
    expect(await reachFrom('https://server.test', environment)).toEqual(ALL_REACHED);
    expect(new Set(proxy.requests)).toEqual(new Set(['CONNECT server.test:443']));
    expect(twice).toEqual([['1', '2']]);
  });

  test('traces reach their collector through it, with the certificates of its variables', async () => {
    const { port } = await startServer({ isTls: true });
    const proxy = await startCompanyProxy(port);
    const environment = {
      HTTPS_PROXY: `http://127.0.0.1:${proxy.port}`,
      OTEL_EXPORTER_OTLP_CERTIFICATE: certificates.file('authority.pem'),
    };
    expect(await reachFrom('https://server.test', environment, 'traces')).toEqual({ traces: 'up' });
    expect(proxy.requests).toEqual(['CONNECT server.test:443']);
  });

  test('its name and password are sent, also without a scheme in its address', async () => {
    const { port } = await startServer({ isTls: true });
    const proxy = await startCompanyProxy(port, 'me:p@ss');
    const environment = { https_proxy: `me:p%40ss@127.0.0.1:${proxy.port}`, ...authority() };
    expect(await reachFrom('https://server.test', environment)).toEqual(ALL_REACHED);
  });

  test('a refusal of the proxy is the cause of each failure', async () => {
    const { port } = await startServer({ isTls: true });
    const proxy = await startCompanyProxy(port, 'me:right');
    const environment = { HTTPS_PROXY: `http://me:wrong@127.0.0.1:${proxy.port}`, ...authority() };
    expect(await reachFrom('https://server.test', environment)).toEqual(everywhere('PROXY_RESPONSE_407'));
  });

  test('an unknown authority is the cause of each failure', async () => {
    const { port } = await startServer({ isTls: true });
    const proxy = await startCompanyProxy(port);
    const environment = { ALL_PROXY: `http://127.0.0.1:${proxy.port}` };
    expect(await reachFrom('https://server.test', environment)).toEqual(
      everywhere('UNABLE_TO_VERIFY_LEAF_SIGNATURE'),
    );
  });

  test('plain HTTP is forwarded without a tunnel, and keeps headers of one name apart', async () => {
    const { port, twice } = await startServer({ isTls: false });
    const proxy = await startCompanyProxy(port, 'me:pass');
    const environment = { HTTP_PROXY: `http://me:pass@127.0.0.1:${proxy.port}` };
    expect(await reachFrom('http://server.test:81', environment)).toEqual(ALL_REACHED);
    expect(proxy.requests).toContain('GET http://server.test:81/upstream');
    expect(proxy.requests.join()).not.toContain('CONNECT');
    expect(twice).toEqual([['1', '2']]);
  });

  test('servers of NO_PROXY, and those on this machine, are reached directly', async () => {
    const { port } = await startServer({ isTls: false });
    const proxy = await startCompanyProxy(port);
    const environment = { HTTP_PROXY: `http://127.0.0.1:${proxy.port}`, NO_PROXY: '.invalid' };
    expect(await reachFrom(`http://127.0.0.1:${port}`, environment)).toEqual(ALL_REACHED);
    expect(await reachFrom('http://host.invalid', environment)).toEqual(everywhere('ENOTFOUND'));
    expect(proxy.requests).toEqual([]);
  });
});
