import { getEventListeners } from 'node:events';
import type { ServerResponse } from 'node:http';
import { Writable } from 'node:stream';
import { Shares } from '@winnow/service';
import { expect, test } from 'vitest';
import { type ChangesContext, changesRoute } from '../src/routes/changes.ts';

test('R35: nothing listens or beats any more for a reader that has left', async () => {
  let [listening, beating] = [0, 0];
  const registry = {
    version: 0,
    epoch: 'e',
    changesSince: () => ({ ok: true, version: 0, events: [] }),
    onChange() {
      listening++;
      return () => void listening--;
    },
  };
  const ending = new AbortController().signal;
  const context: ChangesContext = {
    ending,
    every() {
      beating++;
      return () => void beating--;
    },
    callers: { admits: () => true },
    followers: new Shares(1, []),
  };
  const outgoing = new Writable({ write: (_chunk, _encoding, done) => done() });
  const response = await changesRoute(context).handle({
    caller: { tenant: 't' },
    registry,
    query: {},
    exchange: { incoming: { headers: {} }, outgoing },
  } as never);
  (response as { stream: (outgoing: ServerResponse) => void }).stream(outgoing as never);
  const held = () => [listening, beating, getEventListeners(ending, 'abort').length, context.followers.taken];
  expect(held()).toEqual([1, 1, 1, 1]);
  outgoing.destroy();
  await new Promise((resolve) => setImmediate(resolve));
  expect(held()).toEqual([0, 0, 0, 0]);
});
