import fc from 'fast-check';

/**
 * JSON texts with numbers that JavaScript cannot hold, all kinds of escapes, duplicate keys and white space
 * anywhere. Each is valid; none would survive being parsed and written again.
 */
export const rawJson: fc.Arbitrary<string> = fc.letrec<{ value: string }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    scalar(),
    fc.tuple(blank(), fc.array(fc.tuple(tie('value'), blank()), { maxLength: 4 })).map(([space, items]) => {
      return `[${space}${items.map((item) => item.join('')).join(`,${space}`)}]`;
    }),
    fc.array(fc.tuple(rawKey(), blank(), tie('value'), blank()), { maxLength: 4 }).map(writeObject),
  ),
})).value;

/** Members of an object, each followed by a comma, under keys that no provider knows. */
export const rawMembers: fc.Arbitrary<string> = fc
  .array(fc.tuple(rawKey(), blank(), rawJson, blank()), { maxLength: 4 })
  .map((members) =>
    members
      .map(([key, before, value, after]) => `${before}${key}${after}:${before}${value}${after},`)
      .join(''),
  );

function scalar(): fc.Arbitrary<string> {
  return fc.oneof(
    fc.constantFrom(
      '1.0',
      '-0',
      '0.10',
      '1e400',
      '1E+2',
      '12345678901234567890',
      '-9007199254740993',
      'true',
      'null',
    ),
    fc.string().map((text) => JSON.stringify(text)),
    fc.string({ unit: 'grapheme' }).map((text) => JSON.stringify(text)),
    fc.constantFrom(
      '"\\u00e9\\/"',
      '"\\ud83d"',
      '"\\"tools\\":[]"',
      '"\\\\"',
      '"\\\\\\""',
      '"]},{["',
      '"\u2028"',
      '""',
    ),
  );
}

function rawKey(): fc.Arbitrary<string> {
  return fc.constantFrom(
    '"x"',
    '"x y"',
    '"x\\u0061"',
    '"x\\"tools"',
    '"x\\\\"',
    '"x\u00e9"',
    '"xtools"',
    '"__proto__"',
  );
}

function blank(): fc.Arbitrary<string> {
  return fc.constantFrom('', '', '', ' ', '\n', '\t\r\n ', '  ');
}

function writeObject(members: [string, string, string, string][]): string {
  return `{${members.map(([key, before, value, after]) => `${before}${key}${after}:${before}${value}${after}`).join(',')}}`;
}
