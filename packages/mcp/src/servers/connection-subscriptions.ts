import type { Client } from '@modelcontextprotocol/client';
import type { ServerSubscription } from './server-connection.ts';

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
export class ConnectionSubscriptions {
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
