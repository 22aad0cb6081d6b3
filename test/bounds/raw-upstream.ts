import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

/** The upstream's response to every request. */
export interface RawAnswer {
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** A short chat completion. */
export const SHORT_ANSWER: RawAnswer = {
  body: Buffer.from(
    JSON.stringify({
      id: 'chatcmpl-1',
      object: 'chat.completion',
      created: 1,
      model: 'm',
      choices: [{ index: 0, message: { role: 'assistant', content: 'Done.' }, finish_reason: 'stop' }],
      usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
    }),
  ),
};

/**
 * Starts an upstream that accepts any request, discards it, and responds. Returns its URL; it is closed when
 * the test ends.
 */
export async function startRawUpstream(answer: () => RawAnswer = () => SHORT_ANSWER): Promise<string> {
  // This process may be busy for long. A connection that it closes meanwhile would look like a fault of the
  // proxy.
  const server = createServer({ keepAliveTimeout: 0 }, (incoming, outgoing) => {
    incoming.on('error', () => {});
    outgoing.on('error', () => {});
    incoming.resume().once('end', () => {
      const { headers, body } = answer();
      outgoing.writeHead(200, { 'content-type': 'application/json', ...headers }).end(body);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
