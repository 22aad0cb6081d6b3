import type { JsonObject } from '../upstream/json-object.ts';
import type { Rejection } from '../upstream/rejection.ts';
import { type ResponseMemory, tenantOf } from '../upstream/response-memory.ts';
import type { OtherRequest } from '../upstream/upstream-format.ts';

/** What a request about one stored interaction is answered; undefined for any other request. Its input is told only where it is asked for. */
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
