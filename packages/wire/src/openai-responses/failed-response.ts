import { withMembers } from '../json/json-members.ts';
import { isJsonObject, type JsonObject } from '../json/json-splice.ts';
import { parseJson } from '../json/parse-json.ts';
import type { HiddenNames } from '../tools/hidden-names.ts';

/**
 * The response of a stream that went wrong, as JSON: the one that began, failed. `error` is the upstream's error as JSON, where it sent one; one that
 * names a hidden tool is replaced, as are shapes that nobody knows.
 */
export function failedResponse(
  start: string | undefined,
  error: string | undefined,
  message: string,
  hidden: HiddenNames,
): string {
  const read = error === undefined ? undefined : errorIn(parseJson(error));
  const isOurs = read === undefined || hidden.areIn(error!);
  const shown = isOurs
    ? { code: 'server_error', message }
    : { code: read.code ?? read.type ?? 'server_error', message: read.message ?? message };
  return withMembers(start ?? NO_RESPONSE, { status: '"failed"', error: JSON.stringify(shown) });
}

/** A response of which the upstream has not even sent the beginning. */
export const NO_RESPONSE = '{"id":"resp_none","object":"response","output":[]}';

/** The error within a body or an event: some nest it, some do not. */
function errorIn(body: unknown): JsonObject | undefined {
  if (!isJsonObject(body)) return undefined;
  if (isJsonObject(body.error)) return body.error;
  return typeof body.message === 'string' ? { ...body, type: undefined } : undefined;
}
