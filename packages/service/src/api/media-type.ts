import { type ApiError, commonError } from './api-error.ts';

const JSON_TYPE = /^application\/(json|[a-z0-9!#$&^_.+-]+\+json)$/;
const UTF8_CHARSET = /^charset="?utf-?8"?$/;

/**
 * Throws `unsupported_media_type` unless the body is said to be JSON: `application/json` or a `+json` type, in UTF-8.
 *
 * A missing `content-type` is taken for JSON: there is nothing else that it could be here, and simple clients leave it out.
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
