import type { AttachResponse } from '@winnow/core';
import { expect, test } from 'vitest';
import { createMemoryStore } from '../src/guard/attach-store.ts';
import { RepeatedRequests } from '../src/http/repeated-requests.ts';

const BODY = { agent_id: 'a', query: 'mail' };

function open() {
  const repeated = new RepeatedRequests({
    store: createMemoryStore(() => 0),
    onStoreFailure: () => {},
  });
  return (scope: string, headers: Record<string, string>, said: string) =>
    repeated.answer({ headers }, { scope, body: BODY }, async () => ({ message: said }) as AttachResponse);
}

test("a key is its caller's own: another caller with the same key and body gets a response of its own", async () => {
  const ask = open();
  const key = { 'idempotency-key': 'monday' };
  expect(await ask('one', key, 'for one')).toEqual({ response: { message: 'for one' }, isReplay: false });
  expect(await ask('two', key, 'for two')).toEqual({ response: { message: 'for two' }, isReplay: false });
  expect(await ask('one', key, 'again')).toEqual({ response: { message: 'for one' }, isReplay: true });
});

test('requests at the same time share their work only with those of the same caller', async () => {
  const ask = open();
  const answers = await Promise.all([ask('one', {}, 'a'), ask('one', {}, 'b'), ask('two', {}, 'c')]);
  expect(answers.map(({ response }) => response.message)).toEqual(['a', 'a', 'c']);
});
