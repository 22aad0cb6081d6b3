import { describe, expect, it } from 'vitest';
import { BodyAssembler, type ReceivedBody } from '../../src/receive/body-assembler.ts';

interface Known {
  readonly label: string;
  readonly tools: Buffer;
}

const known = (label: string, tools: unknown): Known => ({
  label,
  tools: Buffer.from(JSON.stringify(tools)),
});

const FIRST = known('first', [{ name: 'a', description: 'é日本 "quoted" \\ [x]' }]);
const LONGER = known('longer', [{ name: 'a', description: 'é日本 "quoted" \\ [x]' }, { name: 'b' }]);
const OTHER = known('other', [{ name: 'z' }]);
const ALL = [FIRST, LONGER, OTHER];

function assemble(chunks: readonly Buffer[], candidates: readonly Known[] = ALL): ReceivedBody<Known> {
  const assembler = new BodyAssembler(0, candidates);
  for (const chunk of chunks) assembler.write(chunk);
  return assembler.end();
}

const read = (received: ReceivedBody<Known>) =>
  received.kind === 'known'
    ? { known: received.known.label, envelope: received.envelope.toString() }
    : { bytes: received.bytes.toString(), toolsStart: received.toolsStart };

/** The result for every way to cut the body in two, and for single bytes. */
function everySplit(body: Buffer): unknown[] {
  const inTwo = Array.from({ length: body.length + 1 }, (_, cut) => [
    body.subarray(0, cut),
    body.subarray(cut),
  ]);
  const singleBytes = [...body].map((byte) => Buffer.from([byte]));
  return [...inTwo, singleBytes].map((chunks) => read(assemble(chunks)));
}

describe('BodyAssembler', () => {
  it.each([
    ['first', FIRST],
    ['longer', LONGER],
    ['other', OTHER],
  ])('recognises known tools (%s) at every split', (label, { tools }) => {
    const body = Buffer.from(`{"pattern":"ü","tools":${tools} , "top_k":3}`);
    const expected = { known: label, envelope: '{"pattern":"ü","tools":[] , "top_k":3}' };
    for (const result of everySplit(body)) expect(result).toEqual(expected);
  });

  it.each([
    ['differ in the last letter', `{"tools":${LONGER.tools.toString().replace('"b"', '"c"')},"pattern":"x"}`],
    ['differ in the first letter', '{"tools":[1],"pattern":"x"}'],
    ['go on where known ones end', '{"tools":[{"name":"z"},{"name":"y"}],"pattern":"x"}'],
    ['break off', `{"tools":${LONGER.tools.subarray(0, 40)}`],
    ['come a second time', `{"tools":${FIRST.tools},"tools":[]}`],
    ['come a second time, escaped', `{"tools":${FIRST.tools},"tool\\u0073":[]}`],
    ['are followed by an object that does not close', `{"tools":${FIRST.tools},"pattern":"x"`],
  ])('keeps every byte of tools that %s, at every split', (_, text) => {
    const body = Buffer.from(text);
    const expected = { bytes: text, toolsStart: 9 };
    // Cutting a letter of several bytes in `text` itself would not survive `toString`; the cuts in the body do.
    if (body.toString() !== text) throw new Error('the test text is not whole');
    for (const result of everySplit(body)) expect(result).toEqual(expected);
  });

  it('keeps a body without tools, and does not say where they start', () => {
    for (const result of everySplit(Buffer.from('{"pattern":"x","catalog_id":"c"}'))) {
      expect(result).toEqual({ bytes: '{"pattern":"x","catalog_id":"c"}', toolsStart: undefined });
    }
  });

  it('drops a byte order mark', () => {
    for (const result of everySplit(Buffer.from('\u{feff}{"tools":[]}'))) {
      expect(result).toEqual({ bytes: '{"tools":[]}', toolsStart: undefined });
    }
  });

  it('keeps nothing of an empty body', () => {
    expect(read(assemble([]))).toEqual({ bytes: '', toolsStart: undefined });
  });

  it('gives up on tools after a quarter of a megabyte of other members', () => {
    const text = `{"pattern":"${'x'.repeat(300_000)}","tools":${OTHER.tools}}`;
    const result = assemble([Buffer.from(text.slice(0, 280_000)), Buffer.from(text.slice(280_000))]);
    expect(read(result)).toEqual({ bytes: text, toolsStart: undefined });
  });

  it('gives up on an envelope of more than a quarter of a megabyte after the tools', () => {
    const text = `{"tools":${OTHER.tools},"pattern":"${'x'.repeat(300_000)}"}`;
    const chunks = [text.slice(0, 100_000), text.slice(100_000, 290_000), text.slice(290_000)];
    const result = assemble(chunks.map((chunk) => Buffer.from(chunk)));
    expect(read(result)).toEqual({ bytes: text, toolsStart: 9 });
  });

  it('does not retain the chunks', () => {
    const body = Buffer.from('{"pattern":"x"}');
    const assembler = new BodyAssembler(0, ALL);
    assembler.write(body);
    body.fill(0);
    expect(read(assembler.end())).toEqual({ bytes: '{"pattern":"x"}', toolsStart: undefined });
  });

  it('puts a large body together from small pieces', () => {
    const text = `{"tools":["${'x'.repeat(200_000)}"]}`;
    const pieces = Array.from({ length: Math.ceil(text.length / 1_000) }, (_, at) =>
      Buffer.from(text.slice(1_000 * at, 1_000 * (at + 1))),
    );
    expect(read(assemble(pieces))).toMatchObject({ bytes: text });
  });

  it('gives the memory of a body back that is refused', () => {
    const assembler = new BodyAssembler(0, ALL);
    for (let piece = 0; piece < 10; piece++) assembler.write(Buffer.alloc(100_000, ' '));
    expect(assembler.heldBytes).toBeGreaterThan(1_000_000);
    assembler.release();
    expect(assembler.heldBytes).toBe(0);
  });
});
