import { expect, test } from 'vitest';
import { credentialChain } from '../../src/upstream/upstream-auth.ts';

const FOUND = { accessKeyId: 'id', secretAccessKey: 'secret' };

test('loads the package on the first request for credentials, once', async () => {
  const asked: string[] = [];
  const chain = credentialChain(
    () => {},
    async (name) => {
      asked.push(name);
      return { defaultProvider: () => async () => FOUND };
    },
  );
  expect(asked).toEqual([]);
  expect([await chain(), await chain()]).toEqual([FOUND, FOUND]);
  expect(asked).toEqual(['@aws-sdk/credential-provider-node']);
});

test('reports missing credentials, and retries next time', async () => {
  const failures: unknown[] = [];
  let isThere = false;
  const provider = async () => {
    if (!isThere) throw new Error('no profile');
    return FOUND;
  };
  const chain = credentialChain(
    (error) => failures.push(error),
    async () => ({ defaultProvider: () => provider }),
  );
  expect(await chain()).toBeUndefined();
  expect(failures).toHaveLength(1);
  isThere = true;
  expect(await chain()).toEqual(FOUND);
});

test('has no credentials if the package is not installed', async () => {
  const missing = Object.assign(new Error('Cannot find package'), { code: 'ERR_MODULE_NOT_FOUND' });
  const failures: unknown[] = [];
  const chain = credentialChain(
    (error) => failures.push(error),
    async () => {
      throw missing;
    },
  );
  expect(await chain()).toBeUndefined();
  expect(failures).toEqual([missing]);
});
