import type { Catalogue } from '@winnow/ranking';
import { createRandom } from '@winnow/testkit';
import { expect, inject, it } from 'vitest';
import { type BuiltRequest, buildFromBody } from '../../src/catalogues/build-catalogue.ts';
import { mutate, seedTexts } from './mutate-tool.ts';

const HEAD = '{"pattern":"x","tools":';

/** A body with a tool between two others, and where its array starts. */
const bodyWith = (tool: Buffer) => ({
  bytes: Buffer.concat([
    Buffer.from(`${HEAD}[{"name":"before"}, `),
    tool,
    Buffer.from(' ,{"name":"behind"}]}'),
  ]),
  toolsStart: HEAD.length,
});

const build = (bytes: Buffer, toolsStart: number | undefined): BuiltRequest =>
  buildFromBody({ bytes, toolsStart, maxTools: 5 }, () => 0);

/** The texts of all tools, or the message of the error. */
function outcomeOf(bytes: Buffer, toolsStart: number | undefined): unknown {
  try {
    return textsOf(build(bytes, toolsStart).catalogue!);
  } catch (error) {
    return (error as Error).message;
  }
}

function textsOf({ table }: Catalogue): unknown {
  return Array.from({ length: table.size }, (_, position) => [
    table.name(position),
    table.description(position),
    ...table.parameterPieces(position),
  ]);
}

it('parses tools one by one to the same texts as the whole body', () => {
  const schema = { properties: { place: { description: 'Where', enum: ['here', 2] } }, description: 'All' };
  const tool = Buffer.from(JSON.stringify({ name: 't', description: 'Does it.', inputSchema: schema }));
  const { bytes, toolsStart } = bodyWith(tool);
  const texts = [
    ['before', ''],
    ['t', 'Does it.', 'place', 'Where\nhere\n2', '', 'All'],
    ['behind', ''],
  ];
  expect(outcomeOf(bytes, toolsStart)).toEqual(texts);
  expect(outcomeOf(bytes, undefined)).toEqual(texts);
});

it('says where each tool stands when it was parsed by itself', () => {
  const { bytes, toolsStart } = bodyWith(Buffer.from('{"name":"größe"}'));
  const { offsets } = build(bytes, toolsStart).places!;
  const textAt = (tool: number) =>
    bytes.toString('utf8', toolsStart + offsets[2 * tool]!, toolsStart + offsets[2 * tool + 1]!);
  expect([0, 1, 2].map(textAt)).toEqual(['{"name":"before"}', '{"name":"größe"}', '{"name":"behind"}']);
  expect(offsets.at(-1)).toBe(bytes.length - 1 - toolsStart);
  expect(build(bytes, undefined).places).toBe(undefined);
});

it('refuses more tools than are allowed, however they are parsed', () => {
  const bytes = Buffer.from(`${HEAD}[${Array.from({ length: 6 }, (_, at) => `{"name":"t${at}"}`)}]}`);
  for (const toolsStart of [HEAD.length, undefined])
    expect(() => build(bytes, toolsStart)).toThrow('There are more than 5 tools.');
});

it('comes to the same outcome by tool and by body, whatever the bytes of a tool', () => {
  const random = createRandom(20261123);
  const texts = seedTexts(4);
  let taken = 0;
  for (let round = inject('isExhaustive') ? 100_000 : 500; round > 0; round--) {
    const { bytes, toolsStart } = bodyWith(mutate(random, random.pick(texts)));
    const outcome = outcomeOf(bytes, toolsStart);
    const whole = outcomeOf(bytes, undefined);
    if (JSON.stringify(outcome) !== JSON.stringify(whole))
      expect({ text: bytes.toString('latin1'), outcome }).toEqual({ text: '', outcome: whole });
    if (typeof outcome !== 'string') taken++;
  }
  // Enough of them are tools still for the comparison to mean something.
  expect(taken).toBeGreaterThan(50);
});
