import type { IncomingHttpHeaders } from 'node:http';
import { type JsonObject, objectsOf } from './json-object.ts';

export interface StoredResponse {
  readonly tenant: string;
  readonly body: JsonObject;
  /** The whole history before the response, and the response's own items. */
  readonly items: readonly JsonObject[];
  /** Number of items that were its input. */
  readonly inputCount: number;
}

/** The stored responses of one provider. */
export class ResponseMemory {
  readonly #responses = new Map<string, StoredResponse>();
  readonly #items = new Map<string, JsonObject>();

  add(stored: StoredResponse): void {
    this.#responses.set(String(stored.body.id), stored);
    for (const item of stored.items) if (typeof item.id === 'string') this.#items.set(item.id, item);
  }

  get(id: string, tenant: string): StoredResponse | undefined {
    const stored = this.#responses.get(id);
    return stored?.tenant === tenant ? stored : undefined;
  }

  delete(id: string): void {
    this.#responses.delete(id);
  }

  get ids(): string[] {
    return [...this.#responses.keys()];
  }

  /**
   * Returns a request as the model reads it: its input is a list that starts with the continued history, and
   * references are resolved. Unknown references stay, so that the validator can refuse them.
   */
  expand(body: JsonObject, tenant: string): JsonObject {
    const own = typeof body.input === 'string' ? [{ role: 'user', content: body.input }] : body.input;
    if (!Array.isArray(own)) return body;
    const previous =
      typeof body.previous_response_id === 'string' ? this.get(body.previous_response_id, tenant) : undefined;
    const items = objectsOf(own).map((item) =>
      item.type === 'item_reference' ? (this.#items.get(String(item.id)) ?? item) : item,
    );
    const { previous_response_id: id, ...rest } = body;
    const input = [...(previous?.items ?? []), ...items];
    return previous === undefined ? { ...body, input } : { ...rest, input };
  }
}

/** The client's identity. */
export function tenantOf(headers: IncomingHttpHeaders): string {
  const key = headers.authorization ?? headers['api-key'] ?? headers['x-goog-api-key'];
  const credential = String(key ?? '');
  // Each request has a different signature.
  return /^AWS4-HMAC-SHA256 Credential=([^/]*)/.exec(credential)?.[1] ?? credential;
}
