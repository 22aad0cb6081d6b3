import { Agent, request } from 'node:http';

export type Era = 'legacy' | 'modern';

const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
};

/**
 * Calls tools over a kept-alive connection, like a connected client of that era. A response without a result
 * is an error.
 */
export class McpCaller {
  readonly #url: string;
  readonly #era: Era;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 });
  #id = 0;

  constructor(url: string, era: Era) {
    this.#url = url;
    this.#era = era;
  }

  /** Duration of the call in milliseconds, from the first byte sent to the last one received. */
  call(name: string, args: object): Promise<number> {
    const isModern = this.#era === 'modern';
    const params = { name, arguments: args, ...(isModern && { _meta: META }) };
    const body = Buffer.from(
      JSON.stringify({ jsonrpc: '2.0', id: ++this.#id, method: 'tools/call', params }),
    );
    const headers = {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'content-length': body.length,
      'mcp-protocol-version': isModern ? '2026-07-28' : '2025-11-25',
      ...(isModern && { 'mcp-method': 'tools/call', 'mcp-name': name }),
    };
    return new Promise((resolve, reject) => {
      const startedAt = performance.now();
      const sent = request(this.#url, { method: 'POST', headers, agent: this.#agent }, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () => {
          const ms = performance.now() - startedAt;
          const text = Buffer.concat(chunks).toString('utf8');
          if (text.includes('"content"') && !text.includes('"isError":true')) resolve(ms);
          else reject(new Error(`${this.#url}: ${response.statusCode} ${text.slice(0, 300)}`));
        });
      });
      sent.on('error', reject);
      sent.end(body);
    });
  }

  close(): void {
    this.#agent.destroy();
  }
}
