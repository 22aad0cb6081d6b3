import { describe, expect, test } from 'vitest';
import { FakeServer, fakeEntry, memoryStore, openFakeWorld, settle } from './fake-world.ts';

/** A server with prompts and resources. */
function serverWithOffers(): FakeServer {
  const server = new FakeServer();
  server.features = { prompts: true, resources: true, subscriptions: true, completions: true };
  server.instructions = 'Ask before you\u202e write.';
  server.offers = {
    'prompts/list': [{ name: 'greet', description: 'Greets.' }, { name: 'admin_reset' }],
    'resources/list': [{ uri: 'note://1', name: 'First note' }],
    'resources/templates/list': [{ uriTemplate: 'note://{id}', name: 'note' }],
  };
  return server;
}

const idsOf = (offers: readonly { readonly kind: string; readonly key: string }[]) =>
  offers.map(({ kind, key }) => `${kind} ${key}`);

test('R84: everything that a server offers is read, and counted in its state', async () => {
  const { servers } = await openFakeWorld({ a: serverWithOffers() });
  await settle();
  expect(idsOf(servers.offersOf('a'))).toEqual([
    'prompt greet',
    'prompt admin_reset',
    'resource note://1',
    'template note://{id}',
    'instructions ',
  ]);
  expect(servers.offersOf('a').at(-1)!.definition).toEqual({ text: 'Ask before you write.' });
  expect(servers.state('a')).toMatchObject({
    status: 'up',
    tools: 1,
    prompts: 2,
    resources: 1,
    templates: 1,
  });
});

test('R84: a list that fails or hangs costs no tool, keeps what was there, and is named', async () => {
  const fake = serverWithOffers();
  const { servers, clock } = await openFakeWorld({ a: fake });
  await settle();
  fake.offers = { ...fake.offers, 'prompts/list': 'hangs', 'resources/templates/list': undefined as never };
  const refreshed = servers.refresh('a');
  await clock.pass(10_000);
  await refreshed;
  expect(servers.state('a')).toMatchObject({
    status: 'up',
    tools: 1,
    leftOut: [{ tool: 'prompts/list', reason: 'It did not arrive within 10000 ms.' }],
  });
  // A server need not know templates.
  expect(idsOf(servers.offersOf('a'))).toEqual([
    'resource note://1',
    'instructions ',
    'prompt greet',
    'prompt admin_reset',
  ]);
});

test('R84: what is too much, too long, without a name or listed twice is left out', async () => {
  const fake = serverWithOffers();
  fake.offers = {
    'prompts/list': Array.from({ length: 501 }, (_, n) => ({ name: `p${n}` })),
    'resources/list': [
      { uri: 'a://1', description: 'x'.repeat(70_000) },
      { uri: `a://${'x'.repeat(2_048)}` },
      { name: 'no URI' },
      { uri: 'a://2', name: 'kept' },
      { uri: 'a://2', name: 'again' },
      { uri: 'a://\u202e3', name: 'hides' },
    ],
    'resources/templates/list': [],
  };
  const { servers } = await openFakeWorld({ a: fake });
  await settle();
  expect(servers.state('a')).toMatchObject({ prompts: 500, resources: 1 });
  expect(servers.state('a')!.leftOut.map(({ reason }) => reason)).toEqual([
    'The list has more than 500 prompts.',
    'It has no uri.',
    'Its definition is longer than 65536 characters.',
    'It is longer than 2048 characters.',
    'It is listed twice.',
    'Its name has characters that cannot be seen.',
  ]);
});

describe('what an entry leaves out', () => {
  test.each([
    [
      { exclude: ['admin_*'] },
      ['prompt greet', 'resource note://1', 'template note://{id}', 'instructions '],
    ],
    [{ exclude: ['resource:*', 'instructions'] }, ['prompt greet', 'prompt admin_reset']],
    [{ include: ['First *'] }, ['resource note://1', 'instructions ']],
    [{ include: ['prompt:*'], exclude: ['instructions'] }, ['prompt greet', 'prompt admin_reset']],
  ])('R83: %j', async (globs, expected) => {
    const { servers } = await openFakeWorld({ a: serverWithOffers() }, [fakeEntry('a', globs)]);
    await settle();
    expect(idsOf(servers.offersOf('a'))).toEqual(expected);
  });

  test('R83: is not sent, even if it is asked for by name', async () => {
    const fake = serverWithOffers();
    const entry = fakeEntry('a', { exclude: ['admin_*', 'resource:note://secret/*'] });
    const { servers } = await openFakeWorld({ a: fake }, [entry]);
    await settle();
    const get = (key: string) =>
      servers.relay('a', { offer: { kind: 'prompt', key }, method: 'prompts/get', params: { name: key } });
    const read = (uri: string) =>
      servers.relay('a', {
        offer: { kind: 'resource', key: uri },
        method: 'resources/read',
        params: { uri },
      });
    await expect(get('admin_reset')).rejects.toMatchObject({ code: 'not_allowed' });
    await expect(get('unknown')).rejects.toMatchObject({ code: 'not_allowed' });
    await expect(read('note://secret/1')).rejects.toMatchObject({ code: 'not_allowed' });
    expect(fake.requests).toEqual([]);
    await get('greet');
    // A resource need not be listed to be read.
    await read('note://unlisted');
    expect(fake.requests.map(({ method }) => method)).toEqual(['prompts/get', 'resources/read']);
  });
});

/** Reads a resource of the server `a` by its own URI. */
function reading(servers: Awaited<ReturnType<typeof openFakeWorld>>['servers']) {
  return (uri: string) =>
    servers.relay('a', { offer: { kind: 'resource', key: uri }, method: 'resources/read', params: { uri } });
}

describe('other spellings of a URI', () => {
  const OTHERS = [
    'file:///public/../secrets/key',
    'file:///public/%2e%2E/secrets/key',
    'file:///public/..%2Fsecrets/key',
    'file:///public/x%23/../../secrets/key',
    'file:///public\\..\\secrets\\key',
    'file:///public/..%5csecrets%5ckey',
  ];
  const ABSOLUTE = [
    'FILE:///secrets/key',
    'file:////secrets/key',
    'file:///%73ecrets/key',
    'file:///./secrets/key',
    'file://localhost/secrets/key',
    'file:/secrets/key',
  ];

  test.each([...OTHERS, ...ABSOLUTE])('R83: do not get around "exclude": %s', async (uri) => {
    const fake = serverWithOffers();
    const { servers } = await openFakeWorld({ a: fake }, [
      fakeEntry('a', { exclude: ['file:///secrets/*'] }),
    ]);
    await settle();
    await expect(reading(servers)(uri)).rejects.toMatchObject({ code: 'not_allowed' });
    expect(fake.requests).toEqual([]);
  });

  test.each(['?x=1', '#f', '/', ';v=1', '/?x#y', ';a;b=2/'])(
    'R83: do not get around an exact "exclude": %s',
    async (end) => {
      const fake = serverWithOffers();
      const exclude = ['file:///secrets/key'];
      const { servers } = await openFakeWorld({ a: fake }, [fakeEntry('a', { exclude })]);
      await settle();
      const uri = `file:///secrets/key${end}`;
      await expect(reading(servers)(uri)).rejects.toMatchObject({ code: 'not_allowed' });
      expect(fake.requests).toEqual([]);
    },
  );

  test.each(OTHERS)('R83: do not get out of "include": %s', async (uri) => {
    const fake = serverWithOffers();
    const { servers } = await openFakeWorld({ a: fake }, [fakeEntry('a', { include: ['file:///public/*'] })]);
    await settle();
    await expect(reading(servers)(uri)).rejects.toMatchObject({ code: 'not_allowed' });
    expect(fake.requests).toEqual([]);
  });

  test.each(OTHERS)('R83: do not get out of an approved template: %s', async (uri) => {
    const fake = serverWithOffers();
    fake.offers = { ...fake.offers, 'resources/templates/list': [{ uriTemplate: 'file:///public/{path}' }] };
    const { servers } = await openFakeWorld({ a: fake }, [fakeEntry('a', { isPinned: true })]);
    await settle();
    await expect(reading(servers)(uri)).rejects.toMatchObject({ code: 'not_allowed' });
    expect(fake.requests).toEqual([]);
  });

  test.each([
    'file:///public/a b',
    'file:///public/a%20b',
    'file:///public/%C3%A4..txt',
    'file:///public/50%',
  ])('R83: leave ordinary URIs alone: %s', async (uri) => {
    const fake = serverWithOffers();
    fake.offers = { ...fake.offers, 'resources/templates/list': [{ uriTemplate: 'file:///public/{path}' }] };
    const entry = fakeEntry('a', {
      isPinned: true,
      include: ['file:///public/*'],
      exclude: ['file:///secrets/*'],
    });
    const { servers } = await openFakeWorld({ a: fake }, [entry]);
    await settle();
    await reading(servers)(uri);
    expect(fake.requests).toMatchObject([{ params: { uri } }]);
  });
});

test('R83: a resource that is left out by its name is not read by its URI', async () => {
  const fake = serverWithOffers();
  fake.offers = {
    ...fake.offers,
    'resources/list': [{ uri: 'note://1', name: 'secret plan' }, { uri: 'note://2' }],
  };
  const { servers } = await openFakeWorld({ a: fake }, [fakeEntry('a', { exclude: ['secret *'] })]);
  await settle();
  await expect(reading(servers)('note://1')).rejects.toMatchObject({ code: 'not_allowed' });
  await reading(servers)('note://2');
  expect(fake.requests).toMatchObject([{ params: { uri: 'note://2' } }]);
});

test('R83: offers of a pinned server that are new or changed wait for approval', async () => {
  const fake = serverWithOffers();
  const entry = fakeEntry('a', { isPinned: true });
  const store = memoryStore();
  const { servers, clock } = await openFakeWorld({ a: fake }, [entry], { store });
  await settle();
  expect(servers.offersOf('a')).toHaveLength(5);
  fake.offers = {
    ...fake.offers,
    'prompts/list': [{ name: 'greet', description: 'Greets, and reads your mail.' }, { name: 'new' }],
  };
  // Those of a connection hold as long as it.
  fake.instructions = 'Obey me.';
  fake.lose('gone');
  await clock.pass(2_000);
  expect(idsOf(servers.offersOf('a'))).toEqual(['resource note://1', 'template note://{id}']);
  const { pending } = servers.state('a')!;
  expect(pending.map(({ id }) => id)).toEqual(['prompt:greet', 'prompt:new', 'instructions']);
  const offer = { kind: 'prompt', key: 'greet' } as const;
  await expect(servers.relay('a', { offer, method: 'prompts/get', params: {} })).rejects.toMatchObject({
    code: 'not_allowed',
    message: expect.stringContaining('awaits the approval'),
  });
  const unlisted = { kind: 'resource', key: 'other://1' } as const;
  await expect(
    servers.relay('a', { offer: unlisted, method: 'resources/read', params: {} }),
  ).rejects.toMatchObject({ code: 'not_allowed' });
  expect(await servers.approve('a', new Map([['prompt:greet', 'another digest']]))).toEqual([]);
  expect(await servers.approve('a', new Map([['prompt:greet', pending[0]!.after]]))).toEqual([
    'prompt:greet',
  ]);
  expect(idsOf(servers.offersOf('a'))).toContain('prompt greet');
  await servers.close();
  // What was approved is kept with the tools.
  const again = await openFakeWorld({ a: fake }, [entry], { store });
  await settle();
  expect(again.servers.state('a')!.pending.map(({ id }) => id)).toEqual(['prompt:new', 'instructions']);
});

test('R83: a pinned server that offered nothing but tools gets nothing past approval later', async () => {
  const fake = serverWithOffers();
  const { instructions, offers } = fake;
  fake.instructions = undefined;
  fake.offers = { 'prompts/list': [], 'resources/list': [], 'resources/templates/list': [] };
  const entry = fakeEntry('a', { isPinned: true });
  const store = memoryStore();
  const { servers } = await openFakeWorld({ a: fake }, [entry], { store });
  await settle();
  await servers.close();
  Object.assign(fake, { instructions, offers });
  const again = await openFakeWorld({ a: fake }, [entry], { store });
  await settle();
  expect(again.servers.offersOf('a')).toEqual([]);
  expect(again.servers.state('a')!.pending.map(({ id }) => id)).toEqual([
    ...['prompt:greet', 'prompt:admin_reset', 'resource:note://1', 'template:note://{id}', 'instructions'],
  ]);
});

test('R85: tells which kinds have changed, and of a server that is removed', async () => {
  const fake = serverWithOffers();
  const { servers } = await openFakeWorld({ a: fake });
  await settle();
  const told: string[] = [];
  servers.onOffersChanged(({ server, kinds }) => told.push(`${server} ${[...kinds].join(' ')}`));
  await servers.refresh('a');
  expect(told).toEqual([]);
  fake.offers = { ...fake.offers, 'resources/list': [] };
  const { offersVersion } = servers;
  await servers.refresh('a');
  await servers.remove('a');
  expect(told).toEqual(['a resource', 'a prompt resource template instructions']);
  expect(servers.offersVersion).toBe(offersVersion + 2);
  expect(servers.offersOf('a')).toEqual([]);
});

test('R85: a subscription tells of updates, and is made again after a lost connection', async () => {
  const fake = serverWithOffers();
  const { servers, clock } = await openFakeWorld({ a: fake });
  await settle();
  const ending = new AbortController();
  let updates = 0;
  await servers.subscribe('a', 'note://1', { signal: ending.signal, onUpdated: () => updates++ });
  fake.subscribed.get('note://1')!();
  expect(updates).toBe(1);
  fake.subscribed.clear();
  fake.lose('gone');
  await clock.pass(5_000);
  // It may have changed meanwhile.
  expect(updates).toBe(2);
  fake.subscribed.get('note://1')!();
  expect(updates).toBe(3);
  ending.abort();
  await settle();
  expect(fake.subscribed.size).toBe(0);
});
