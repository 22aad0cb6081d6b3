/**
 * The fields of a protobuf message by number, each with its values in order: length-delimited ones as bytes,
 * numbers as they are.
 */
export type MessageFields = ReadonlyMap<number, readonly FieldValue[]>;
export type FieldValue = Buffer | bigint;

/** Reads a message without its schema. Source: https://protobuf.dev/programming-guides/encoding/ */
export function readMessage(bytes: Buffer): MessageFields {
  const fields = new Map<number, FieldValue[]>();
  let at = 0;
  while (at < bytes.length) {
    const tag = varint(bytes, at);
    const { value, end } = fieldValue(bytes, tag.end, Number(tag.value & 7n));
    const number = Number(tag.value >> 3n);
    fields.set(number, [...(fields.get(number) ?? []), value]);
    at = end;
  }
  return fields;
}

type Read<Value> = { readonly value: Value; readonly end: number };

function fieldValue(bytes: Buffer, at: number, wireType: number): Read<FieldValue> {
  switch (wireType) {
    case 0:
      return varint(bytes, at);
    case 1:
      return { value: bytes.readBigUInt64LE(at), end: at + 8 };
    case 2: {
      const { value: length, end: start } = varint(bytes, at);
      const end = start + Number(length);
      return { value: bytes.subarray(start, end), end };
    }
    case 5:
      return { value: BigInt(bytes.readUInt32LE(at)), end: at + 4 };
    default:
      throw new RangeError(`there is no wire type ${wireType}`);
  }
}

function varint(bytes: Buffer, start: number): Read<bigint> {
  let value = 0n;
  for (let at = start, shift = 0n; ; at++, shift += 7n) {
    const byte = bytes.readUInt8(at);
    value |= BigInt(byte & 0x7f) << shift;
    if (byte < 0x80) return { value, end: at + 1 };
  }
}
