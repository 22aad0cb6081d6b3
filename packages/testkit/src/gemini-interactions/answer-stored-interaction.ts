import type { JsonObject } from '../upstream/json-object.ts';
import type { Rejection } from '../upstream/rejection.ts';
import { type ResponseMemory, tenantOf } from '../upstream/response-memory.ts';
import type { OtherRequest } from '../upstream/upstream-format.ts';

/**
 * Returns the response to a request about one stored interaction; undefined for any other request. The input
 * is included only on request.
 */
export function answerStoredInteraction(
  { method, path, headers }: OtherRequest,
  memory: ResponseMemory,
): JsonObject | Rejection | undefined {
  const [plain = '', query = ''] = path.split('?', 2);
  const [, id, behind = ''] = /\/interactions\/([^/]+)(\/cancel)?$/.exec(plain) ?? [];
  if (id === undefined) return undefined;
  const stored = memory.get(decodeURIComponent(id), tenantOf(headers));
  if (stored === undefined) return { status: 404, message: `Interaction '${id}' not found.` };
  if (behind === '/cancel') return { ...stored.body, status: 'cancelled' };
  if (method === 'DELETE') {
    memory.delete(decodeURIComponent(id));
    return {};
  }
  const isWithInput = new URLSearchParams(query).get('include_input') === 'true';
  return { ...stored.body, ...(isWithInput && { input: stored.items.slice(0, stored.inputCount) }) };
}
