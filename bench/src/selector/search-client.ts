import { Agent, request } from 'node:http';

const SEARCH_PATH = '/v1/tool-discovery/search';

/** A selector with its name in tables. */
export interface MeasuredSelector {
  readonly name: 'winnow' | 'baseline';
  readonly client: SearchClient;
}

/** A response with its duration, from the first byte sent to the last byte received. */
export interface TimedAnswer {
  readonly ms: number;
  readonly body: string;
}

/**
 * Sends searches to a selector over kept-alive connections.
 *
 * Contract: as many connections as concurrent searches; bodies are given as bytes, so that measurements
 * include no encoding. A response other than 200 is an error: a bench must not time refusals.
 */
export class SearchClient {
  readonly #origin: string;
  readonly #agent = new Agent({ keepAlive: true });

  constructor(origin: string) {
    this.#origin = origin;
  }

  /** Posts a search. */
  search(body: Buffer): Promise<TimedAnswer> {
    const headers = { 'content-type': 'application/json', 'content-length': body.length };
    return this.#send(SEARCH_PATH, { method: 'POST', headers }, body);
  }

  /** Fetches another path of the selector. */
  get(path: string): Promise<TimedAnswer> {
    return this.#send(path, { method: 'GET' });
  }

  close(): void {
    this.#agent.destroy();
  }

  #send(path: string, options: object, body?: Buffer): Promise<TimedAnswer> {
    return new Promise((resolve, reject) => {
      const startedAt = performance.now();
      const sent = request(`${this.#origin}${path}`, { ...options, agent: this.#agent }, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () => {
          const ms = performance.now() - startedAt;
          const text = Buffer.concat(chunks).toString('utf8');
          if (response.statusCode === 200) resolve({ ms, body: text });
          else reject(new Error(`${path}: ${response.statusCode} ${text.slice(0, 300)}`));
        });
      });
      sent.on('error', reject);
      sent.end(body);
    });
  }
}
