import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { FakeServers } from './fake-servers.ts';
import { ask, register, start, tool } from './start.ts';

const MIB = 2 ** 20;
const RESULT_BYTES = 16 * MIB;
const HELD_BYTES = 64 * MIB;

async function startDoor() {
  const servers = new FakeServers();
  const registry = await start({ maxHeldBytes: HELD_BYTES }, { serversOf: () => servers });
  const backend = { kind: 'mcp', server: 'files' };
  await register(
    registry,
    ['large', 'small', 'hang'].map((name) => tool(name, { namespace: 'files', backend })),
  );
  return { registry, servers };
}

/** A call over a connection of its own, of a client that reads nothing so far. */
function callOf(url: string, name: string): { sent: ClientRequest; answered: Promise<IncomingMessage> } {
  const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
  const sent = request(`${url}/mcp`, { method: 'POST', agent: false, headers });
  const params = { name: 'call_tool', arguments: { name, arguments: {} } };
  sent.end(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }));
  onTestFinished(() => void sent.destroy());
  const answered = new Promise<IncomingMessage>((resolve, reject) => {
    sent.once('response', resolve);
    sent.on('error', reject);
  });
  answered.catch(() => {});
  return { sent, answered };
}

/** Reads what is left of a response: its bytes, or that it broke. */
async function readRest(response: IncomingMessage): Promise<number | 'broken'> {
  try {
    let bytes = 0;
    for await (const chunk of response) bytes += (chunk as Buffer).length;
    return response.complete ? bytes : 'broken';
  } catch {
    return 'broken';
  }
}

test('clients that do not read hold no more than there is room for, and others are served all the while', async () => {
  const { registry, servers } = await startDoor();
  const text = 'x'.repeat(RESULT_BYTES);
  const signals: AbortSignal[] = [];
  servers.answer = ({ tool: name, options }) => {
    if (name === 'hang') {
      const { signal } = options;
      signals.push(signal!);
      return new Promise((resolve) => signal!.addEventListener('abort', () => resolve({ content: [] })));
    }
    return { content: [{ type: 'text', text: name === 'large' ? text : 'done' }] };
  };
  const small = async () => {
    const { answered } = callOf(registry.url, 'small');
    return readRest(await answered);
  };
  const leaving = Array.from({ length: 8 }, () => callOf(registry.url, 'hang'));
  await expect.poll(() => signals.length).toBe(8);
  const slow: IncomingMessage[] = [];
  for (let n = 0; n < 24; n++) {
    slow.push(await callOf(registry.url, 'large').answered);
    if (n % 8 === 0) {
      leaving[n / 8]!.sent.destroy();
      expect(await small()).toBeGreaterThan(0);
    }
  }
  for (const { sent } of leaving) sent.destroy();
  await expect.poll(() => signals.every(({ aborted }) => aborted)).toBe(true);
  expect(await small()).toBeGreaterThan(0);

  const read = await Promise.all(slow.map(readRest));
  const whole = read.filter((bytes) => bytes !== 'broken');
  // Those that came last are read whole; a system keeps some MiB of each for us, so that not just four of them are.
  expect(read.at(-1)).toBeGreaterThan(RESULT_BYTES);
  expect(whole.length).toBeLessThanOrEqual(16);
  for (const bytes of whole) expect(bytes).toBeGreaterThan(RESULT_BYTES);
  const cutOff = read.length - whole.length;
  const told = registry.logs().filter(({ event }) => event === 'mcp_reader_lost');
  expect(told).toHaveLength(cutOff);
  for (const { waitingBytes } of told) expect(waitingBytes).toBeGreaterThan(0);
  expect((await ask('GET', `${registry.url}/readyz`)).status).toBe(200);
});
