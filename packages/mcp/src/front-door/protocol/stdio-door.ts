import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import type { Server, Transport } from '@modelcontextprotocol/server';
import { parseKept, writeKept } from '@winnow/core';
import { isJsonObject } from '@winnow/registry';
import { LineReader } from '../../servers/process-group.ts';
import { MESSAGE_LIMITS } from '../../servers/server-connection.ts';
import type { FrontDoor } from '../front-door.ts';
import {
  createProtocolServer,
  loadServerPackage,
  loadStdioPackage,
  type ProtocolIdentity,
} from './create-protocol-server.ts';
import { holdArguments, onOneLine, releaseResult } from './kept-messages.ts';
import { ResourceSubscriptions } from './resource-subscriptions.ts';

export interface StdioDoorOptions {
  readonly door: FrontDoor;
  readonly identity: ProtocolIdentity;
  readonly input: Readable;
  /** Takes the protocol, and must take nothing else. */
  readonly output: Writable;
  /** Receives internal errors, which the client never sees. Must not throw. */
  readonly onDefect: (error: unknown) => void;
  /** The client has ended the connection. */
  readonly onClosed: () => void;
}

/** A front door over stdin and stdout. */
export interface StdioDoor {
  notifyListChanged(): void;
  close(): Promise<void>;
}

/** Serves one client, of either era. Rejects when the vendor's package is not installed, with the line that installs it. */
export async function openStdioDoor(options: StdioDoorOptions): Promise<StdioDoor> {
  const { door, identity, input, output, onDefect, onClosed } = options;
  const [library, stdio] = await Promise.all([loadServerPackage(), loadStdioPackage()]);
  // The last one is the one that serves: a probe of the newer era is made before.
  let server: Server | undefined;
  const { offers } = door;
  const resources = new ResourceSubscriptions({
    ...{ offers, onDefect, limit: MAX_RESOURCES },
    onUpdated: (uri) => void server?.sendResourceUpdated({ uri }).catch(() => {}),
  });
  const transport = new LineTransport(input, output);
  const handle = stdio.serveStdio(
    () => {
      server = createProtocolServer({
        ...{ door, identity, library, onDefect },
        over: 'stdio',
        subscriptions: onceEach(resources),
      });
      return server;
    },
    { transport },
  );
  subscribeListeners(transport, resources, onDefect);
  const stopTelling = offers.onChange((changed) => {
    if (changed.prompts) void server?.sendPromptListChanged().catch(() => {});
    if (changed.resources) void server?.sendResourceListChanged().catch(() => {});
  });
  input.once('end', onClosed);
  input.once('close', onClosed);
  return {
    notifyListChanged: () => void server?.sendToolListChanged().catch(() => {}),
    close: async () => {
      stopTelling();
      resources.close();
      await handle.close();
    },
  };
}

/** Lines of JSON as a transport. */
class LineTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: Message) => void;
  readonly #input: Readable;
  readonly #output: Writable;
  readonly #lines = new LineReader(MESSAGE_LIMITS.bytes);

  constructor(input: Readable, output: Writable) {
    [this.#input, this.#output] = [input, output];
  }

  async start(): Promise<void> {
    this.#input.on('data', this.#read);
    this.#input.once('end', this.#end).once('close', this.#end);
    for (const stream of [this.#input, this.#output]) stream.on('error', this.#end);
  }

  async send(message: Message): Promise<void> {
    const line = `${onOneLine(releaseResult(writeKept(message)))}\n`;
    if (!this.#output.write(line)) await once(this.#output, 'drain');
  }

  async close(): Promise<void> {
    this.#input.off('data', this.#read).pause();
    this.#end();
  }

  readonly #read = (chunk: Buffer) => {
    for (const line of this.#lines.read(chunk)) {
      const message = parseKept(line ?? '');
      if (isJsonObject(message)) this.onmessage?.(holdArguments(message) as Message);
      else if (line?.trim() !== '') this.onerror?.(new Error('A line is no message.'));
    }
  };

  readonly #end = () => {
    const { onclose } = this;
    delete this.onclose;
    onclose?.();
  };
}

/** Most resources that the client is subscribed to. */
const MAX_RESOURCES = 256;

type Message = Parameters<NonNullable<Transport['onmessage']>>[0];

/** Lets a client subscribe to a resource once, however often it asks. */
function onceEach(resources: ResourceSubscriptions) {
  const added = new Set<string>();
  return {
    async add(uri: string) {
      if (added.has(uri)) return undefined;
      added.add(uri);
      const problem = await resources.add(uri);
      if (problem !== undefined) added.delete(uri);
      return problem;
    },
    remove(uri: string) {
      if (added.delete(uri)) resources.remove(uri);
    },
  };
}

/** Clients of 2026-07-28 subscribe by listening, which the vendor's package handles by itself: their messages are read before it. */
function subscribeListeners(
  transport: Transport,
  resources: ResourceSubscriptions,
  onDefect: (error: unknown) => void,
): void {
  const { onmessage: receive } = transport;
  const ends = new Map<unknown, () => void>();
  transport.onmessage = (message, extra) => {
    const pass = (passed: Message) => receive?.call(transport, passed, extra);
    if ('method' in message && message.method === 'notifications/cancelled') {
      const { requestId } = (message.params ?? {}) as { readonly requestId?: unknown };
      ends.get(requestId)?.();
      ends.delete(requestId);
    }
    if (!('method' in message) || !('id' in message) || message.method !== 'subscriptions/listen')
      return pass(message);
    let isCancelled = false;
    ends.set(message.id, () => {
      isCancelled = true;
    });
    resources
      .listen(message)
      .then((listening) => {
        if (isCancelled) listening?.end();
        else if (listening !== undefined) ends.set(message.id, listening.end);
        pass((listening?.message ?? message) as Message);
      })
      .catch(onDefect);
  };
}
