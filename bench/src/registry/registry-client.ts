import { Agent, request } from 'node:http';

/** A response with its duration, from the first byte sent to the last one received. */
export interface TimedResponse {
  readonly ms: number;
  readonly body: Record<string, unknown>;
}

/**
 * Sends requests to a registry over kept-alive connections. A response other than 200 is an error: a bench
 * must not time refusals.
 */
export class RegistryClient {
  readonly #origin: string;
  readonly #agent = new Agent({ keepAlive: true });

  constructor(origin: string) {
    this.#origin = origin;
  }

  /** Registers tools; `more` has further members of the body. */
  register(tools: readonly unknown[], more: object = {}): Promise<TimedResponse> {
    return this.#send('PUT', '/tools', { ...more, tools });
  }

  search(query: string): Promise<TimedResponse> {
    return this.#send('POST', '/search', { query });
  }

  stats(): Promise<TimedResponse> {
    return this.#send('GET', '/stats');
  }

  close(): void {
    this.#agent.destroy();
  }

  #send(method: string, path: string, value?: unknown): Promise<TimedResponse> {
    const body = value === undefined ? Buffer.alloc(0) : Buffer.from(JSON.stringify(value));
    const headers = { 'content-type': 'application/json', 'content-length': body.length };
    return new Promise((resolve, reject) => {
      const startedAt = performance.now();
      const url = `${this.#origin}/v1/registry${path}`;
      const sent = request(url, { method, headers, agent: this.#agent }, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () => {
          const ms = performance.now() - startedAt;
          const text = Buffer.concat(chunks).toString('utf8');
          if (response.statusCode === 200) resolve({ ms, body: JSON.parse(text) });
          else reject(new Error(`${method} ${path}: ${response.statusCode} ${text.slice(0, 300)}`));
        });
      });
      sent.on('error', reject);
      sent.end(body);
    });
  }
}
