import { describe, expect, test } from 'vitest';
import { sightOf } from '../src/index.ts';
import { expectOk, makeRegistry, registration } from './make-registry.ts';

const TERMS = {
  crm: { namespace: 'crm', shares: (namespace: string) => namespace === 'sales' },
  mine: { namespace: 'mine', shares: () => false },
};

function onServer(server: string, namespace: string, tool: Record<string, unknown> = {}) {
  return registration('wipe', { namespace, backend: { kind: 'mcp', server }, tool });
}

function withServers() {
  return makeRegistry({ serverTerms: (server) => TERMS[server as keyof typeof TERMS] });
}

describe('a registration that names a server', () => {
  test('R76: needs a right on the server, and cannot tell one out of sight from one that is not there', async () => {
    const registry = await withServers();
    const limited = registry.within(sightOf(['mine']));
    const refusals = await Promise.all(
      ['crm', 'no-such-server'].map((server) => limited.register([onServer(server, 'mine')])),
    );
    expect(refusals[0]).toMatchObject({
      ok: false,
      problems: [{ code: 'forbidden', path: 'tools.0.backend.server' }],
    });
    expect(refusals[1]).toEqual(refusals[0]);
    expectOk(await limited.register([onServer('mine', 'mine')]));
    expect(expectOk(await registry.list()).rows.map(({ id }) => id)).toEqual(['mine:wipe']);
  });

  test('R76: is refused for another namespace, from any caller, unless the server is shared with it', async () => {
    const registry = await withServers();
    const refused = await registry.register([onServer('crm', 'mine')]);
    expect(refused).toMatchObject({ ok: false, code: 'invalid_backend' });
    expect(refused.ok || refused.problems[0]!.message).toContain('"share_with"');
    expectOk(await registry.within(sightOf(['sales'])).register([onServer('crm', 'sales')]));
    expectOk(await registry.register([onServer('crm', 'crm')]));
  });

  test('R76: may name a server that is not there yet, if it comes from a caller who sees everything', async () => {
    const registry = await withServers();
    expectOk(await registry.register([onServer('later', 'any')]));
    expectOk(await registry.within(sightOf(['*'])).register([onServer('later', 'other')]));
  });

  test('R78: cannot vouch for hints: they do not filter', async () => {
    const registry = await withServers();
    const reads = { annotations: { readOnlyHint: true } };
    const filter = { annotations: { readOnlyHint: true } };
    const idsOf = async () => expectOk(await registry.list(filter)).rows.map(({ id }) => id);
    expectOk(await registry.register([onServer('crm', 'crm', reads)]));
    expectOk(await registry.register([registration('look', { tool: reads })]));
    expect(await idsOf()).toEqual(['look']);
    const list = { server: 'crm', namespace: 'crm', tags: [], trustsAnnotations: true };
    const tool = { name: 'wipe', description: 'Handles wipe.', inputSchema: { type: 'object' } };
    expectOk(await registry.registerFromMcp({ ...list, tools: [{ ...tool, ...reads }] }));
    expect(await idsOf()).toEqual(['crm:wipe', 'look']);
    // The same again changes nothing; other hints are a claim of the caller.
    expectOk(await registry.register([onServer('crm', 'crm', reads)]));
    expect(await idsOf()).toEqual(['crm:wipe', 'look']);
    const claim = { annotations: { readOnlyHint: true, title: 'Harmless' } };
    expectOk(await registry.register([onServer('crm', 'crm', claim)], { onDifference: 'replace' }));
    expect(await idsOf()).toEqual(['look']);
  });
});
