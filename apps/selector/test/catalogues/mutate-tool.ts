import { generateTools, type Random, TOOL_SHAPES, toProviderTool, toSearchTool } from '@winnow/testkit';

/** Texts of tools: those of common catalogues, and ones with a bit of everything that a reader has to know. */
export function seedTexts(count: number): string[] {
  const common = generateTools({ count, seed: 7 }).flatMap((tool) =>
    TOOL_SHAPES.flatMap((shape) => [toProviderTool(tool, shape), toSearchTool(tool, shape)]),
  );
  return [...common.map((tool) => JSON.stringify(tool)), ...MANIFOLD];
}

/** Every keyword, wrapper and kind of value, written out so that mutations come upon them. */
const MANIFOLD: readonly string[] = [
  `{"name":"a","description":"Two\\nlines, \\"quoted\\"","inputSchema":{"title":"left out","type":"object","properties":{"first":{"title":"First","properties":{"deep":{"enum":["x",1,-0,1.50,1e20,true,null,{}],"const":"c"}},"description":"Caf\u00e9 \\u2019"},"second":{"anyOf":[{"description":"one"},{"items":[{"const":7},{"const":"seven"}]},3],"patternProperties":{"^a":{"description":"p"},"12":{"title":"q"}}}},"description":"whole"}}`,
  `{"toolSpec":{"name":"b","description":"B","inputSchema":{"json":{"properties":{"1":{},"x":{"description":"X"},"x2":{"oneOf":[{"title":"t"}],"allOf":{"description":"d"}}}}}}}`,
  `{"name":"c","description":"","definition":{"description":"inner","function":{"name":"d","description":"deepest","parametersJsonSchema":{"additionalProperties":{"description":"any"},"prefixItems":[{"description":"0"}]},"parameters":[]},"input_schema":null}}`,
  `{"definition":{"name":"e","parameters":{"properties":{"r":{"$ref":"#/$defs/R"}},"$defs":{"R":{"description":"referred"}}}},"description":null,"vector":null}`,
  `{ "name" : "f" , "parameters" : { "properties" : { "\u00e9t\u00e9" : { "description" : "\ud83d\ude00" } } , "json" : [ ] } }`,
  `{"name":"g","parameters":{"properties":{"p":{"description":"outer"}}},"definition":{"type":"function","parameters":null},"function":"none"}`,
];

/** Texts to insert: words of the grammar, of tools and of schemas, whole or broken. */
const INSERTS: readonly string[] = [
  ...'{}[],:"\\ \n0-.eE+',
  ...[
    'null',
    'true',
    'fals',
    '-0',
    '01',
    '1e400',
    '1E-7',
    '0.5',
    '-',
    '12345678901234567890',
    '[]',
    '{}',
    '""',
  ],
  ...[
    '\\u0000',
    '\\ud800',
    '\\u12',
    '\\x',
    '\\/',
    '\\b',
    '\t',
    '\u0001',
    '\u007f',
    '\u00df',
    '\u6f22',
    '\ufeff',
  ],
  ...['"name":"n",', '"name":null,', '"description":"z",', '"description":5,', '"vector":[1],', '"json":{},'],
  ...['"properties":{"q":{"description":"Q"}},', '"enum":["v","w"],', '"$ref":"#",', '"definition":{},'],
  ...['"function":{"name":"w"},', '"toolSpec":{},', '"parameters":{},', '"parameters":3,', '"__proto__":{},'],
  ...['"__proto__":{"name":"p"},', '"constructor":{"description":"k"},', '"7":{"title":"seven"},', '"":{},'],
  ...['"na\\u006de":"escaped",', '"items":{"description":"I"},', '"title":"T",', '"const":1.0,', ',"x":1'],
];

const KEYWORDS = [
  'name',
  'description',
  'title',
  'properties',
  'items',
  'enum',
  'const',
  'anyOf',
  'definition',
];

/** A text with one to four changes, most of which leave it JSON of some other shape, or nearly so. */
export function mutate(random: Random, text: string): Buffer {
  let changed = text;
  for (let changes = random.between(1, 4); changes > 0; changes--) changed = change(random, changed);
  const bytes = Buffer.from(changed);
  // A byte of any value: UTF-8 that is none, above all.
  if (bytes.length > 0 && random.chance(0.1)) bytes[random.below(bytes.length)] = random.below(256);
  return bytes;
}

function change(random: Random, text: string): string {
  const at = random.below(text.length + 1);
  switch (random.below(8)) {
    case 0:
      return text.slice(0, at) + text.slice(at + random.between(1, 3));
    case 1:
      return text.slice(0, at) + random.pick(INSERTS) + text.slice(at);
    case 2:
      return text.slice(0, at);
    // Members are put in where one may stand: keys twice, others' keywords, odd values.
    case 3:
    case 4:
      return insertBehind(text, '{', at, random.pick(INSERTS));
    case 5:
      return replaceOnce(text, random.pick(VALUES), at, random.pick(INSERTS));
    case 6:
      return replaceOnce(text, KEYS, at, `"${random.pick(KEYWORDS)}":`);
    default: {
      // A piece of it once more, somewhere else.
      const piece = text.slice(at, at + random.between(1, 60));
      const to = random.below(text.length + 1);
      return text.slice(0, to) + piece + text.slice(to);
    }
  }
}

const KEYS = /"[^"\\]*":/g;
const VALUES: readonly RegExp[] = [
  /\{[^{}[\]]*\}/g,
  /\[[^{}[\]]*\]/g,
  /(?<=:)"[^"\\]*"/g,
  /(?<=[:,[])-?\d+/g,
];

function insertBehind(text: string, character: string, from: number, insert: string): string {
  const place = text.indexOf(character, from);
  return place < 0 ? text : text.slice(0, place + 1) + insert + text.slice(place + 1);
}

function replaceOnce(text: string, pattern: RegExp, from: number, by: string): string {
  pattern.lastIndex = from;
  const match = pattern.exec(text);
  pattern.lastIndex = 0;
  return match === null ? text : text.slice(0, match.index) + by + text.slice(match.index + match[0].length);
}
