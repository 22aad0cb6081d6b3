const UNITS_BYTES = { B: 1, KiB: 2 ** 10, MiB: 2 ** 20, GiB: 2 ** 30 } as const;

/** Bytes of a text such as `512KiB`, `50MiB`, `1GiB`, `100B`; undefined for anything else. The unit must be there. */
export function parseByteSize(text: string): number | undefined {
  const match = /^(\d+)(B|KiB|MiB|GiB)$/.exec(text);
  return match ? Number(match[1]) * UNITS_BYTES[match[2] as keyof typeof UNITS_BYTES] : undefined;
}
