/**
 * Measures the cost of calling Letta without attaching tools. Runs as a process of its own: makes the calls
 * that it receives, with the given concurrency, and reads the responses. Its argument is the server's URL.
 */
import { createServer } from 'node:http';
import { Agent } from 'undici';
import { listenAsProcess } from '../proxy/listen-as-process.ts';
import type { LettaCallStep } from './letta-steps.ts';

const origin = process.argv[2]!;
const pool = new Agent({ connections: 32, pipelining: 1 });
const headers = { accept: 'application/json', 'x-stainless-package-version': '1.12.1' };

const server = createServer(async (incoming, outgoing) => {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk);
  const steps = JSON.parse(Buffer.concat(chunks).toString()) as readonly (readonly LettaCallStep[])[];
  let bytes = 0;
  for (const step of steps)
    await Promise.all(
      step.map(async ({ method, path }) => {
        const { body } = await pool.request({ origin, path, method, headers });
        for await (const piece of body as AsyncIterable<Buffer>) bytes += piece.length;
      }),
    );
  outgoing.end(JSON.stringify({ bytes }));
});
await listenAsProcess(server, 'bench calls only');
