import type { SpanAttributes } from './span-attributes.ts';

/**
 * Where a request goes, by the origin of an address; the port of the scheme where none is named.
 *
 * Source: https://opentelemetry.io/docs/specs/semconv/http/http-spans/
 */
export function serverAttributes(origin: string): SpanAttributes {
  const { protocol, hostname, port } = new URL(origin);
  const standard = protocol === 'https:' ? 443 : 80;
  return { 'server.address': hostname, 'server.port': port === '' ? standard : Number(port) };
}
