import { expect, it } from 'vitest';
import { HeadWriter } from '../src/exchange/exchange.ts';
import type { ResponsePlace } from '../src/upstream/client.ts';

it('omits headers that contain names which the client must not know', () => {
  const written: unknown[] = [];
  const head = new HeadWriter(
    { writeHead: (...head: unknown[]) => written.push(head) } as unknown as ResponsePlace,
    'id',
  );
  head.hiddenNames = ['gateway_search_tools'];
  head.write(200, ['x-tools', 'one, gateway_search_tools', 'content-length', '2']);
  expect(written).toEqual([[200, ['content-length', '2']]]);
});
