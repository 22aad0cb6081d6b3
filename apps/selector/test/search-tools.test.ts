import { ClientGone, SILENT_SPAN } from '@winnow/service';
import { expect, it } from 'vitest';
import { CatalogueBuilds } from '../src/catalogues/catalogue-builds.ts';
import { CatalogueCache } from '../src/catalogues/catalogue-cache.ts';
import { CatalogueSenders } from '../src/catalogues/catalogue-senders.ts';
import { searchTools } from '../src/search-tools.ts';

it('ends a long search when its client leaves', async () => {
  const cache = new CatalogueCache({ maxBytes: 2 ** 30, maxCatalogues: 10 });
  const options = { cache, maxTools: 100, pool: undefined, now: () => 0, onBuilt() {} };
  const client = new AbortController();
  let pauses = 0;
  const pause = async () => {
    pauses += 1;
    // The first one stands between taking a catalogue over and searching it.
    if (pauses === 3) client.abort();
  };
  const tools = Array.from({ length: 100 }, (_, at) => ({ name: `t${at}`, description: 'ab '.repeat(500) }));
  const body = JSON.stringify({ pattern: '.*a.{28}[bc].{28}[cd]', search_type: 'regex', tools });
  const search = searchTools(
    {
      body: { kind: 'new', bytes: Buffer.from(body), toolsStart: undefined },
      caller: { scope: '', maySearchRegistry: true },
      leave: () => client.signal,
      span: SILENT_SPAN,
    },
    {
      cache,
      senders: new CatalogueSenders(),
      builds: new CatalogueBuilds(options),
      registry: undefined,
      meanings: undefined,
      now: () => 0,
      pause,
    },
  );
  await expect(search).rejects.toBeInstanceOf(ClientGone);
  expect(pauses).toBe(3);
});
