import type {
  AuthProvider,
  JSONRPCMessage,
  OAuthClientProvider,
  Transport,
} from '@modelcontextprotocol/client';
import { countJsonValues, parseKept, writeKept } from '@winnow/core';
import { isJsonObject } from '@winnow/registry';
import type { Redactor } from './describe-failure.ts';
import type { ClientLibrary } from './load-client.ts';
import {
  type After,
  LineReader,
  type ProcessGroup,
  type ProcessOptions,
  startProcessGroup,
} from './process-group.ts';
import { LIMITS_TEXT, MESSAGE_LIMITS } from './server-connection.ts';
import type { HttpTransport, ServerAuth, ServerEntry, StdioTransport } from './server-entry.ts';

export interface TransportEffects {
  readonly after: After;
  /** Lines that servers write to stderr, and to stdout if they are not messages; without secrets. */
  readonly onServerOutput: (server: string, line: string) => void;
}

/** Receives what happens to responses over HTTP. */
export interface ResponseListener {
  /** The text of a message has come; the message itself follows. */
  onText(text: string): void;
  /** No response to a request follows. */
  onEnd(id: unknown): void;
}

/** A transport to a server. */
export interface OpenedTransport {
  readonly transport: Transport;
  /** Sets the listener for what happens to responses over HTTP. */
  listen?: (listener: ResponseListener) => void;
  /** Describes how a process ended; undefined while it runs, and for other transports. Free of secrets. */
  lastWords(): string | undefined;
  /** Resolves when nothing of it is left. */
  close(): Promise<void>;
}

/** Opens the transport that an entry describes, without sending anything. */
export async function openTransport(
  { name, transport }: ServerEntry,
  library: ClientLibrary,
  redactor: Redactor,
  effects: TransportEffects,
): Promise<OpenedTransport> {
  if (transport.type === 'stdio') return openProcess(name, transport, library, redactor, effects);
  return openHttp(transport, library, redactor, effects);
}

const MAX_LINE_CHARS = 4 * 1024;

function openProcess(
  name: string,
  { command, args, env, network, cwd }: StdioTransport,
  { getDefaultEnvironment }: ClientLibrary,
  redactor: Redactor,
  { after, onServerOutput }: TransportEffects,
): OpenedTransport {
  const tell = (line: string) => onServerOutput(name, redactor.quote(line, MAX_LINE_CHARS));
  const transport = new ProcessTransport({
    command,
    args,
    env: { ...getDefaultEnvironment(), ...network, ...env },
    cwd,
    after,
    onStderr: tell,
    onNoise: tell,
  });
  return {
    transport,
    lastWords: () => transport.lastWords && redactor.quote(transport.lastWords),
    close: () => transport.close(),
  };
}

/** A stream of notices that breaks is opened again for as long as the connection lasts. */
const RECONNECTION = {
  initialReconnectionDelay: 1_000,
  maxReconnectionDelay: 300_000,
  reconnectionDelayGrowFactor: 2,
  maxRetries: Number.MAX_SAFE_INTEGER,
} as const;

async function openHttp(
  { url, headers, auth, deniesPrivate }: HttpTransport,
  library: ClientLibrary,
  redactor: Redactor,
  { after }: TransportEffects,
): Promise<OpenedTransport> {
  // The library of the network is large, and servers that are processes do not need it.
  const { createBoundedFetch, SENDING } = await import('./bounded-fetch.ts');
  let listener: ResponseListener | undefined;
  const bounded = createBoundedFetch({
    url,
    deniesPrivate,
    headers,
    issuer: auth?.type === 'client_credentials' ? auth.issuer : undefined,
    onMessage: (text) => listener?.onText(text),
  });
  const authProvider = auth && openAuth(auth, library, redactor);
  const transport = new library.StreamableHTTPClientTransport(new URL(url), {
    fetch: bounded.fetch,
    requestInit: { headers },
    redirectPolicy: 'same-origin',
    reconnectionOptions: RECONNECTION,
    reconnectionScheduler: (reconnect, delay) => after(delay, reconnect),
    // Asking again for the same client gives no other rights.
    onInsufficientScope: 'throw',
    ...(authProvider && { authProvider }),
  });
  const send = transport.send.bind(transport);
  transport.send = (message, options) => {
    const onEnd = 'method' in message && 'id' in message ? () => listener?.onEnd(message.id) : undefined;
    const onRequestStreamEnd = options?.onRequestStreamEnd ?? onEnd;
    const sent = () => send(message, { ...options, ...(onRequestStreamEnd && { onRequestStreamEnd }) });
    return SENDING.run({ text: writeKept(message), onEnd }, sent);
  };
  return {
    transport,
    listen(one) {
      listener = one;
    },
    lastWords: () => undefined,
    async close() {
      await transport.close().catch(() => {});
      await bounded.close().catch(() => {});
    },
  };
}

function openAuth(
  auth: ServerAuth,
  { ClientCredentialsProvider }: ClientLibrary,
  redactor: Redactor,
): AuthProvider | OAuthClientProvider {
  if (auth.type === 'bearer') return { token: async () => auth.token };
  const { clientId, clientSecret, scope, issuer } = auth;
  const provider = new ClientCredentialsProvider({
    clientId,
    clientSecret,
    expectedIssuer: issuer,
    ...(scope !== undefined && { scope }),
  });
  // The configuration says who grants tokens; the server is not asked.
  const discovering: OAuthClientProvider = provider;
  discovering.discoveryState = () => ({ authorizationServerUrl: issuer });
  const save = provider.saveTokens.bind(provider);
  provider.saveTokens = (tokens) => {
    // A granted token is as secret as the credentials for it.
    redactor.add(tokens.access_token);
    if (tokens.refresh_token !== undefined) redactor.add(tokens.refresh_token);
    save(tokens);
  };
  return provider;
}

/** Kept part of a line on stderr. */
const MAX_STDERR_BYTES = 4 * 1024;
/** Messages that wait to be read by the server come to no more than this. */
const MAX_WAITING_BYTES = 64 * 2 ** 20;

export interface ProcessTransportOptions extends ProcessOptions {
  readonly after: After;
  /** Takes each line that the process writes to stderr, cut. */
  readonly onStderr: (line: string) => void;
  /** The process wrote something to stdout that is not a message. */
  readonly onNoise: (line: string) => void;
}

/**
 * A server's process as a transport: a JSON message in each line of its input and output.
 *
 * The vendor's own transport starts no process group, so a server behind `npx` outlives it. This one has `pid`
 * and `stderr`, so the vendor's client treats it like its own, and asks the process itself which revisions it
 * speaks, instead of a second one.
 *
 * Source: https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#stdio
 */
export class ProcessTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  readonly stderr = null;
  readonly #options: ProcessTransportOptions;
  #group: ProcessGroup | undefined;
  #isClosed = false;
  #lastLine = '';
  #ending: Promise<void> | undefined;

  constructor(options: ProcessTransportOptions) {
    this.#options = options;
  }

  get pid(): number | null {
    return this.#group?.child.pid ?? null;
  }

  /** Describes how the process ended, with its last line on stderr; undefined while it runs. May contain secrets. */
  get lastWords(): string | undefined {
    const { exitCode = null, signalCode = null } = this.#group?.child ?? {};
    if (exitCode === null && signalCode === null) return undefined;
    const how = exitCode === null ? `by ${signalCode}` : `with exit code ${exitCode}`;
    return `The process ended ${how}${this.#lastLine === '' ? '.' : `: ${this.#lastLine}`}`;
  }

  start(): Promise<void> {
    this.#group = startProcessGroup(this.#options);
    const { child } = this.#group;
    const output = new LineReader(MESSAGE_LIMITS.bytes);
    const errors = new LineReader(MAX_STDERR_BYTES);
    child.stdout!.on('data', (chunk: Buffer) => {
      for (const line of output.read(chunk)) this.#receive(line);
    });
    child.stderr!.on('data', (chunk: Buffer) => {
      for (const line of errors.read(chunk)) {
        this.#lastLine = line?.trim() || this.#lastLine;
        this.#options.onStderr(line ?? '(a line of more than 4 KiB)');
      }
    });
    for (const stream of [child.stdin!, child.stdout!, child.stderr!])
      stream.on('error', (error) => this.onerror?.(error));
    return new Promise((resolve, reject) => {
      child.once('spawn', resolve);
      child.once('error', (error) => {
        reject(error);
        this.#closed();
      });
      // Not `close`, for which a grandchild that holds the pipes can make us wait for ever.
      child.once('exit', () => this.#closed());
    });
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const stdin = this.#group?.child.stdin;
    if (!stdin || this.#isClosed || !stdin.writable) throw new Error('The process has ended.');
    if (stdin.writableLength > MAX_WAITING_BYTES) throw new Error('The process does not read its input.');
    // Whether it reads at once is not waited for: an answer that does not come is noticed as such.
    stdin.write(`${writeKept(message)}\n`);
  }

  close(): Promise<void> {
    this.#ending ??= this.#group?.end(this.#options.after) ?? Promise.resolve();
    this.#closed();
    return this.#ending;
  }

  #receive(line: string | undefined): void {
    if (line === undefined || hasTooManyValues(line)) {
      this.onerror?.(new Error(`A message is ${LIMITS_TEXT}.`));
      void this.close();
      return;
    }
    if (line.trim() === '' || this.#isClosed) return;
    const message = parseKept(line);
    if (isJsonObject(message)) this.onmessage?.(message as JSONRPCMessage);
    else this.#options.onNoise(line.slice(0, MAX_STDERR_BYTES));
  }

  #closed(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    // Also if the process has ended by itself: the processes that it started may still run.
    this.#ending ??= this.#group?.end(this.#options.after) ?? Promise.resolve();
    this.onclose?.();
  }
}

function hasTooManyValues(line: string): boolean {
  const { values } = MESSAGE_LIMITS;
  // Every value has a character of its own.
  return line.length > values && countJsonValues(Buffer.from(line), values) > values;
}
