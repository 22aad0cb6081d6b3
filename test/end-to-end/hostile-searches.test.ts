import { answer, callTool, say } from '@winnow/testkit';
import { expect, test } from 'vitest';
import { FEW_TOOLS, send, type WireFormat } from './raw-client.ts';
import { recordsOf, startStack } from './start-stack.ts';

/** One that has arguments as text, and one that has them as an object. */
const FORMATS: readonly WireFormat[] = ['openai', 'anthropic'];
const SEARCH_TOOL = 'gateway_search_tools';
const WANTED = FEW_TOOLS[9]!.name;

const nested = (depth: number): unknown => (depth === 0 ? 'end' : { more: [nested(depth - 1)] });
const misspelt = (at: number) =>
  Array.from(
    { length: 60 },
    (_, word) => `qzxwv${(at * 60 + word).toString(2).replace(/0/g, 'k').replace(/1/g, 'v')}`,
  );

const HOSTILE: Readonly<Record<string, unknown>> = {
  'numbers and nothing': { queries: [1, null, true, 1e308, []], query: false },
  'objects in objects': { queries: { a: { b: { c: [nested(40)] } } } },
  'sixteen phrases of unknown words': {
    queries: Array.from({ length: 16 }, (_, at) => misspelt(at).join(' ')),
  },
  'a hundred thousand phrases': { queries: Array.from({ length: 100_000 }, (_, at) => `phrase ${at}`) },
  'a text of two megabytes': { query: 'a\n'.repeat(1_000_000) },
  'JSON in JSON in JSON': { queries: JSON.stringify(JSON.stringify(JSON.stringify([WANTED]))) },
  'names of members of every object': JSON.parse(
    '{"__proto__":{"queries":["x"]},"constructor":[7],"toString":"y"}',
  ),
  'expressions that explode': { queries: ['(a+)+$', '(.*)*x', '*a*b*c*d*e*'] },
};

test.each(FORMATS)('%s: arguments of any kind neither break nor hold up the exchange', async (format) => {
  const stack = await startStack({
    script: Object.values(HOSTILE).flatMap((given) => [
      answer([callTool(SEARCH_TOOL, given as Record<string, unknown>)]),
      answer([say('done')]),
    ]),
  });
  for (const kind of Object.keys(HOSTILE)) {
    const startedAt = performance.now();
    const response = await send({ format, url: stack.proxyUrl });
    const text = await response.text();
    expect([kind, response.status]).toEqual([kind, 200]);
    expect(text).toContain('done');
    expect(text).not.toContain(SEARCH_TOOL);
    expect(performance.now() - startedAt).toBeLessThan(5_000);
  }
  expect(stack.upstream.rejected()).toEqual([]);
  await recordsOf(stack, Object.keys(HOSTILE).length);
});
