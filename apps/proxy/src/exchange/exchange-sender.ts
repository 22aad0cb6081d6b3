import {
  addedHeaders,
  type BodyBytes,
  type LoadRules,
  type Plan,
  type Polyfilled,
  type RequestEditor,
  type RequestView,
} from '@winnow/wire';
import { headerValue, type RawHeaders } from '../http/headers.ts';
import type { Tell } from '../records/exchange-fact.ts';
import { clientAddress, type Target, upstreamPath } from '../upstream/choose-upstream.ts';
import { idempotencyKey } from '../upstream/idempotency-key.ts';
import type { SendUpstream, UpstreamResponse } from '../upstream/send-upstream.ts';
import type { Tap } from '../upstream/tap.ts';
import type { Ending, FormatExchange } from './format-exchange.ts';
import { forwardUntouched, relay, sendBody } from './forward-untouched.ts';

/** Options of a sender. */
export interface SenderOptions {
  readonly exchange: FormatExchange;
  readonly send: SendUpstream;
  /** Told of each request when it begins. */
  readonly tell: Tell;
  /** Whether the original is no longer encoded as it came; false when left out. */
  readonly isDecoded?: boolean;
}

/**
 * Sends the requests of one exchange to its upstream, one after the other.
 *
 * Every way to send throws a ProxyError with `upstream_unreachable` when there is no response.
 */
export class ExchangeSender {
  readonly #options: SenderOptions;
  #calls = 0;

  constructor(options: SenderOptions) {
    this.#options = options;
  }

  /** Forwards a request unread, while it comes, and its response. */
  async forwardUnread(tap?: Tap): Promise<Ending> {
    const { exchange, send } = this.#options;
    this.#begin();
    return forwardUntouched(exchange, { send, tap });
  }

  /** Sends the bytes of the client's request as they came. */
  sendOriginal(body: BodyBytes): Promise<UpstreamResponse> {
    const replaced = this.#options.isDecoded ? { 'content-encoding': undefined } : {};
    return this.#send(body.whole, this.#options.exchange.target, replaced);
  }

  /** The same, and passes the response on as it is. */
  async forwardOriginal(body: BodyBytes, tap?: Tap): Promise<Ending> {
    const response = await this.sendOriginal(body);
    return relay(response, this.#options.exchange, tap);
  }

  /** Sends a request that was edited by `plan`, with the client's headers. */
  sendEdited(body: Uint8Array, view: RequestView, plan: Plan): Promise<UpstreamResponse> {
    const { request, format, target } = this.#options.exchange;
    const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
    const edited = editTarget(target, format.editing, view);
    const { idleTimeoutMs } = target.upstream;
    return this.#send(bytes, edited, headersOfEdit(request.rawHeaders, format.loading, plan), idleTimeoutMs);
  }

  /** Sends a request that was rewritten for an upstream that cannot defer. */
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
    const replace = { ...replaced, ...idempotencyKey(exchange.request.rawHeaders, this.#calls) };
    return sendBody(body, exchange, { send, target, replace, idleTimeoutMs });
  }

  #begin(bytes?: number): void {
    this.#calls++;
    this.#options.tell({ kind: 'sent', bytes });
  }
}

/** The target of an edited request: some formats say in the path or in the query what others say in the body. */
function editTarget(target: Target, editor: RequestEditor, view: RequestView): Target {
  const address = editor.editTarget?.(view, clientAddress(target));
  return address === undefined ? target : { ...target, path: upstreamPath(target.upstream, address) };
}

/** The response is read here, and the request was decoded here. */
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

/** A list without a value; undefined when nothing is left. */
function withoutValue(list: string, value: string): string | undefined {
  const items = list.split(',');
  const kept = items.filter((item) => item.trim() !== value);
  if (kept.length === items.length) return list;
  return kept.length === 0 ? undefined : kept.join(',').trim();
}
