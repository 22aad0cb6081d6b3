import {
  createRegistryClient,
  createSelectorClient,
  openSelectorAgent,
  SelectorHealth,
} from '@winnow/clients';
import { openEmbedder } from '@winnow/embeddings';
import { causeCode, openHttpPool, SILENT_SPAN } from '@winnow/service';
import { createLetta } from '../../../apps/attach/src/letta/letta-client.ts';
import type { Upstream } from '../../../apps/proxy/src/upstream/choose-upstream.ts';
import { ClientSignal } from '../../../apps/proxy/src/upstream/client.ts';
import { createUpstreamClient } from '../../../apps/proxy/src/upstream/upstream-client.ts';
import { createBoundedFetch } from '../../../packages/mcp/src/servers/bounded-fetch.ts';
import { startExporting } from '../../../packages/service/src/tracing/start-exporting.ts';
import { readTracingSettings } from '../../../packages/service/src/tracing/tracing-settings.ts';

// Reaches a server with each client of Winnow, in an environment that the test sets; prints each outcome.
const [url = ''] = process.argv.slice(2);
const deadline = (ms: number) => AbortSignal.timeout(ms);
const signal = deadline(20_000);

const clients: Record<string, () => Promise<unknown>> = {
  async upstream() {
    const client = createUpstreamClient();
    const upstream = { name: 'u', origin: new URL(url).origin } as Upstream;
    const headers = ['x-twice', '1', 'x-twice', '2'];
    const request = { upstream, method: 'GET', path: '/upstream', headers, body: null };
    const { status, body } = await client.send({ ...request, signal: new ClientSignal(), span: SILENT_SPAN });
    body.destroy();
    await client.close();
    return status;
  },
  async selector() {
    const agent = openSelectorAgent({});
    const health = new SelectorHealth({ failures: 5, openMs: 1, now: () => 0 });
    const options = { endpoint: `${url}/selector`, apiKey: '', timeoutMs: 20_000 };
    const search = createSelectorClient(
      { ...options, redact: { descriptions: [], sendDefinition: 'full' } },
      { agent, health, deadline },
    );
    const searchable = { id: 'x', tools: [{ name: 'a' }] };
    const asked = { queries: ['a'], searchable, limit: 1, alwaysKeep: [], headers: {} };
    const outcome = await search({ ...asked, signal });
    await agent.destroy();
    return outcome.status ?? outcome.cause;
  },
  async registry() {
    const pool = openHttpPool({ connections: 2 });
    const found = await createRegistryClient({ url, token: '' }, pool).expand(['a'], signal);
    await pool.destroy();
    return found.size;
  },
  async mcp() {
    const server = {
      url: `${url}/mcp`,
      deniesPrivate: false,
      headers: {},
      issuer: undefined,
      onMessage() {},
    };
    const bounded = createBoundedFetch(server);
    const { status } = await bounded.fetch(`${url}/mcp`, { method: 'GET', signal });
    await bounded.close();
    return status;
  },
  async embedder() {
    const embedder = openEmbedder(`${url}/v1#model`, { key: '' });
    const vectors = await embedder.embed(['a'], { signal, isUrgent: true });
    await embedder.close();
    return vectors.length;
  },
  async letta() {
    const pool = openHttpPool({ connections: 2, connect: {} });
    const wait = () => Promise.resolve();
    const options = { url, password: '', timeoutMs: 20_000, pool, deadline, wait, random: () => 0 };
    await createLetta({ ...options, onCall: () => {} }).ping(signal);
    await pool.destroy();
    return 200;
  },
};

/** The collector of traces, whose exporter has no causes. */
async function traces(): Promise<string> {
  let state = 'up';
  const environment = { ...process.env, OTEL_EXPORTER_OTLP_ENDPOINT: url };
  const read = readTracingSettings(environment);
  if (!read.ok || read.tracing === undefined) return 'off';
  const clock = { now: () => performance.now(), wallClock: () => Date.now() };
  const tracing = startExporting(read.tracing, {
    ...{ serviceName: 'test', clock },
    onChange: (next) => {
      state = next;
    },
  });
  tracing.tracer.start('a', 'server', {}).end();
  await tracing.close(signal);
  return state;
}

const reached = process.argv[3] === 'traces' ? { traces } : clients;
const outcomes: Record<string, unknown> = {};
for (const [name, reach] of Object.entries(reached)) {
  outcomes[name] = await reach().catch((error) => causeCode(error) ?? String(error));
}
process.stdout.write(JSON.stringify(outcomes), () => process.exit());
