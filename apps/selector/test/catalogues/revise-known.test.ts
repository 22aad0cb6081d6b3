import { noPause, selectTools } from '@winnow/ranking';
import { describe, expect, it } from 'vitest';
import { type BuiltRequest, buildFromBody } from '../../src/catalogues/build-catalogue.ts';
import type { CachedCatalogue } from '../../src/catalogues/catalogue-cache.ts';
import { reviseKnown } from '../../src/catalogues/revise-known.ts';
import { endOfTools } from '../../src/catalogues/tool-places.ts';
import { findTools } from '../../src/receive/find-tools.ts';

const MAX_TOOLS = 1_000;
const now = () => 0;

const VERBS = ['create', 'list', 'delete', 'send', 'get'];
const NOUNS = ['issue', 'mail', 'invoice', 'branch', 'weather', 'Straße'];

const toolOf = (number: number): object => ({
  name: `${VERBS[number % 5]}_${NOUNS[number % 6]}_${number}`,
  description: `To ${VERBS[number % 5]} one ${NOUNS[(number * 7) % 6]}. It is number ${number}.`,
});

/** A body whose tools stand between other members; every third tool is written with spaces. */
const bodyOf = (tools: readonly object[], separator = ','): Buffer => {
  const texts = tools.map((tool, at) =>
    at % 3 === 0 ? JSON.stringify(tool, null, 1) : JSON.stringify(tool),
  );
  return Buffer.from(`{"top_k":5,"tools":[${texts.join(separator)}],"pattern":"create an issue"}`);
};

const startOf = (body: Buffer): number => {
  const place = findTools(body);
  return place.kind === 'found' ? place.start : Number.NaN;
};

const build = (body: Buffer): BuiltRequest =>
  buildFromBody({ bytes: body, toolsStart: startOf(body), maxTools: MAX_TOOLS }, now);

const revise = (body: Buffer, known: readonly CachedCatalogue[], maxTools = MAX_TOOLS) =>
  reviseKnown({ bytes: body, toolsStart: startOf(body), maxTools }, known, now);

function keep(body: Buffer, { catalogue, places }: BuiltRequest): CachedCatalogue {
  const start = startOf(body);
  return {
    catalogue: catalogue!,
    tools: body.subarray(start, start + endOfTools(places!)),
    places: places!,
  };
}

const kept = (tools: readonly object[]): CachedCatalogue => keep(bodyOf(tools), build(bodyOf(tools)));

async function expectSame(revised: BuiltRequest | undefined, body: Buffer): Promise<void> {
  const built = build(body);
  expect(revised?.places).toEqual(built.places);
  expect(revised?.query).toEqual(built.query);
  for (const pattern of ['create an issue', 'straße', 'weather_4', '*_mail_*', 'number [12]7|issue']) {
    const query = { pattern, topK: 20, alwaysKeep: [], searchType: 'auto' } as const;
    expect(await selectTools(revised!.catalogue!, query, noPause)).toEqual(
      await selectTools(built.catalogue!, query, noPause),
    );
  }
}

const TWENTY = Array.from({ length: 20 }, (_, number) => toolOf(number));
const NEW = [toolOf(100), toolOf(101), toolOf(102)];

describe('a catalogue that is made from a known one', () => {
  it.each<[string, object[]]>([
    ['has one tool changed', TWENTY.with(7, { ...TWENTY[7], description: 'Changed' })],
    ['has its first tool changed', TWENTY.with(0, NEW[0]!)],
    ['has its last tool changed', TWENTY.with(19, NEW[0]!)],
    ['has one tool more at the end', [...TWENTY, NEW[0]!]],
    ['has three tools more at the start', [...NEW, ...TWENTY]],
    ['has one tool more inside', TWENTY.toSpliced(4, 0, NEW[1]!)],
    ['has one tool less', TWENTY.toSpliced(4, 1)],
    ['has many tools less in a row', TWENTY.toSpliced(4, 12)],
    ['has its last tools less', TWENTY.slice(0, 5)],
    ['has the order reversed', TWENTY.toReversed()],
    ['has a tool twice', [...TWENTY, TWENTY[3]!]],
    ['is a part of it, in another order', [TWENTY[9]!, TWENTY[1]!, TWENTY[15]!]],
    ['has a tool that begins like another one', TWENTY.with(7, { ...TWENTY[7], extra: 1 })],
  ])('finds what it would find if it were built, when it %s', async (_, tools) => {
    await expectSame(revise(bodyOf(tools), [kept(TWENTY)]), bodyOf(tools));
  });

  it('may be made from one that was made so, again and again', async () => {
    let tools: object[] = [...TWENTY];
    let known = kept(tools);
    for (let round = 0; round < 20; round++) {
      const at = (round * 7) % tools.length;
      tools = round % 3 === 2 ? tools.toSpliced(at, 1) : tools.toSpliced(at, round % 3, toolOf(200 + round));
      const body = bodyOf(tools);
      const revised = revise(body, [known]);
      await expectSame(revised, body);
      known = keep(body, revised!);
    }
  });

  it('is made from the one that shares most of its first tools', () => {
    const others = [kept(NEW), kept([...NEW, TWENTY[0]!]), kept(TWENTY)];
    const revised = revise(bodyOf([...TWENTY.slice(0, 12), NEW[0]!]), others);
    expect(revised?.catalogue?.table).toBe(others[2]!.catalogue.table);
  });

  it('may have other spaces between its tools', async () => {
    const body = bodyOf(TWENTY, '\n,  ');
    await expectSame(revise(body, [kept(TWENTY)]), body);
  });

  it('belongs to the request whose members stand around it', () => {
    const revised = revise(bodyOf([...TWENTY, NEW[0]!]), [kept(TWENTY)]);
    expect(revised?.query).toMatchObject({ pattern: 'create an issue', top_k: 5 });
  });
});

describe('a body is left to the full parse', () => {
  const text = bodyOf(TWENTY).toString();

  it.each([
    ['that shares no tool with a known one', bodyOf(NEW).toString()],
    ['that ends inside its tools', text.slice(0, -60)],
    ['that has no tools', '{"pattern":"x","tools":[]}'],
    ['that has a second member tools', text.replace(/\}$/, ',"tools":[]}')],
    ['with a new tool without a name', text.replace(/\],"pattern"/, ',{}],"pattern"')],
    ['with a new tool that is broken', text.replace(/\],"pattern"/, ',{"name":}],"pattern"')],
    ['with brackets of the wrong kind', text.replace(/\],"pattern"/, ',{"name":"x"]],"pattern"')],
    ['with something else than a tool', text.replace(/\],"pattern"/, ',1],"pattern"')],
    ['with a comma at the end', text.replace(/\],"pattern"/, ',],"pattern"')],
    ['without a comma between two tools', text.replace('},{', '}{')],
  ])('%s', (_, body) => {
    expect(revise(Buffer.from(body), [kept(TWENTY)])).toBeUndefined();
  });

  it('whose new tool is not UTF-8', () => {
    const body = Buffer.from(text.replace(/\],"pattern"/, ',{"name":"\u00ff"}],"pattern"'), 'latin1');
    expect(revise(body, [kept(TWENTY)])).toBeUndefined();
  });

  it('that has more tools than are allowed', () => {
    expect(revise(bodyOf([...TWENTY, ...NEW]), [kept(TWENTY)], 22)).toBeUndefined();
    expect(revise(bodyOf([...TWENTY, ...NEW]), [kept(TWENTY)], 23)).toBeDefined();
  });

  it('with more that is new than is read on the main thread', () => {
    const large = { name: 'large', description: 'x'.repeat(128 * 1024) };
    expect(revise(bodyOf([...TWENTY, large]), [kept(TWENTY)])).toBeUndefined();
  });

  it('whose known tools stand far behind its start', () => {
    const long = { name: 'long', description: 'x'.repeat(260 * 1024) };
    expect(revise(bodyOf([long, ...TWENTY]), [kept([long, ...TWENTY])])).toBeUndefined();
    expect(revise(bodyOf([...TWENTY, long]), [kept([...TWENTY, long])])).toBeDefined();
  });
});
