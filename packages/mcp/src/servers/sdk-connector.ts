import type { Client, JSONRPCMessage, McpSubscription } from '@modelcontextprotocol/client';
import { keptMember, membersOf, parseJson, parseKept, textOf, valueStart } from '@winnow/core';
import { orAborted } from './bound-wait.ts';
import { describeFailure, Redactor, toCallProblem } from './describe-failure.ts';
import { CallProblem, ServerProblem } from './failures.ts';
import { type ClientLibrary, loadClient } from './load-client.ts';
import type { CallResult, Progress } from './mcp-servers.ts';
import { type OpenedTransport, openTransport, type TransportEffects } from './open-transport.ts';
import type {
  ConnectionEvents,
  Connector,
  SentRequest,
  ServerConnection,
  ServerSubscription,
} from './server-connection.ts';
import { type ServerEntry, secretsOf } from './server-entry.ts';

/** Disables the client's own timeout, as signals end requests. The longest delay of Node's timers. */
const NO_TIMEOUT_MS = 2 ** 31 - 1;

/** Time limit for asking a process for its protocol revisions, after which it counts as an old server. */
const PROBE_TIMEOUT_MS = 10_000;

interface SdkConnectorOptions extends TransportEffects {
  /** Name and version that servers see. */
  readonly clientInfo: { readonly name: string; readonly version: string };
}

/** Connects to servers by the vendor's client, in both eras of the protocol. */
export function createSdkConnector(options: SdkConnectorOptions): Connector {
  return {
    async connect(entry, events, signal) {
      const library = await loadClient();
      const redactor = new Redactor(secretsOf(entry));
      const opening = { entry, events, signal, library, redactor, options };
      try {
        return await open(opening, false);
      } catch (error) {
        if (!hasDiedOfTheQuestion(error, entry, signal, library))
          throw describeFailure(error, library, redactor);
      }
      try {
        return await open(opening, true);
      } catch (error) {
        throw describeFailure(error, library, redactor);
      }
    },
  };
}

interface Opening {
  readonly entry: ServerEntry;
  readonly events: ConnectionEvents;
  readonly signal: AbortSignal;
  readonly library: ClientLibrary;
  readonly redactor: Redactor;
  readonly options: SdkConnectorOptions;
}

/** Old servers exit if the first message is not `initialize`: they are restarted, without that question. */
function hasDiedOfTheQuestion(
  error: unknown,
  { transport }: ServerEntry,
  signal: AbortSignal,
  { SdkError, SdkErrorCode }: ClientLibrary,
): boolean {
  if (transport.type !== 'stdio' || signal.aborted || !SdkError.isInstance(error)) return false;
  return error.code === SdkErrorCode.EraNegotiationFailed || error.code === SdkErrorCode.ConnectionClosed;
}

async function open(opening: Opening, isLegacy: boolean): Promise<ServerConnection> {
  const { entry, library, redactor, options, signal } = opening;
  signal.throwIfAborted();
  const opened = await openTransport(entry, library, redactor, options);
  const client = new library.Client(options.clientInfo, {
    capabilities: {},
    versionNegotiation: {
      mode: 'auto',
      probe: { timeoutMs: entry.transport.type === 'stdio' ? PROBE_TIMEOUT_MS : NO_TIMEOUT_MS },
    },
    inputRequired: { autoFulfill: false },
  });
  // Ends the connection as soon as its caller gives up.
  const stop = () => void opened.close();
  signal.addEventListener('abort', stop, { once: true });
  try {
    await client.connect(opened.transport, {
      timeout: NO_TIMEOUT_MS,
      signal,
      ...(isLegacy && { prior: { kind: 'legacy' as const } }),
    });
    signal.throwIfAborted();
    return new SdkConnection(client, opened, opening);
  } catch (error) {
    const lastWords = signal.aborted ? undefined : opened.lastWords();
    await opened.close();
    // Without the probe, the process itself is at fault.
    if (isLegacy && lastWords !== undefined) throw new ServerProblem('unreachable', lastWords);
    throw error;
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

/** Accepts every result; its user checks it. */
const ANYTHING = {
  '~standard': { version: 1 as const, vendor: 'winnow', validate: (value: unknown) => ({ value }) },
};

class SdkConnection implements ServerConnection {
  readonly era: ServerConnection['era'];
  readonly protocolVersion: string;
  readonly hasTools: boolean;
  readonly features: ServerConnection['features'];
  readonly instructions: string | undefined;
  readonly #client: Client;
  readonly #opened: OpenedTransport;
  readonly #opening: Opening;
  /** The lists whose changes it announces. */
  readonly #told: Parameters<Client['listen']>[0];
  readonly #subscriptions: ConnectionSubscriptions;
  #listening: Promise<McpSubscription | undefined> | undefined;
  readonly #raw: RawAnswers;
  #isClosing = false;

  constructor(client: Client, opened: OpenedTransport, opening: Opening) {
    this.#client = client;
    this.#opened = opened;
    this.#opening = opening;
    this.era = client.getProtocolEra() === 'modern' ? 'modern' : 'legacy';
    this.protocolVersion = client.getNegotiatedProtocolVersion() ?? 'unknown';
    const { tools, prompts, resources, completions } = client.getServerCapabilities() ?? {};
    this.hasTools = tools !== undefined;
    this.features = {
      prompts: prompts !== undefined,
      resources: resources !== undefined,
      subscriptions: resources?.subscribe === true,
      completions: completions !== undefined,
    };
    this.instructions = client.getInstructions();
    this.#told = {
      ...(tools?.listChanged && { toolsListChanged: true }),
      ...(prompts?.listChanged && { promptsListChanged: true }),
      ...(resources?.listChanged && { resourcesListChanged: true }),
    };
    this.#raw = new RawAnswers(opened);
    this.#subscriptions = new ConnectionSubscriptions(client, this.era === 'modern');
    const { onListChanged, onLost } = opening.events;
    for (const list of ['tools', 'prompts', 'resources'] as const)
      client.setNotificationHandler(`notifications/${list}/list_changed`, () => onListChanged());
    client.onclose = () => {
      this.#subscriptions.end();
      if (this.#isClosing) return;
      this.#isClosing = true;
      const lastWords = opened.lastWords();
      void opened.close();
      onLost(lastWords ?? 'The connection was closed.');
    };
    // Callers receive most of these errors as well; the others are harmless.
    client.onerror = () => {};
  }

  async listPage(
    method: Parameters<ServerConnection['listPage']>[0],
    cursor: string | undefined,
    signal: AbortSignal,
  ): Promise<unknown> {
    const { library, redactor } = this.#opening;
    const params = cursor === undefined ? {} : { cursor };
    try {
      return await this.#raw.ask((_, lost) =>
        this.#client.request({ method, params }, ANYTHING, optionsOf(lost, signal)),
      );
    } catch (error) {
      throw describeFailure(error, library, redactor, this.#hasSession);
    }
  }

  async request({
    method,
    params,
    signal,
    onProgress,
    meta,
    inputResponses,
    requestState,
    headers,
  }: SentRequest): Promise<CallResult> {
    const { entry, library, redactor } = this.#opening;
    const send = (progressToken: string | undefined, lost: AbortSignal) => {
      const sent = {
        ...params,
        ...((meta || progressToken) && { _meta: { ...meta, ...(progressToken && { progressToken }) } }),
        ...(inputResponses && { inputResponses }),
        ...(requestState !== undefined && { requestState }),
      };
      const options = { ...optionsOf(lost, signal), ...(headers && { headers }) };
      return this.#client.request({ method, params: sent }, ANYTHING, options);
    };
    let result: unknown;
    try {
      result = await this.#raw.ask(send, onProgress);
    } catch (error) {
      throw toCallProblem(entry.name, error, library, redactor, this.#hasSession);
    }
    if (typeof result === 'object' && result !== null) return result as CallResult;
    throw new CallProblem(
      'bad_answer',
      `The server "${entry.name}" answered with something that is not a result.`,
      undefined,
      'bad_answer',
    );
  }

  async subscribe(uri: string, onUpdated: () => void, signal: AbortSignal): Promise<ServerSubscription> {
    const { entry, library, redactor } = this.#opening;
    try {
      return await this.#subscriptions.subscribe(uri, onUpdated, signal);
    } catch (error) {
      throw toCallProblem(entry.name, error, library, redactor, this.#hasSession);
    }
  }

  get #hasSession(): boolean {
    return this.#opened.transport.sessionId !== undefined;
  }

  listen(): void {
    // Servers of the other era send notifications unasked.
    if (this.era === 'legacy' || Object.keys(this.#told).length === 0 || this.#isClosing) return;
    this.#listening ??= this.#listen();
  }

  async close(): Promise<void> {
    this.#isClosing = true;
    this.#subscriptions.end();
    await this.#opened.close();
    await this.#client.close().catch(() => {});
  }

  async #listen(): Promise<McpSubscription | undefined> {
    try {
      const subscription = await this.#client.listen(this.#told);
      // Asked for again after the next refresh.
      void subscription.closed.then(() => {
        this.#listening = undefined;
      });
      return subscription;
    } catch {
      this.#listening = undefined;
      return undefined;
    }
  }
}

function optionsOf(lost: AbortSignal, signal: AbortSignal | undefined) {
  return { timeout: NO_TIMEOUT_MS, signal: signal ? AbortSignal.any([signal, lost]) : lost };
}

/** A request for an unchanged result. */
interface Asked {
  answer: unknown;
  /** The data of an error. */
  data?: unknown;
  isAnswered: boolean;
  /** Aborts when no response can come any more. */
  readonly lost: AbortController;
}

/** Passes the vendor's checks of both eras for every request that is asked here. */
const STAND_IN = {
  ...{ resultType: 'complete', ttlMs: 0, cacheScope: 'private' },
  ...{ tools: [], prompts: [], resources: [], resourceTemplates: [] },
  ...{ content: [], messages: [], contents: [], completion: { values: [] } },
} as const;

/**
 * Answers as servers give them. The vendor's client checks a list as a whole, so that one bad tool would cost all of them; it refuses results
 * with kinds of content that it does not know, and loses progress that comes with the result. So a connected transport is tapped: the client
 * gets a stand-in for each result, and the caller gets the result itself.
 */
class RawAnswers {
  readonly #asked = new Map<string | number, Asked>();
  readonly #progress = new Map<unknown, (progress: Progress) => void>();
  /** The request that is being sent in this very turn. */
  #sending: Asked | undefined;
  #count = 0;

  /** @param opened the transport of a client that is connected. */
  constructor({ transport, listen }: OpenedTransport) {
    listen?.({
      onText: (text) => this.#note(text),
      onEnd: (id) => {
        const asked = this.#asked.get(id as string);
        if (asked?.isAnswered === false) asked.lost.abort(STREAM_ENDED);
      },
    });
    const { onmessage: receive } = transport;
    const send = transport.send.bind(transport);
    transport.send = (message, options) => {
      if (this.#sending !== undefined && 'method' in message && 'id' in message) {
        const { signal } = this.#sending.lost;
        this.#asked.set(message.id, this.#sending);
        this.#sending = undefined;
        return send(message, { ...options, requestSignal: options?.requestSignal ?? signal });
      }
      return send(message, options);
    };
    transport.onmessage = (message, extra) => {
      const passed = this.#take(message);
      if (passed !== undefined) receive?.call(transport, passed as never, extra);
    };
  }

  /**
   * Returns the answer to a request, unchecked. Rejects like the client.
   *
   * @param send makes the client send the request, at once; gets the token that progress is asked for with,
   *   when it is, and a signal that aborts when no response can come any more.
   */
  async ask(
    send: (progressToken: string | undefined, lost: AbortSignal) => Promise<unknown>,
    onProgress?: (progress: Progress) => void,
  ): Promise<unknown> {
    const asked: Asked = { answer: undefined, isAnswered: false, lost: new AbortController() };
    const token = onProgress && `winnow-${++this.#count}`;
    if (onProgress) this.#progress.set(token, onProgress);
    this.#sending = asked;
    try {
      const sent = send(token, asked.lost.signal);
      this.#sending = undefined;
      await orAborted(sent, asked.lost.signal);
      return asked.answer;
    } finally {
      this.#progress.delete(token);
      for (const [id, one] of this.#asked) if (one === asked) this.#asked.delete(id);
    }
  }

  /** Keeps the result in the text of a message, if it was requested here. */
  #note(text: string): void {
    const members = membersOf(text, valueStart(text));
    const of = (key: string) => members.findLast((member) => member.key === key)?.value;
    const [id, result, error] = [of('id'), of('result'), of('error')];
    const asked = id && this.#asked.get(parseJson(textOf(text, id)) as string);
    if (asked === undefined) return;
    if (result !== undefined) asked.answer = parseKept(textOf(text, result));
    if (error !== undefined) asked.data = dataOf(parseKept(textOf(text, error)));
  }

  /** Returns the message that the client receives; undefined for none. */
  #take(message: JSONRPCMessage): JSONRPCMessage | undefined {
    if ('method' in message && message.method === 'notifications/progress') {
      const { progressToken, ...progress } = (message.params ?? {}) as Record<string, unknown>;
      const listener = this.#progress.get(progressToken);
      if (listener === undefined) return message;
      listener(progress as unknown as Progress);
      return undefined;
    }
    if ('method' in message || message.id === undefined) return message;
    const asked = this.#asked.get(message.id);
    if (asked === undefined) return message;
    asked.isAnswered = true;
    if (!('result' in message)) {
      const data = asked.data ?? dataOf(keptMember(message, 'error'));
      return { ...message, error: { ...message.error, ...(data !== undefined && { data }) } };
    }
    asked.answer ??= keptMember(message, 'result');
    return { ...message, result: STAND_IN as never };
  }
}

/** Returns the data of an error, which remember their text. */
function dataOf(error: unknown): unknown {
  return typeof error === 'object' && error !== null ? keptMember(error, 'data') : undefined;
}

const STREAM_ENDED = new ServerProblem('unreachable', 'The stream of its response ended.', {
  failure: 'connection_broken',
});

interface Subscribed {
  readonly listeners: Set<() => void>;
  /** Resolves with a function that ends the subscription on the server. */
  readonly opened: Promise<() => Promise<void>>;
  readonly closed: Promise<void>;
}

/**
 * Subscriptions to resources on one connection, in both eras of the protocol. Listeners of one resource share a subscription.
 *
 * Sources: https://modelcontextprotocol.io/specification/2025-11-25/server/resources#subscriptions,
 * https://modelcontextprotocol.io/specification/2026-07-28/server/resources#subscriptions
 */
class ConnectionSubscriptions {
  readonly #client: Client;
  readonly #isModern: boolean;
  readonly #byUri = new Map<string, Subscribed>();
  readonly #lost: Promise<void>;
  /** Ends all of them, because the connection is lost. */
  readonly end: () => void;

  constructor(client: Client, isModern: boolean) {
    this.#client = client;
    this.#isModern = isModern;
    const { promise, resolve } = Promise.withResolvers<void>();
    [this.#lost, this.end] = [promise, resolve];
    client.setNotificationHandler('notifications/resources/updated', ({ params }) => this.#tell(params.uri));
  }

  /** Rejects as the client does. */
  async subscribe(uri: string, onUpdated: () => void, signal: AbortSignal): Promise<ServerSubscription> {
    const subscribed = this.#byUri.get(uri) ?? this.#open(uri, signal);
    // A new function, because one listener may subscribe twice.
    const listener = () => onUpdated();
    subscribed.listeners.add(listener);
    const stop = async () => {
      if (!subscribed.listeners.delete(listener) || subscribed.listeners.size > 0) return;
      if (this.#byUri.get(uri) === subscribed) this.#byUri.delete(uri);
      await subscribed.opened.then((close) => close()).catch(() => {});
    };
    try {
      await subscribed.opened;
    } catch (error) {
      await stop();
      throw error;
    }
    return { closed: subscribed.closed, stop };
  }

  #open(uri: string, signal: AbortSignal): Subscribed {
    const { promise: ended, resolve: end } = Promise.withResolvers<void>();
    const opened = this.#isModern ? this.#listen(uri, signal, end) : this.#ask(uri, signal);
    opened.catch(() => {});
    const subscribed = {
      listeners: new Set<() => void>(),
      opened,
      closed: Promise.race([this.#lost, ended]),
    };
    this.#byUri.set(uri, subscribed);
    void subscribed.closed.then(() => {
      if (this.#byUri.get(uri) === subscribed) this.#byUri.delete(uri);
    });
    return subscribed;
  }

  async #listen(uri: string, signal: AbortSignal, onEnd: () => void): Promise<() => Promise<void>> {
    const subscription = await this.#client.listen({ resourceSubscriptions: [uri] }, { signal });
    void subscription.closed.then(onEnd);
    return () => subscription.close();
  }

  async #ask(uri: string, signal: AbortSignal): Promise<() => Promise<void>> {
    await this.#client.subscribeResource({ uri }, { signal });
    return async () => void (await this.#client.unsubscribeResource({ uri }));
  }

  /** A server may name a part of the resource that was subscribed to. */
  #tell(uri: string): void {
    for (const [subscribed, { listeners }] of this.#byUri) {
      if (uri.startsWith(subscribed)) for (const listener of [...listeners]) listener();
    }
  }
}
