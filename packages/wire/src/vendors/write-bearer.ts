/**
 * Returns the header that carries a key as a bearer token:
 * https://www.rfc-editor.org/rfc/rfc6750#section-2.1.
 */
export function writeBearer(apiKey: string): readonly [name: string, value: string] {
  return ['authorization', `Bearer ${apiKey}`];
}
