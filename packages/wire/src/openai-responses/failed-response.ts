import { withMembers } from '../json/json-members.ts';
import { isJsonObject, type JsonObject } from '../json/json-splice.ts';
import { parseJson } from '../json/parse-json.ts';
import type { HiddenNames } from '../tools/hidden-names.ts';

/**
 * Returns the response of a failed stream, as JSON: the response that began, with the status `failed`.
 * `error` is the upstream's error as JSON, if any. An error that names a hidden tool or has an unknown shape
 * is replaced.
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

/** A response for an upstream that failed before the beginning of its own. */
export const NO_RESPONSE = '{"id":"resp_none","object":"response","output":[]}';

/** Returns the error in a body or an event; some nest it, some do not. */
function errorIn(body: unknown): JsonObject | undefined {
  if (!isJsonObject(body)) return undefined;
  if (isJsonObject(body.error)) return body.error;
  return typeof body.message === 'string' ? { ...body, type: undefined } : undefined;
}
