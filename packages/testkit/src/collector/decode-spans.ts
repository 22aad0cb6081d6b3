import { type FieldValue, type MessageFields, readMessage } from './read-message.ts';

/** A span as a collector received it. */
export interface CollectedSpan {
  /** The service's name. */
  readonly service: string;
  readonly name: string;
  readonly kind: 'internal' | 'server' | 'client' | 'other';
  /** Ids are hexadecimal; a root span has an empty parent. */
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string;
  readonly traceState: string;
  readonly hasFailed: boolean;
  readonly startNs: bigint;
  readonly endNs: bigint;
  readonly attributes: Readonly<Record<string, string | number | boolean>>;
}

/**
 * Decodes the body of an OTLP request.
 *
 * Source: https://github.com/open-telemetry/opentelemetry-proto/blob/main/opentelemetry/proto/trace/v1/trace.proto
 */
export function decodeSpans(body: Buffer): CollectedSpan[] {
  return messages(readMessage(body), 1).flatMap((resourceSpans) => {
    const [resource] = messages(resourceSpans, 1);
    const service = String(resource ? attributesOf(resource, 1)['service.name'] : '');
    return messages(resourceSpans, 2).flatMap((scope) =>
      messages(scope, 2).map((span) => toSpan(span, service)),
    );
  });
}

const KINDS = ['other', 'internal', 'server', 'client'] as const;
const FAILED = 2n;

function toSpan(fields: MessageFields, service: string): CollectedSpan {
  const [status] = messages(fields, 15);
  return {
    service,
    name: text(fields, 5),
    kind: KINDS[Number(number(fields, 6))] ?? 'other',
    traceId: bytes(fields, 1).toString('hex'),
    spanId: bytes(fields, 2).toString('hex'),
    parentSpanId: bytes(fields, 4).toString('hex'),
    traceState: text(fields, 3),
    hasFailed: status !== undefined && number(status, 3) === FAILED,
    startNs: number(fields, 7),
    endNs: number(fields, 8),
    attributes: attributesOf(fields, 9),
  };
}

function attributesOf(fields: MessageFields, at: number): Record<string, string | number | boolean> {
  const entries = messages(fields, at).map((pair) => {
    const [value] = messages(pair, 2);
    return [text(pair, 1), value ? plainValue(value) : ''] as const;
  });
  return Object.fromEntries(entries);
}

/** Reads texts, booleans and numbers; Winnow sends no other values. */
function plainValue(fields: MessageFields): string | number | boolean {
  if (fields.has(1)) return text(fields, 1);
  if (fields.has(2)) return number(fields, 2) === 1n;
  if (fields.has(4)) return doubleOf(number(fields, 4));
  return Number(number(fields, 3));
}

/** Returns the double with these bits. */
function doubleOf(bits: bigint): number {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(bits);
  return bytes.readDoubleLE();
}

function messages(fields: MessageFields, at: number): MessageFields[] {
  return (fields.get(at) ?? []).map((value) => readMessage(value as Buffer));
}

function bytes(fields: MessageFields, at: number): Buffer {
  return (first(fields, at) as Buffer | undefined) ?? Buffer.alloc(0);
}

function text(fields: MessageFields, at: number): string {
  return bytes(fields, at).toString();
}

function number(fields: MessageFields, at: number): bigint {
  return (first(fields, at) as bigint | undefined) ?? 0n;
}

function first(fields: MessageFields, at: number): FieldValue | undefined {
  return fields.get(at)?.[0];
}
