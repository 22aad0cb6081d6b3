import type { AuthProvider, OAuthClientProvider, Transport } from '@modelcontextprotocol/client';
import { writeKept } from '@winnow/core';
import type { ClientLibrary } from './load-client.ts';
import type { After } from './process-group.ts';
import { ProcessTransport } from './process-transport.ts';
import type { Redactor } from './redact.ts';
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
