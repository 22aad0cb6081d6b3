import { expect, test } from 'vitest';
import { ask, start } from './start.ts';

test('a parameter of the query that a request does not have is refused, with those that it has', async () => {
  const { api } = await start();
  expect(await ask('GET', `${api}/tools?limit=2`)).toMatchObject({
    status: 400,
    body: {
      error: {
        code: 'invalid_request',
        details: [
          {
            path: 'limit',
            message:
              'is no parameter of this request: it has cursor, page_size, namespace, tag, server, include',
          },
        ],
      },
    },
  });
  expect(await ask('GET', `${api}/stats?x=1`)).toMatchObject({ status: 400 });
  expect(await ask('GET', `${api}/tools?page_size=2`)).toMatchObject({ status: 200 });
  expect((await fetch(`${api.replace(/\/v1.*/, '')}/healthz?at=1`)).status).toBe(200);
});
