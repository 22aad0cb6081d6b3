import { describe, expect, it } from 'vitest';
import { manyTools, post, start, TOOLS } from './start.ts';

const ask = (pattern: string, rest: object = {}) => ({ pattern, top_k: 1, catalog_id: 'mine', ...rest });
const UNKNOWN = { error: { code: 'unknown_catalog', message: expect.any(String) } };

describe('catalog_id', () => {
  it('names tools that were sent with it before', async () => {
    const { searchUrl } = await start();
    await post(searchUrl, ask('weather', { tools: TOOLS }));
    const { body } = await post(searchUrl, ask('mail', { include: ['metadata'] }));
    expect(body.selected_names).toEqual(['send_email']);
    expect(body.search_metadata).toMatchObject({ index: 'cached' });
  });

  it('is unknown before its tools were sent', async () => {
    const { searchUrl } = await start();
    const { status, body } = await post(searchUrl, ask('mail'));
    expect(status).toBe(404);
    expect(body).toEqual(UNKNOWN);
  });

  it('names the tools of the latest request with tools', async () => {
    const { searchUrl } = await start();
    await post(searchUrl, ask('x', { tools: TOOLS }));
    expect(
      (await post(searchUrl, ask('page', { tools: [{ name: 'fetch_page' }] }))).body.selected_names,
    ).toEqual(['fetch_page']);
    expect((await post(searchUrl, ask('page'))).body.selected_names).toEqual(['fetch_page']);
    // Back to tools that are known already: no build, but the name moves all the same.
    await post(searchUrl, ask('x', { tools: TOOLS }));
    expect((await post(searchUrl, ask('mail'))).body.selected_names).toEqual(['send_email']);
  });

  it('names large catalogues', async () => {
    const { searchUrl } = await start();
    await post(searchUrl, ask('x', { tools: manyTools(300) }));
    expect((await post(searchUrl, ask('tool_77'))).body.selected_names).toEqual(['tool_77']);
  });

  it('names an empty catalogue', async () => {
    const { searchUrl } = await start();
    await post(searchUrl, ask('x', { tools: [] }));
    expect((await post(searchUrl, ask('mail'))).body).toMatchObject({ selected_names: [], no_match: true });
  });

  it('names tools under an escaped key', async () => {
    const { searchUrl } = await start();
    const text = JSON.stringify(ask('x', { tools: TOOLS })).replace('"tools"', '"\\u0074ools"');
    await post(searchUrl, text);
    expect((await post(searchUrl, ask('mail'))).body.selected_names).toEqual(['send_email']);
  });

  it('is unknown again after its catalogue was evicted', async () => {
    const { searchUrl } = await start({ cacheMaxCatalogues: 1 });
    await post(searchUrl, ask('x', { tools: TOOLS }));
    await post(searchUrl, { pattern: 'x', tools: [{ name: 'other' }] });
    expect((await post(searchUrl, ask('mail'))).body).toEqual(UNKNOWN);
  });

  it('belongs to the token that it was sent with', async () => {
    const { searchUrl } = await start({ tokens: ['one', 'two'] });
    const by = (token: string, body: object) => post(searchUrl, body, { authorization: `Bearer ${token}` });
    await by('one', ask('x', { tools: TOOLS }));
    expect((await by('two', ask('mail'))).body).toEqual(UNKNOWN);
    await by('two', ask('x', { tools: [{ name: 'two_only', description: 'mail' }] }));
    expect((await by('two', ask('mail'))).body.selected_names).toEqual(['two_only']);
    expect((await by('one', ask('mail'))).body.selected_names).toEqual(['send_email']);
  });

  it('does not replace invalid tools', async () => {
    const { searchUrl } = await start();
    await post(searchUrl, ask('x', { tools: TOOLS }));
    expect((await post(searchUrl, ask('mail', { tools: null }))).status).toBe(400);
  });
});
