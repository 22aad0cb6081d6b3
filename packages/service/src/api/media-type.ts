import { type ApiError, commonError } from './api-error.ts';

const JSON_TYPE = /^application\/(json|[a-z0-9!#$&^_.+-]+\+json)$/;
const UTF8_CHARSET = /^charset="?utf-?8"?$/;

/**
 * Throws `unsupported_media_type` unless the content type is JSON in UTF-8: `application/json` or a `+json`
 * type.
 *
 * A missing `content-type` counts as JSON, because simple clients leave it out and no other type is possible
 * here.
 */
export function requireJson(contentType: string | undefined): void {
  if (contentType === undefined) return;
  const [type = '', ...parameters] = contentType
    .toLowerCase()
    .split(';')
    .map((part) => part.trim());
  if (!JSON_TYPE.test(type)) throw unsupported('The content-type is not application/json.');
  const charset = parameters.find((parameter) => parameter.startsWith('charset='));
  if (charset !== undefined && !UTF8_CHARSET.test(charset)) throw unsupported('The charset is not utf-8.');
}

function unsupported(message: string): ApiError {
  return commonError('unsupported_media_type', message, { headers: { accept: 'application/json' } });
}
