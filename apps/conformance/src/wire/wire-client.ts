import { EventEmitter, once } from 'node:events';
import { type Agent, type ClientRequest, type IncomingMessage, request as openPlain } from 'node:http';
import { request as openSecure } from 'node:https';
import type { HeaderList } from '../formats/client-format.ts';
import type { ClientView, ResponseEnd, WireRequest } from './exchange.ts';

/** One request on its way, and what came back so far. */
export class WireClient {
  readonly #changes = new EventEmitter();
  readonly #outgoing: ClientRequest;
  readonly #body: readonly Uint8Array[];
  readonly #chunks: Buffer[] = [];
  #incoming: IncomingMessage | undefined;
  #end: ResponseEnd | undefined;
  #cause: string | undefined;
  #bytes = 0;
  #mayGoOn = false;

  /** Opens the connection, or takes that of an agent. `url` is the gateway's address, without a slash at the end. */
  constructor(
    url: string,
    { method, path, headers, body }: WireRequest,
    { reads, agent = false }: { readonly reads: boolean; readonly agent: Agent | undefined | false },
  ) {
    this.#body = body;
    this.#changes.setMaxListeners(0);
    const length = body.length === 1 ? [['content-length', String(body[0]!.length)] as const] : [];
    const lines = [...headers, ...length, ['host', new URL(url).host] as const];
    const { protocol, hostname, port, pathname } = new URL(url);
    const base = pathname.replace(/\/$/, '');
    const open = protocol === 'https:' ? openSecure : openPlain;
    this.#outgoing = open({
      hostname: hostname.replace(/^\[|\]$/g, ''),
      port,
      method,
      path: base + path,
      headers: lines.flat() as never,
      agent,
      setHost: false,
    });
    this.#outgoing.once('error', ({ code, message }: NodeJS.ErrnoException) => {
      this.#cause = code ?? message;
      this.#finish(this.#incoming ? 'broken' : 'no-response');
    });
    this.#outgoing.once('continue', () => {
      this.#mayGoOn = true;
      this.#changes.emit('change');
    });
    this.#outgoing.once('response', (incoming) => this.#receive(incoming, reads));
  }

  /** Sends the body. */
  send(): void {
    for (const chunk of this.#body) this.#outgoing.write(chunk);
    this.#outgoing.end();
  }

  /** Sends the first half of the body. */
  sendHalf(): void {
    const all = Buffer.concat(this.#body);
    this.#outgoing.write(all.subarray(0, all.length >> 1));
  }

  /** Sends the second half of the body. */
  sendRest(): void {
    const all = Buffer.concat(this.#body);
    this.#outgoing.end(all.subarray(all.length >> 1));
  }

  /** Whether the other side has asked for the body, as it must where a request has `expect: 100-continue`. */
  get mayGoOn(): boolean {
    return this.#mayGoOn;
  }

  /** Closes the connection. */
  leave(end: ResponseEnd = 'left'): void {
    this.#finish(end);
    this.#outgoing.destroy();
  }

  /** Goes on reading. */
  resume(): void {
    this.#incoming?.resume();
  }

  get hasHead(): boolean {
    return this.#incoming !== undefined;
  }

  /** Bytes of the body received so far. */
  get bytes(): number {
    return this.#bytes;
  }

  /** The encoding of the body, as the response names it. */
  get encoding(): string | undefined {
    return this.#incoming?.headers['content-encoding'];
  }

  get body(): Buffer {
    return Buffer.concat(this.#chunks);
  }

  get hasEnded(): boolean {
    return this.#end !== undefined;
  }

  /** Resolves with true once the condition holds, with false after `ms` or when the response has ended without. */
  async until(condition: () => boolean, ms: number): Promise<boolean> {
    const limit = AbortSignal.timeout(ms);
    while (!condition()) {
      if (this.hasEnded || limit.aborted) return condition();
      await once(this.#changes, 'change', { signal: limit }).catch(() => {});
    }
    return true;
  }

  /** The client's view so far. */
  get view(): ClientView {
    const { statusCode = 0, rawHeaders = [] } = this.#incoming ?? {};
    return {
      status: statusCode,
      headers: pairsOf(rawHeaders),
      body: this.body,
      end: this.#end ?? 'timeout',
      cause: this.#cause,
    };
  }

  #receive(incoming: IncomingMessage, reads: boolean): void {
    this.#incoming = incoming;
    incoming.on('data', (chunk: Buffer) => {
      this.#chunks.push(chunk);
      this.#bytes += chunk.length;
      this.#changes.emit('change');
    });
    incoming.once('error', () => this.#finish('broken'));
    incoming.once('close', () => this.#finish(incoming.complete ? 'complete' : 'broken'));
    if (!reads) incoming.pause();
    this.#changes.emit('change');
  }

  #finish(end: ResponseEnd): void {
    this.#end ??= end;
    this.#changes.emit('change');
  }
}

/** Raw headers as lower-case names and values. */
export function pairsOf(rawHeaders: readonly string[]): HeaderList {
  return rawHeaders.flatMap((name, at) =>
    at % 2 === 0 ? [[name.toLowerCase(), rawHeaders[at + 1]!] as const] : [],
  );
}
