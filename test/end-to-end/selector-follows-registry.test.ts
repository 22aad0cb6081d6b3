import { describe, expect, test } from 'vitest';
import {
  type JsonResponse,
  memoryStore,
  registerTools,
  registration,
  searchFor,
  sendJson,
  startFollowingSelector,
  startTestRegistry,
  until,
} from './registry-stack.ts';

const TOOLS = [
  registration('jira:create_issue', 'Create an issue in a Jira project.'),
  registration('jira:list_issues', 'List the issues of a project.'),
  registration('github:create_issue', 'Create an issue in a repository.'),
  registration('slack:send_message', 'Send a message to a channel.'),
  registration('weather', 'Current weather of a place.'),
];

const metadataOf = ({ body }: JsonResponse) => (body.search_metadata ?? {}) as Record<string, unknown>;
const namesOf = ({ body }: JsonResponse) => body.selected_names;
const found = (name: string) => (response: JsonResponse) =>
  response.status === 200 && (namesOf(response) as string[]).includes(name);
const isOk = ({ status }: JsonResponse) => status === 200;
const metric = async (url: string, name: string) => {
  const lines = (await (await fetch(`${url}/metrics`)).text()).split('\n');
  return Number(lines.find((line) => line.startsWith(`${name} `))?.slice(name.length));
};
const stateOf = async (url: string) => (await sendJson('GET', `${url}/readyz`)).body.registry;

/** Closes a registry and starts another one at its address. */
async function restart(
  registry: { url: string; close: () => Promise<boolean> },
  settings: Parameters<typeof startTestRegistry>[0],
  store?: Parameters<typeof startTestRegistry>[1],
  meanwhile: () => Promise<unknown> = async () => {},
) {
  await registry.close();
  await meanwhile();
  return startTestRegistry({ ...settings, port: Number(new URL(registry.url).port) }, store);
}

describe('a selector that follows a registry', () => {
  test('finds its tools, all of them or those of a namespace, as the registry itself does', async () => {
    const registry = await startTestRegistry();
    await registerTools(registry.url, TOOLS);
    const { url } = await startFollowingSelector(registry.url);
    await until(() => searchFor(url, 'x'), isOk);
    for (const query of ['create an issue', 'issues', 'send_message', 'jira', '*_issue*', 'list|weather']) {
      const [ours, theirs] = await Promise.all([
        searchFor(url, query),
        sendJson('POST', `${registry.url}/v1/registry/search`, { query, page_size: 5 }),
      ]);
      const references = theirs.body.tool_references as { tool_name: string; relevance_score: number }[];
      expect(namesOf(ours)).toEqual(references.map(({ tool_name: name }) => name));
      expect((namesOf(ours) as string[]).length).toBeGreaterThan(0);
    }
    const limited = await searchFor(url, 'create an issue', { catalog_id: 'registry:github' });
    expect(namesOf(limited)).toEqual(['github__create_issue']);
    expect(metadataOf(limited)).toMatchObject({ total_matches: 1, registry_version: 1 });
    expect(metadataOf(limited)).not.toHaveProperty('registry_away_ms');
  });

  test('finds what comes, and no longer what goes or has changed', async () => {
    const registry = await startTestRegistry();
    await registerTools(registry.url, TOOLS);
    const { url } = await startFollowingSelector(registry.url);
    await until(() => searchFor(url, 'x'), isOk);
    await registerTools(registry.url, [registration('jira:close_sprint', 'Close a sprint.')]);
    await until(() => searchFor(url, 'close a sprint'), found('jira__close_sprint'));
    await registerTools(registry.url, [registration('jira:close_sprint', 'Finish an iteration.')]);
    await until(() => searchFor(url, 'finish an iteration'), found('jira__close_sprint'));
    await sendJson('DELETE', `${registry.url}/v1/registry/tools/slack:send_message`);
    const gone = await until(
      () => searchFor(url, 'send a message', { catalog_id: 'registry:slack' }),
      ({ status }) => status !== 200,
    );
    expect(gone).toMatchObject({ status: 404, body: { error: { code: 'unknown_catalog' } } });
    expect(await metric(url, 'winnow_followed_tools{service="selector"}')).toBe(5);
  });

  test('says a name again when another tool makes it ambiguous', async () => {
    const registry = await startTestRegistry();
    await registerTools(registry.url, [registration('n:close.sprint', 'Close a sprint.')]);
    const { url } = await startFollowingSelector(registry.url);
    await until(() => searchFor(url, 'close a sprint'), found('n__close_sprint'));
    await registerTools(registry.url, [registration('n:close_sprint', 'Something else.')]);
    const response = await until(
      () => searchFor(url, 'close a sprint', { top_k: 1 }),
      (one) => !found('n__close_sprint')(one),
    );
    expect(namesOf(response)).toEqual([expect.stringMatching(/^n__close_sprint_[0-9a-f]{8}$/)]);
  });

  test('continues with what it knows while the registry is away, says so, and catches up', async () => {
    const store = memoryStore();
    const registry = await startTestRegistry({}, store);
    await registerTools(registry.url, TOOLS);
    const { url, events } = await startFollowingSelector(registry.url);
    await until(
      () => stateOf(url),
      (state) => state === 'following',
    );
    expect(await metric(url, 'winnow_registry_away_seconds{service="selector"}')).toBe(0);
    const back = await restart(registry, {}, store, async () => {
      await until(
        () => stateOf(url),
        (state) => state === 'away',
      );
      const response = await searchFor(url, 'create an issue');
      expect(response.status).toBe(200);
      expect(metadataOf(response)).toMatchObject({
        registry_version: 1,
        registry_away_ms: expect.any(Number),
      });
      expect(await metric(url, 'winnow_registry_away_seconds{service="selector"}')).toBeGreaterThan(0);
    });
    await registerTools(back.url, [registration('jira:close_sprint', 'Close a sprint.')]);
    const response = await until(() => searchFor(url, 'close a sprint'), found('jira__close_sprint'));
    expect(metadataOf(response)).not.toHaveProperty('registry_away_ms');
    const told = events().map(({ event }) => event);
    expect(told.filter((event) => event === 'registry_followed')).toHaveLength(2);
    // However often it tried, each reason is logged once.
    expect(told.filter((event) => event === 'registry_away').length).toBeLessThanOrEqual(4);
  });

  test('forgets the tools of an earlier life of the registry', async () => {
    const registry = await startTestRegistry();
    await registerTools(registry.url, TOOLS);
    const { url } = await startFollowingSelector(registry.url);
    await until(() => searchFor(url, 'weather'), found('weather'));
    const anew = await restart(registry, {}, memoryStore());
    await registerTools(anew.url, [registration('mail', 'Send mail.')]);
    await until(() => searchFor(url, 'send mail'), found('mail'));
    expect((await searchFor(url, 'weather')).body).toMatchObject({ selected_names: [], no_match: true });
  });

  test('lists everything again when more has changed than the registry keeps', async () => {
    const store = memoryStore();
    const registry = await startTestRegistry({}, store);
    const batch = Array.from({ length: 200 }, (_, number) => registration(`n:tool_${number}`));
    await registerTools(registry.url, batch);
    const { url, events } = await startFollowingSelector(registry.url);
    await until(
      () => stateOf(url),
      (state) => state === 'following',
    );
    await restart(registry, {}, store, async () => {
      // Another instance over the same store makes changes that this selector is not notified of.
      const other = await startTestRegistry({}, store);
      for (let round = 0; round <= 51; round++) {
        await registerTools(
          other.url,
          batch.map((one) => ({ ...one, version: String(round) })),
        );
      }
      await registerTools(other.url, [registration('n:last_one', 'Close a sprint.')]);
    });
    await until(() => searchFor(url, 'close a sprint'), found('n__last_one'));
    expect(events().filter(({ reason }) => reason === 'stale')).toHaveLength(1);
  });

  test('is of no use for the registry before it has reached it, and of use for everything else', async () => {
    const { url } = await startFollowingSelector('http://127.0.0.1:9');
    expect(await searchFor(url, 'x')).toMatchObject({
      status: 503,
      body: { error: { code: 'registry_unavailable' } },
    });
    expect(await sendJson('GET', `${url}/readyz`)).toEqual({
      status: 200,
      body: { status: 'ready', registry: 'starting' },
    });
    const own = { pattern: 'mail', tools: [{ name: 'send_mail' }] };
    expect(namesOf(await sendJson('POST', `${url}/v1/tool-discovery/search`, own))).toEqual(['send_mail']);
  });

  test('keeps its ids for the registry', async () => {
    const registry = await startTestRegistry();
    await registerTools(registry.url, TOOLS);
    const { url } = await startFollowingSelector(registry.url);
    await until(() => searchFor(url, 'x'), isOk);
    const tools = [{ name: 'evil' }];
    // The second time, the tools are known by their bytes.
    await sendJson('POST', `${url}/v1/tool-discovery/search`, { pattern: 'evil', tools });
    for (let round = 0; round < 2; round++) {
      expect(await searchFor(url, 'evil', { tools })).toMatchObject({
        status: 400,
        body: { error: { details: [{ path: 'catalog_id' }] } },
      });
    }
    expect(namesOf(await searchFor(url, 'evil'))).toEqual([]);
  });
});

describe('rights', () => {
  const [all, few] = ['a'.repeat(16), 'f'.repeat(16)];
  const tokens = (namespaces: readonly string[]) => ({
    tokens: [
      { name: 'all', token: all, tenant: 'default', rights: ['read', 'write'], namespaces: undefined },
      { name: 'few', token: few, tenant: 'default', rights: ['read'], namespaces },
    ] as const,
  });

  test('of the registry’s token are those of everybody who asks the selector', async () => {
    const registry = await startTestRegistry(tokens(['jira', 'slack']));
    await registerTools(registry.url, TOOLS, all);
    const { url } = await startFollowingSelector(registry.url, { registryToken: few });
    const response = await until(() => searchFor(url, 'create an issue in github', { top_k: 20 }), isOk);
    expect(JSON.stringify(response.body)).not.toMatch(/github|weather/);
    expect(namesOf(response)).toContain('jira__create_issue');
    const hidden = await searchFor(url, 'create', { catalog_id: 'registry:github' });
    const missing = await searchFor(url, 'create', { catalog_id: 'registry:none' });
    expect(hidden).toEqual(missing);
    // Changes that are out of sight have no effect here.
    await registerTools(registry.url, [registration('github:secret', 'Close a sprint.')], all);
    await registerTools(registry.url, [registration('jira:open', 'Close a sprint.')], all);
    await until(() => searchFor(url, 'close a sprint'), found('jira__open'));
    expect(namesOf(await searchFor(url, 'close a sprint'))).toEqual(['jira__open']);
  });

  test('that are taken away from the token are taken away here', async () => {
    const store = memoryStore();
    const registry = await startTestRegistry(tokens(['jira', 'slack']), store);
    await registerTools(registry.url, TOOLS, all);
    const { url } = await startFollowingSelector(registry.url, { registryToken: few });
    await until(() => searchFor(url, 'send a message'), found('slack__send_message'));
    const second = await restart(registry, tokens(['jira']), store);
    await until(
      () => searchFor(url, 'send a message'),
      (response) => response.status === 200 && !found('slack__send_message')(response),
    );
    await restart(second, { tokens: tokens([]).tokens.slice(0, 1) }, store);
    const refused = await until(
      () => searchFor(url, 'create an issue'),
      ({ status }) => status !== 200,
    );
    expect(refused).toMatchObject({ status: 503, body: { error: { code: 'registry_unavailable' } } });
  });

  test('of the selector’s own tokens say who may search the registry', async () => {
    const registry = await startTestRegistry();
    await registerTools(registry.url, TOOLS);
    const { url } = await startFollowingSelector(registry.url, {
      tokens: ['one', 'two'],
      registryCallers: ['one'],
    });
    await until(() => searchFor(url, 'weather', {}, 'one'), found('weather'));
    expect(await searchFor(url, 'weather', {}, 'two')).toMatchObject({
      status: 403,
      body: { error: { code: 'forbidden' } },
    });
    expect((await searchFor(url, 'weather')).status).toBe(401);
  });
});
