import { estimateTokens } from '@winnow/core';
import { generateTools, toProviderTool } from '@winnow/testkit';
import { Tiktoken } from 'js-tiktoken/lite';
import o200k from 'js-tiktoken/ranks/o200k_base';
import { expect, test } from 'vitest';
import type { Registration, Registry } from '../src/index.ts';
import { SEARCH_TOOL_FORMATS } from '../src/search-tool/search-tool-definition.ts';
import { expectOk, makeRegistry, registration } from './make-registry.ts';

const encoder = new Tiktoken(o200k);
const tokensOf = (text: string) => encoder.encode(text).length;

async function registryOf(tools: readonly Registration[]): Promise<Registry> {
  const registry = await makeRegistry();
  for (let start = 0; start < tools.length; start += 1_000) {
    expectOk(await registry.register(tools.slice(start, start + 1_000)));
  }
  return registry;
}

test('the search tool is at most 900 tokens and 4,000 characters, whatever there is to be found', async () => {
  const many = (count: number, make: (n: number) => string) =>
    Array.from({ length: count }, (_, n) =>
      registration(`do_something_with_number_${n}`, { namespace: make(n) }),
    );
  const catalogues = [
    [],
    many(50, (n) => `category-${n}`),
    many(51, (n) => `category-${n}`),
    many(50, (n) => `${'very-long-name-of-a-category-'.repeat(2)}${n}`),
    many(1_000, (n) => `n${n}`),
    generateTools({ count: 2_000, seed: 4 }).map((tool, n) => ({
      ...registration(tool.name, { namespace: `server-${n % 90}` }),
      tool: toProviderTool(tool, 'mcp') as never,
    })),
  ];
  for (const tools of catalogues) {
    const registry = await registryOf(tools);
    for (const format of SEARCH_TOOL_FORMATS) {
      const { definition, systemText } = await registry.searchTool.describe(format);
      const whole = JSON.stringify(definition) + systemText;
      expect(tokensOf(whole)).toBeLessThanOrEqual(900);
      expect(systemText.length).toBeLessThanOrEqual(4_000);
      // The estimate that keeps it short is never below the truth.
      expect(estimateTokens(whole)).toBeGreaterThanOrEqual(tokensOf(whole));
      expect(systemText).toContain('must still be called');
    }
  }
});
