import { describe, expect, test } from 'vitest';
import { generateTools } from '../src/generate-tools.ts';
import type { GeneratedTool } from '../src/tool-shapes.ts';
import { toSearchTool } from '../src/tool-shapes.ts';

const properties = (tool: GeneratedTool): Record<string, { type: string; enum?: string[] }> =>
  tool.parameters.properties as never;

const wordsOf = (tool: GeneratedTool): Set<string> =>
  new Set(
    JSON.stringify(tool)
      .toLowerCase()
      .match(/[a-z]+/g),
  );

const TWO_THOUSAND = generateTools({ count: 2_000, seed: 1 });

describe('generateTools', () => {
  test('gives the same catalogue for the same seed and another one for another seed', () => {
    const names = (seed: number) => generateTools({ count: 50, seed }).map((tool) => tool.name);
    expect(generateTools({ count: 50, seed: 3 })).toEqual(generateTools({ count: 50, seed: 3 }));
    const other = new Set(names(4));
    expect(names(3).filter((name) => other.has(name)).length).toBeLessThan(3);
  });

  test('gives as many tools as asked for, none included, each with a name of its own', () => {
    expect(generateTools({ count: 0, seed: 1 })).toEqual([]);
    expect(TWO_THOUSAND).toHaveLength(2_000);
    expect(new Set(TWO_THOUSAND.map(({ name }) => name)).size).toBe(2_000);
  });

  test('names tools in words that a provider accepts', () => {
    for (const { name } of generateTools({ count: 1_000, seed: 2 })) {
      expect(name).toMatch(/^[a-z]+(_{1,2}[a-z]+)+$/);
      expect(name.length).toBeLessThanOrEqual(64);
    }
  });

  test('follows the size asked for', () => {
    const tools = generateTools({ count: 500, seed: 1, meanBytes: 1_500 });
    const bytes = JSON.stringify(tools.map((tool) => toSearchTool(tool, 'mcp'))).length / tools.length;
    expect(bytes).toBeGreaterThan(1_350);
    expect(bytes).toBeLessThan(1_650);
  });

  test('makes no two tools that read nearly alike', () => {
    const tools = generateTools({ count: 250, seed: 5 }).map(wordsOf);
    const shared = (left: Set<string>, right: Set<string>) => {
      const both = [...left].filter((word) => right.has(word)).length;
      return both / (left.size + right.size - both);
    };
    const closest = tools.map((tool, position) =>
      Math.max(0, ...tools.slice(position + 1).map((other) => shared(tool, other))),
    );
    expect(Math.max(...closest)).toBeLessThan(0.9);
  });

  test('covers every kind of parameter, from none to twelve of them', () => {
    const counts = new Set(TWO_THOUSAND.map((tool) => Object.keys(properties(tool)).length));
    expect(Math.min(...counts)).toBe(0);
    expect(Math.max(...counts)).toBeGreaterThanOrEqual(10);
    expect(Math.max(...counts)).toBeLessThanOrEqual(12);
    const all = TWO_THOUSAND.flatMap((tool) => Object.values(properties(tool)));
    expect(new Set(all.map(({ type }) => type))).toEqual(
      new Set(['string', 'integer', 'boolean', 'array', 'object']),
    );
    expect(all.some((parameter) => parameter.enum !== undefined)).toBe(true);
    expect(TWO_THOUSAND.some((tool) => 'required' in tool.parameters)).toBe(true);
  });
});
