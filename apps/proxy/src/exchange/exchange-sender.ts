import {
  addedHeaders,
  type BodyBytes,
  type LoadRules,
  type Plan,
  type Polyfilled,
  type RequestEditor,
  type RequestView,
} from '@winnow/wire';
import type { Tell } from '../records/exchange-fact.ts';
import { clientAddress, type Target, upstreamPath } from '../upstream/choose-upstream.ts';
import { headerValue, type RawHeaders } from '../upstream/headers.ts';
import type { SendUpstream, UpstreamResponse } from '../upstream/send-upstream.ts';
import type { Ending, FormatExchange } from './exchange.ts';
import { forwardUntouched, relay, sendBody } from './forward-untouched.ts';
import { UsageTap } from './usage-tap.ts';

interface SenderOptions {
  readonly exchange: FormatExchange;
  readonly send: SendUpstream;
  /** Receives a fact for each request that begins. */
  readonly tell: Tell;
  /** Whether the original body was decoded; false by default. */
  readonly isDecoded?: boolean;
}

/**
 * Sends the requests of one exchange to its upstream, one after another.
 *
 * Every method that sends throws a ProxyError with `upstream_unreachable` if there is no response.
 */
export class ExchangeSender {
  readonly #options: SenderOptions;
  #calls = 0;

  constructor(options: SenderOptions) {
    this.#options = options;
  }

  /** Forwards a request unread as it arrives, and its response. */
  forwardUnread(): Promise<Ending> {
    const { exchange, send } = this.#options;
    this.#begin();
    return forwardUntouched(exchange, { send });
  }

  /** Sends the original bytes of the client's request. */
  sendOriginal(body: BodyBytes): Promise<UpstreamResponse> {
    const replaced = this.#options.isDecoded ? { 'content-encoding': undefined } : NOTHING;
    return this.#send(body.whole, this.#options.exchange.target, replaced);
  }

  /**
   * Sends the original bytes, and passes the response on unchanged; only its tokens are counted. `onFlow` sees it
   * first.
   */
  async forwardOriginal(body: BodyBytes, onFlow?: (response: UpstreamResponse) => void): Promise<Ending> {
    const { exchange, tell } = this.#options;
    const response = await this.sendOriginal(body);
    if (exchange.purpose !== 'answer') return relay(response, exchange, onFlow);
    const tap = new UsageTap(exchange.format);
    try {
      return await relay(response, exchange, (flowing) => {
        tap.follow(flowing);
        onFlow?.(flowing);
      });
    } finally {
      if (tap.isFollowing) {
        const usage = tap.usage();
        tell({ kind: 'round_ended', round: 1, usage: usage instanceof Promise ? await usage : usage });
      }
    }
  }

  /** Sends a request edited by `plan`, with the client's headers. */
  sendEdited(body: Uint8Array, view: RequestView, plan: Plan): Promise<UpstreamResponse> {
    const { request, format, target } = this.#options.exchange;
    const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
    const edited = editTarget(target, format.editing, view);
    const { idleTimeoutMs } = target.upstream;
    return this.#send(bytes, edited, headersOfEdit(request.rawHeaders, format.loading, plan), idleTimeoutMs);
  }

  /** Sends a request rewritten for an upstream that cannot defer tools. */
  sendPolyfilled({ body, removedHeaders }: Polyfilled): Promise<UpstreamResponse> {
    const { request, target } = this.#options.exchange;
    const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
    const replaced: Record<string, string | undefined> = { ...READ_HERE };
    for (const { name, value } of removedHeaders) {
      const list = Object.hasOwn(replaced, name) ? replaced[name] : headerValue(request.rawHeaders, name);
      if (list !== undefined) replaced[name] = withoutValue(list, value);
    }
    return this.#send(bytes, target, replaced, target.upstream.idleTimeoutMs);
  }

  #send(
    body: Buffer,
    target: Target,
    replaced: Readonly<Record<string, string | undefined>>,
    idleTimeoutMs?: number,
  ): Promise<UpstreamResponse> {
    const { exchange, send } = this.#options;
    this.#begin(body.length);
    const key = this.#calls === 1 ? undefined : idempotencyKey(exchange.request.rawHeaders, this.#calls);
    const replace = key ? { ...replaced, ...key } : replaced;
    return sendBody(body, exchange, { send, target, replace, idleTimeoutMs });
  }

  #begin(bytes?: number): void {
    this.#calls++;
    this.#options.tell({ kind: 'sent', bytes });
  }
}

/**
 * Returns the target of an edited request: some formats put into the path or query what others put into the
 * body.
 */
function editTarget(target: Target, editor: RequestEditor, view: RequestView): Target {
  const address = editor.editTarget?.(view, clientAddress(target));
  return address === undefined ? target : { ...target, path: upstreamPath(target.upstream, address) };
}

/** The proxy reads the response and has decoded the request. */
const READ_HERE = { 'accept-encoding': 'identity', 'content-encoding': undefined };

function headersOfEdit(client: RawHeaders, rules: LoadRules, plan: Plan): Record<string, string | undefined> {
  const replaced: Record<string, string | undefined> = { ...READ_HERE };
  for (const { name, value } of addedHeaders(rules, plan)) {
    const key = name.toLowerCase();
    replaced[key] = appendedValue(replaced[key] ?? headerValue(client, key), value);
  }
  return replaced;
}

function appendedValue(list: string | undefined, value: string): string {
  if (list === undefined || list.trim() === '') return value;
  return list.split(',').some((item) => item.trim() === value) ? list : `${list},${value}`;
}

/** Returns a list without a value; undefined if the list becomes empty. */
function withoutValue(list: string, value: string): string | undefined {
  const items = list.split(',');
  const kept = items.filter((item) => item.trim() !== value);
  if (kept.length === items.length) return list;
  return kept.length === 0 ? undefined : kept.join(',').trim();
}

const NOTHING = {};

const NAME = 'idempotency-key';

/**
 * Returns the idempotency key for the exchange's request number `call`, from 2 on, as a header that replaces the
 * client's; empty if the client has none.
 *
 * One key on two different bodies is a conflict. A client that retries makes the same calls under the same
 * keys.
 */
function idempotencyKey(client: RawHeaders, call: number): Readonly<Record<string, string>> {
  const key = headerValue(client, NAME);
  return key === undefined ? NOTHING : { [NAME]: `${key}-${call}` };
}
