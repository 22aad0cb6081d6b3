import { isJsonObject } from '@winnow/registry';
import { Slots } from '@winnow/service';
import type { OfferDoor } from '../offers/offer-door.ts';

/** Parts of {@link ResourceSubscriptions}. */
export interface ResourceSubscriptionsParts {
  readonly offers: Pick<OfferDoor, 'subscribe'>;
  /** Most resources at once. */
  readonly limit: number;
  /** A subscribed resource has changed. */
  readonly onUpdated: (uri: string) => void;
  /** Receives internal errors. Must not throw. */
  readonly onDefect: (error: unknown) => void;
}

/** Subscriptions that one request of a client asks of servers at once: it may name hundreds. */
const AT_ONCE = 8;

interface Subscribed {
  readonly ending: AbortController;
  readonly begun: Promise<string | undefined>;
  holders: number;
}

/** The resources that the clients of one door subscribe to: each is asked of its server once. */
export class ResourceSubscriptions {
  readonly #parts: ResourceSubscriptionsParts;
  readonly #byUri = new Map<string, Subscribed>();

  constructor(parts: ResourceSubscriptionsParts) {
    this.#parts = parts;
  }

  /** Resources that are subscribed to. */
  get size(): number {
    return this.#byUri.size;
  }

  /** Resolves with a problem where that fails; else `remove` must follow, once. */
  async add(uri: string, slots = new Slots(1)): Promise<string | undefined> {
    if (!this.#byUri.has(uri) && this.#byUri.size >= this.#parts.limit)
      return `At most ${this.#parts.limit} resources can be subscribed to at once.`;
    const subscribed = this.#byUri.get(uri) ?? this.#begin(uri, slots);
    subscribed.holders++;
    const problem = await subscribed.begun;
    if (problem !== undefined) this.remove(uri);
    return problem;
  }

  remove(uri: string): void {
    const subscribed = this.#byUri.get(uri);
    if (subscribed === undefined || --subscribed.holders > 0) return;
    this.#byUri.delete(uri);
    subscribed.ending.abort();
  }

  close(): void {
    for (const { ending } of this.#byUri.values()) ending.abort();
    this.#byUri.clear();
  }

  /**
   * Subscribes to the resources of a `subscriptions/listen` request. Returns the request with the successful
   * ones, and a function that ends the subscriptions; undefined for any other message.
   */
  async listen(
    message: unknown,
  ): Promise<{ readonly message: unknown; readonly end: () => void } | undefined> {
    if (!isJsonObject(message) || message.method !== 'subscriptions/listen') return undefined;
    const params = isJsonObject(message.params) ? message.params : {};
    const filter = isJsonObject(params.notifications) ? params.notifications : {};
    const { resourceSubscriptions: wanted } = filter;
    if (!Array.isArray(wanted)) return undefined;
    const uris = [...new Set(wanted)].filter((uri) => typeof uri === 'string').slice(0, this.#parts.limit);
    const slots = new Slots(AT_ONCE);
    const problems = await Promise.all(uris.map((uri) => this.add(uri, slots)));
    const honored = uris.filter((_, place) => problems[place] === undefined);
    const notifications = { ...filter, resourceSubscriptions: honored };
    let isOver = false;
    const end = () => {
      if (!isOver) for (const uri of honored) this.remove(uri);
      isOver = true;
    };
    return { message: { ...message, params: { ...params, notifications } }, end };
  }

  #begin(uri: string, slots: Slots): Subscribed {
    const { offers, onUpdated, onDefect } = this.#parts;
    const ending = new AbortController();
    const begun = slots
      .run(() => offers.subscribe(uri, { signal: ending.signal, onUpdated: () => onUpdated(uri) }))
      .catch((error) => {
        onDefect(error);
        return 'The registry failed to answer.';
      });
    const subscribed = { ending, begun, holders: 0 };
    this.#byUri.set(uri, subscribed);
    return subscribed;
  }
}
