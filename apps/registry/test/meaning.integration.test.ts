import { EMBEDDINGS_KEY, startEmbeddingsEndpoint } from '@winnow/testkit';
import { describe, expect, onTestFinished, test } from 'vitest';
import { ask, register, start, tool } from './start.ts';

const TOOLS = [
  tool('bank_holidays', { description: 'Bank holidays of a bank.' }),
  tool('bank_transfer', { description: 'Makes a transfer at any bank in the country.' }),
  tool('cash', { description: 'Gives notes and coins.' }),
];

async function startWithEndpoint() {
  const endpoint = await startEmbeddingsEndpoint();
  onTestFinished(() => endpoint.close());
  const registry = await start({
    embedder: endpoint.address,
    embedderKey: EMBEDDINGS_KEY,
  });
  await register(registry, TOOLS);
  const search = async (search_type: string) => {
    const request = { query: 'pay at the bank', search_type, include: ['metadata'] };
    const { status, body } = await ask('POST', `${registry.api}/search`, request);
    expect(status).toBe(200);
    return body as unknown as {
      tool_references: { tool_name: string; matched_on: string[] }[];
      search_metadata: { search_type: string; degraded?: object };
    };
  };
  /** Until what is learnt in the background is there. */
  const searchUntilWhole = async (type: string) => {
    for (;;) {
      const response = await search(type);
      if (response.search_metadata.degraded === undefined) return response;
    }
  };
  return { endpoint, registry, search, searchUntilWhole };
}

describe('with an embedder', () => {
  test('R73: the registry orders by words and meaning, or only by meaning', async () => {
    const { searchUntilWhole, registry } = await startWithEndpoint();
    const names = async (type: string) =>
      (await searchUntilWhole(type)).tool_references.map(({ tool_name: name }) => name);
    expect(await names('keyword')).toEqual(['bank_holidays', 'bank_transfer']);
    expect(await names('hybrid')).toEqual(['bank_transfer', 'bank_holidays']);
    expect(await names('auto')).toEqual(['bank_transfer', 'bank_holidays']);
    expect((await searchUntilWhole('auto')).search_metadata.search_type).toBe('hybrid');
    const { tool_references: found, search_metadata: metadata } = await searchUntilWhole('semantic');
    expect(found.map(({ tool_name: name }) => name)).toEqual(['bank_transfer', 'cash', 'bank_holidays']);
    expect(found[1]!.matched_on).toEqual(['meaning']);
    expect(metadata.search_type).toBe('semantic');
    const metrics = await (await fetch(`${registry.url}/metrics`)).text();
    expect(metrics).toMatch(/^winnow_embedder_failing{service="registry"} 0$/m);
  });

  test('R26: one that fails leaves the order to keywords, which is said', async () => {
    const { endpoint, registry } = await startWithEndpoint();
    endpoint.behave('error');
    const request = { query: 'bank to cash', search_type: 'hybrid', include: ['metadata'] };
    const { status, body } = await ask('POST', `${registry.api}/search`, request);
    expect(status).toBe(200);
    expect(body.search_metadata).toMatchObject({
      search_type: 'keyword',
      degraded: { searcher: 'meaning', reason: 'failed' },
    });
    expect(registry.logs().map(({ event }) => event)).toContain('meaning_fails');
    const metrics = await (await fetch(`${registry.url}/metrics`)).text();
    expect(metrics).toMatch(/^winnow_embedder_failing{service="registry"} 1$/m);
  });

  test('R24: one tenant learns nothing of another: each has vectors of its own', async () => {
    const endpoint = await startEmbeddingsEndpoint();
    onTestFinished(() => endpoint.close());
    const tokens = ['first', 'second'].map((tenant) => ({
      ...{ name: tenant, tenant, token: `token-of-the-${tenant}`, namespaces: undefined },
      rights: ['read', 'write'] as const,
    }));
    const registry = await start({
      ...{ tokens, embedder: endpoint.address, embedderKey: EMBEDDINGS_KEY },
    });
    const as = ({ token }: { token: string }) => ({ authorization: `Bearer ${token}` });
    for (const caller of tokens) {
      const body = { tools: TOOLS };
      const { status } = await ask('PUT', `${registry.api}/tools`, body, as(caller));
      expect(status).toBe(200);
      const text = 'bank transfer: Makes a transfer at any bank in the country.';
      const asked = () => endpoint.asked.filter((one) => one === text).length;
      await expect.poll(asked).toBe(tokens.indexOf(caller) + 1);
    }
  });
});
