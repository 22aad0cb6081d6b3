import { describe, expect, it } from 'vitest';
import { connectTo, searchHead } from './raw-exchange.ts';
import { manyTools, post, start, type TestSelector } from './start.ts';

const LARGE = manyTools(300);

/** The value of a metric without labels. */
async function metric({ url }: TestSelector, name: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1]);
}

describe('a large catalogue', () => {
  it('is built in slices and found again like any other', async () => {
    const { searchUrl } = await start();
    const request = { pattern: 'tool_250', include: ['metadata'], tools: LARGE };
    const responses = [await post(searchUrl, request), await post(searchUrl, request)];
    for (const [place, index] of ['built', 'cached'].entries()) {
      expect((responses[place]!.body.selected_names as string[])[0]).toBe('tool_250');
      expect(responses[place]!.body.search_metadata).toMatchObject({ index });
    }
  });

  it('is built once for concurrent requests, each of which gets its own response', async () => {
    const selector = await start();
    const tools = JSON.stringify(LARGE);
    const responses = Array.from({ length: 8 }, (_, number) =>
      // The query stands on either side of the tools, and has different lengths.
      post(
        selector.searchUrl,
        number % 2 === 0
          ? `{"pattern":"tool_${number * 17}","top_k":1,"tools":${tools}}`
          : `{"tools":${tools},"top_k":1,"pattern":"tool_${number * 17}"}`,
      ),
    );
    expect((await Promise.all(responses)).map(({ body }) => body.selected_names)).toEqual(
      Array.from({ length: 8 }, (_, number) => [`tool_${number * 17}`]),
    );
    expect(await metric(selector, 'winnow_selector_catalogue_builds_total')).toBe(1);
  });

  it('is built although its client leaves, for the next request', async () => {
    const selector = await start();
    const body = JSON.stringify({ pattern: 'tool_3', top_k: 1, tools: LARGE });
    const leaving = await connectTo(selector.url);
    leaving.write(searchHead({ 'content-length': body.length }) + body);
    leaving.socket.end();
    const next = await post(selector.searchUrl, body);
    expect(next.body.selected_names).toEqual(['tool_3']);
    expect(await metric(selector, 'winnow_selector_catalogue_builds_total')).toBe(1);
  });

  it('is checked for each request', async () => {
    const { searchUrl } = await start();
    const responses = ['5', '"tool_7"'].map((pattern) =>
      post(searchUrl, `{"top_k":1,"tools":${JSON.stringify(LARGE)},"pattern":${pattern}}`),
    );
    const [wrong, right] = await Promise.all(responses);
    expect(wrong?.status).toBe(400);
    expect(right?.body.selected_names).toEqual(['tool_7']);
  });
});
