import { SILENT_SPAN } from '@winnow/service';
import { expect, test } from 'vitest';
import { createMemoryStore } from '../src/guard/attach-store.ts';
import { RepeatedRequests } from '../src/http/repeated-requests.ts';
import { type ChangeContext, changeOnce } from '../src/routes/attach.ts';

test('a change that fails no longer keeps the service from ending', async () => {
  let running = 0;
  const context: ChangeContext = {
    repeated: new RepeatedRequests({
      store: createMemoryStore(() => 0),
      onStoreFailure: () => {},
    }),
    tell: () => ({}),
    beginWork: () => {
      running++;
      return () => running--;
    },
    maxLimit: 10,
  };
  const exchange = { incoming: { headers: {} }, facts: {}, span: SILENT_SPAN } as never;
  const work = async () => {
    expect(running).toBe(1);
    throw new Error('Letta is away');
  };
  const change = { scope: '', body: {}, query: '', exchange, work };
  await expect(changeOnce(change, context)).rejects.toThrow('Letta is away');
  expect(running).toBe(0);
});
