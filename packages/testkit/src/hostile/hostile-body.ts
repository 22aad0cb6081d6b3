import type { Random } from '../random.ts';
import { type BodyShape, writeBody, writeMessages, writeTool } from './hostile-target.ts';

/** A hostile body with the name of its attack. */
export interface HostileBody {
  readonly kind: string;
  readonly bytes: Buffer;
}

/** Input for generating bodies. `size` is the approximate maximum in bytes. */
interface BodyInput {
  readonly random: Random;
  readonly shape: BodyShape;
  readonly size: number;
}

/** Generates one hostile body of about `size` bytes at most. */
export function generateHostileBody(input: BodyInput): HostileBody {
  const kind = input.random.pick(Object.keys(BODIES) as (keyof typeof BODIES)[]);
  return { kind, bytes: Buffer.from(BODIES[kind](input)) };
}

const BODIES = {
  'deep arrays': ({ shape, size }) => writeBody(shape, { tools: nested('[', ']', size / 2) }),
  'deep objects': ({ shape, size }) => writeBody(shape, { tools: `[${nested('{"a":', '}', size / 6)}]` }),
  'a deep schema': ({ shape, size }) =>
    withSchema(shape, nested('{"properties":', '}', size / 15), nested('{"items":', '}', size / 20)),
  'brackets that never close': ({ random, size }) => random.pick(['[', '{"a":', '[{"a":']).repeat(size / 6),
  'a million empty tools': ({ random, shape, size }) =>
    writeBody(shape, { tools: listOf(random.pick(['{}', '[]', '1', 'null', '""']), size) }),
  'a million tools': ({ shape, size }) => writeBody(shape, { tools: listOf(writeTool(shape, '"a"'), size) }),
  'a million named tools': ({ shape, size }) => writeBody(shape, { tools: namedTools(shape, size) }),
  'one large tool': ({ shape, size }) => withSchema(shape, `{"description":"${'long '.repeat(size / 5)}"}`),
  'a million parameters': ({ shape, size }) =>
    withSchema(shape, `{"properties":{${Array.from({ length: size / 12 }, (_, at) => `"p${at}":{}`)}}}`),
  'a schema that refers to itself': ({ shape, size }) =>
    withSchema(
      shape,
      `{"$ref":"#","$defs":{"a":{"$ref":"#/$defs/a"}},"anyOf":${listOf('{"$ref":"#"}', size)}}`,
    ),
  'endless names': ({ random, shape, size }) => {
    const name = JSON.stringify(random.pick(['A.', 'a_', 'é', ' ', '\u{1f600}']).repeat(size / 4));
    return writeBody(shape, { tools: `[${writeTool(shape, name)},${writeTool(shape, '"b"')}]` });
  },
  'a million messages': ({ shape, size }) => writeMessages(shape, (message) => listOf(message, size)),
  'a million members': ({ shape, size }) => {
    const members = Array.from({ length: size / 12 }, (_, at) => `"k${at}":1,`).join('');
    return writeBody(shape, { more: members });
  },
  'endless text': ({ random, shape, size }) =>
    writeBody(shape, {
      text: `"${random.pick(['a ', '\\\\', '\\"', '\\u0000', '世', ', ', '[{']).repeat(size / 6)}"`,
    }),
  'endless numbers': ({ shape, size }) => writeBody(shape, { text: `"x"`, more: `"n":${'9'.repeat(size)},` }),
  'odd numbers': ({ random, shape }) =>
    writeBody(shape, { more: `"top_k":${oddNumber(random)},"max_tokens":${oddNumber(random)},` }),
  'members twice': ({ shape }) =>
    writeBody(shape, { more: '"tools":1,"tools":[],"messages":{},"pattern":[],"to\\u006fls":{},' }),
  'names of prototypes': ({ shape }) => {
    const names = ['"__proto__"', '"constructor"', '"toString"', '"hasOwnProperty"', '"prototype"'];
    const schema = '{"__proto__":{"polluted":true},"properties":{"__proto__":{"constructor":{}}}}';
    const tools = names.map((name) => writeTool(shape, name, schema)).join();
    return writeBody(shape, {
      tools: `[${tools}]`,
      more: '"__proto__":{"polluted":true},"constructor":null,',
    });
  },
  'half characters': ({ shape }) =>
    writeBody(shape, {
      text: '"\\ud800 \\udc00 \\udfff"',
      tools: `[${writeTool(shape, '"\\ud83d"')},${writeTool(shape, '"b"')}]`,
    }),
  'control characters': ({ random, shape }) =>
    writeBody(shape, { text: random.pick(['"\0"', '"\\u0000\\u001b[2J"', '"\r\n\t"', '"\u2028\u202e"']) }),
  'wrong types': ({ random, shape }) => {
    const odd = () => random.pick(['null', 'true', '1', '"x"', '[]', '{}', '[[]]', '[null,null]']);
    return writeBody(shape, {
      tools: odd(),
      text: odd(),
      more: `"messages":${odd()},"input":${odd()},"contents":${odd()},"stream":${odd()},`,
    });
  },
  'another text': ({ random }) =>
    random.pick([
      '',
      ' ',
      'null',
      '[]',
      '{}',
      '"',
      '{',
      '\ufeff{}',
      '\ufeff\ufeff{}',
      '--x\r\n',
      '<a/>',
      'a=b',
    ]),
  'expressions built to blow up': ({ random, shape }) =>
    writeBody(shape, { text: JSON.stringify(hostilePattern(random)), tools: tastyTools(shape) }),
  'broken UTF-8': ({ random, shape }) => {
    const body = Buffer.from(writeBody(shape, { text: '"世界世界世界世界"' }));
    body[random.below(body.length)] = random.pick([0x80, 0xc0, 0xed, 0xf5, 0xff]);
    return body;
  },
  'changed bytes': ({ random, shape }) => {
    const body = Buffer.from(writeBody(shape, { tools: tastyTools(shape) }));
    for (let count = random.between(1, 8); count > 0; count--)
      body[random.below(body.length)] = random.below(256);
    return body;
  },
  'a part of a body': ({ random, shape }) => {
    const body = Buffer.from(writeBody(shape, { tools: tastyTools(shape) }));
    return body.subarray(random.below(body.length));
  },
} satisfies Record<string, (input: BodyInput) => string | Buffer>;

function nested(open: string, close: string, depth: number): string {
  return `${open.repeat(depth)}1${close.repeat(depth)}`;
}

function listOf(element: string, size: number): string {
  return `[${`${element},`.repeat(size / (element.length + 1))}${element}]`;
}

function namedTools(shape: BodyShape, size: number): string {
  const count = size / (writeTool(shape, '"tool_100000"').length + 1);
  return `[${Array.from({ length: count }, (_, at) => writeTool(shape, `"tool_${at}"`))}]`;
}

function withSchema(shape: BodyShape, ...schemas: readonly string[]): string {
  const tools = ['{}', ...schemas].map((schema, at) => writeTool(shape, `"tool_${at}"`, schema));
  return writeBody(shape, { tools: `[${tools}]` });
}

/** Texts that are slowest for backtracking expressions. */
function tastyTools(shape: BodyShape): string {
  return `[${writeTool(shape, `"${'a'.repeat(64)}"`)},${writeTool(shape, '"aXaXaX"', `{"description":"${'a'.repeat(5_000)}!"}`)}]`;
}

function oddNumber(random: Random): string {
  return random.pick([
    '-1',
    '0',
    '1e999',
    '-0',
    '0.1',
    '9007199254740993',
    '1e-999',
    '01',
    '+1',
    'NaN',
    '0x10',
  ]);
}

function hostilePattern(random: Random): string {
  const count = random.between(1, 2_000);
  return random.pick([
    '(a+)+$',
    '(a|a)*b',
    '(a|aa)+$',
    '^(([a-z])+.)+[A-Z]([a-z])+$',
    '(\\w{30}){30}',
    'a{1000}{1000}',
    '(?=a)b|\\1(a)',
    '(.*)*.*.*.*x',
    'x*'.repeat(count),
    '*'.repeat(count),
    '?'.repeat(count),
    '*a'.repeat(count),
    '('.repeat(count),
    `${'('.repeat(count)}a${')*'.repeat(count)}`,
    '[a-'.repeat(count),
    'a|'.repeat(count),
    '\\'.repeat(count),
    `(?i)${'\\p{L}'.repeat(count)}`,
    ' '.repeat(count),
    '\u0301'.repeat(count),
    'ﷺ'.repeat(count),
  ]);
}
