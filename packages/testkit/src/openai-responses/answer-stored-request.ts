import type { IncomingHttpHeaders } from 'node:http';
import type { JsonObject } from '../upstream/json-object.ts';
import type { Rejection } from '../upstream/rejection.ts';
import { type ResponseMemory, tenantOf } from '../upstream/response-memory.ts';

/** Returns the response to a request about one stored response; undefined for any other request. */
export function answerStoredRequest(
  {
    method,
    path,
    headers,
  }: { readonly method: string; readonly path: string; readonly headers: IncomingHttpHeaders },
  memory: ResponseMemory,
): JsonObject | Rejection | undefined {
  const [plain = ''] = path.split('?', 1);
  const [, id, behind = ''] = /\/responses\/([^/]+)(\/cancel|\/input_items)?$/.exec(plain) ?? [];
  if (id === undefined) return undefined;
  const stored = memory.get(id, tenantOf(headers));
  if (stored === undefined)
    return { status: 404, message: `Response with id '${id}' not found.`, code: 'response_not_found' };
  if (behind === '/input_items') {
    const data = stored.items.slice(0, stored.inputCount).toReversed();
    return {
      object: 'list',
      data,
      first_id: data[0]?.id ?? null,
      last_id: data.at(-1)?.id ?? null,
      has_more: false,
    };
  }
  if (behind === '/cancel') return { ...stored.body, status: 'cancelled' };
  if (method !== 'DELETE') return stored.body;
  memory.delete(id);
  return { id, object: 'response', deleted: true };
}
