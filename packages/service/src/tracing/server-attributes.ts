import type { SpanAttributes } from './span-attributes.ts';

/**
 * Returns the address and port of a request's origin; without an explicit port, the default of the scheme.
 *
 * Source: https://opentelemetry.io/docs/specs/semconv/http/http-spans/
 */
export function serverAttributes(origin: string): SpanAttributes {
  const { protocol, hostname, port } = new URL(origin);
  const standard = protocol === 'https:' ? 443 : 80;
  return { 'server.address': hostname, 'server.port': port === '' ? standard : Number(port) };
}
