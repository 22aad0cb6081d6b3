import { DocumentTexts, readToolFromBytes } from '@winnow/ranking';
import { expect, it } from 'vitest';
import { rehearsalBody } from '../../src/catalogues/rehearsal.ts';

it('is of tools that are read as ordinary ones are, others in each round', () => {
  const names = [0, 1].flatMap((round) => {
    const { bytes, toolsStart } = rehearsalBody(round);
    const { tools } = JSON.parse(bytes.toString());
    let at = toolsStart + 1;
    for (const tool of tools) {
      const end = readToolFromBytes(bytes, at, new DocumentTexts());
      expect(bytes.toString('utf8', at, end)).toBe(JSON.stringify(tool));
      at = end! + 1;
    }
    expect(at).toBe(bytes.length - 1);
    return tools.map(({ name }: { name: string }) => name);
  });
  expect(new Set(names).size).toBe(200);
});
