import { ClientGone, SILENT_SPAN } from '@winnow/service';
import { expect, it } from 'vitest';
import { Catalogues } from '../src/catalogues.ts';
import { searchTools } from '../src/search-tools.ts';

it('ends a long search when its client leaves', async () => {
  const client = new AbortController();
  let pauses = 0;
  const pause = async () => {
    pauses += 1;
    // The first one stands between two slices of the build.
    if (pauses === 3) client.abort();
  };
  const tools = Array.from({ length: 100 }, (_, at) => ({ name: `t${at}`, description: 'ab '.repeat(500) }));
  const limits = { maxBytes: 2 ** 30, maxCatalogues: 10 };
  const body = { pattern: '.*a.{28}[bc].{28}[cd]', search_type: 'regex', tools };
  const search = searchTools(
    {
      body,
      caller: { scope: '', party: undefined, maySearchRegistry: true },
      leave: () => client.signal,
      span: SILENT_SPAN,
    },
    {
      catalogues: new Catalogues({ ...limits, pause, onBuilt() {} }),
      maxTools: 100,
      registry: undefined,
      meanings: undefined,
      now: () => 0,
      pause,
    },
  );
  await expect(search).rejects.toBeInstanceOf(ClientGone);
  expect(pauses).toBe(3);
});
