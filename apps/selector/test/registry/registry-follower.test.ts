import { RegistryFailure, RegistryFollower } from '@winnow/clients';
import { expect, onTestFinished, test } from 'vitest';
import { RegistryContent } from '../../src/registry-content.ts';
import { listed, ScriptedRegistry } from './scripted-registry.ts';

/** A follower whose clock and waiting a test holds in its hands. */
function follow(registry: ScriptedRegistry, maxTools = 100) {
  const clock = { ms: 0 };
  const waits: number[] = [];
  const failures: string[] = [];
  let go: (() => void) | undefined;
  const follower = new RegistryFollower(registry, new RegistryContent(), {
    maxTools,
    now: () => clock.ms,
    random: () => 1,
    wait: (ms, signal) =>
      new Promise((resolve) => {
        waits.push(ms);
        go = resolve;
        signal.addEventListener('abort', () => resolve(), { once: true });
      }),
    pause: async () => {},
    onFollowing: () => {},
    onFailure: ({ reason }) => failures.push(reason),
  });
  onTestFinished(() => follower.stop());
  follower.start();
  return { follower, clock, waits, failures, goOn: () => go!() };
}

/** Lets everything happen that can without a clock. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
}

const idsOf = (follower: RegistryFollower<RegistryContent>, namespace?: string) => {
  const view = follower.tools.view(namespace);
  if (view === undefined) return undefined;
  const { positions, absent } = view.snapshot.catalogue;
  return Array.from({ length: positions }, (_, position) => position)
    .filter((position) => absent?.[position] !== 1 && view.excluded?.[position] !== 1)
    .map((position) => view.snapshot.keyAt(position))
    .sort();
};

test('reads all tools, and then only what changes', async () => {
  const registry = new ScriptedRegistry();
  registry.change(listed('a'), listed('n:b'));
  const { follower } = follow(registry);
  expect(follower.isComplete).toBe(false);
  await settle();
  expect(follower.status).toEqual({ state: 'following', version: 1, tools: 2, awayMs: 0 });
  registry.change(listed('n:c'), 'a');
  await settle();
  expect(idsOf(follower)).toEqual(['n:b', 'n:c']);
  expect(idsOf(follower, 'n')).toEqual(['n:b', 'n:c']);
  expect(follower.tools.view('m')).toBeUndefined();
  expect(follower.status.version).toBe(2);
  expect(registry.asked).toEqual(['changes', 'list', 'expand a n:c']);
});

test('looks again at tools whose names may have changed with another one', async () => {
  const registry = new ScriptedRegistry();
  registry.change(listed('n:a.b'), listed('other'));
  follow(registry);
  await settle();
  registry.change(listed('n:a_b'));
  await settle();
  expect(registry.asked.at(-1)).toBe('expand n:a.b n:a_b');
});

test('resumes after the last applied event when the feed breaks off', async () => {
  const registry = new ScriptedRegistry();
  registry.change(listed('a'));
  const { follower, clock, failures, goOn } = follow(registry);
  await settle();
  registry.change(listed('b'), listed('c'));
  await settle();
  registry.break();
  await settle();
  clock.ms = 1_500;
  expect(follower.status).toMatchObject({ state: 'away', tools: 3, awayMs: 1_500 });
  registry.change(listed('d'));
  goOn();
  await settle();
  expect(failures).toEqual(['unreachable']);
  expect(follower.status).toEqual({ state: 'following', version: 3, tools: 4, awayMs: 0 });
  expect(registry.asked.slice(2)).toEqual(['expand b c', 'changes since 2.1', 'expand d']);
});

test('retries a change that it could not read', async () => {
  const registry = new ScriptedRegistry();
  const { follower, goOn } = follow(registry);
  await settle();
  registry.isDeaf = true;
  registry.change(listed('a'));
  await settle();
  expect(follower.status).toMatchObject({ state: 'away', version: 0, tools: 0 });
  registry.isDeaf = false;
  goOn();
  await settle();
  expect(follower.status).toMatchObject({ state: 'following', version: 1, tools: 1 });
});

test.each([
  ['the registry has begun anew', (registry: ScriptedRegistry) => (registry.epoch = 'second')],
  [
    'what changed is no longer kept',
    (registry: ScriptedRegistry) => (registry.nextFailure = new RegistryFailure('stale', '')),
  ],
])('lists everything again when %s, and searches what it knew until then', async (_, happen) => {
  const registry = new ScriptedRegistry();
  registry.change(listed('a'), listed('b'));
  const { follower, goOn } = follow(registry);
  await settle();
  registry.break();
  await settle();
  registry.tools.delete('a');
  registry.tools.set('c', listed('c'));
  happen(registry);
  goOn();
  await settle();
  // The first attempt is told that its place is of no use.
  expect(idsOf(follower)).toEqual(['a', 'b']);
  goOn();
  await settle();
  expect(idsOf(follower)).toEqual(['b', 'c']);
});

test('lists everything again on request', async () => {
  const registry = new ScriptedRegistry();
  registry.change(listed('a'));
  const { follower } = follow(registry);
  await settle();
  registry.tools.set('b', listed('b'));
  registry.refresh();
  await settle();
  expect(idsOf(follower)).toEqual(['a', 'b']);
});

test('lists at once and then ever more rarely while a registry asks for it again and again', async () => {
  const registry = new ScriptedRegistry();
  registry.change(listed('a'));
  const { clock, waits, goOn } = follow(registry);
  const listings = () => registry.asked.filter((asked) => asked === 'list').length;
  await settle();
  for (let round = 0; round < 9; round++) {
    registry.refresh();
    await settle();
    if (round > 0) goOn();
    await settle();
  }
  expect(waits).toEqual([500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]);
  expect(listings()).toBe(10);
  // Time that has passed anyway is not waited for again, and after a minute the next listing is immediate.
  clock.ms = 10_000;
  registry.refresh();
  await settle();
  expect(waits.at(-1)).toBe(20_000);
  goOn();
  await settle();
  clock.ms = 70_000;
  registry.refresh();
  await settle();
  expect(waits).toHaveLength(9);
  expect(listings()).toBe(12);
});

test('gives up a list whose pages have no new tools', async () => {
  const registry = new ScriptedRegistry();
  let pages = 0;
  registry.list = async function* () {
    for (;;) {
      pages += 1;
      yield [listed('a')];
    }
  };
  const { follower, failures } = follow(registry);
  await settle();
  expect(failures).toEqual(['invalid_response']);
  expect(pages).toBe(12);
  expect(follower.isComplete).toBe(false);
});

test('drops the tools of a token that is no longer accepted', async () => {
  const registry = new ScriptedRegistry();
  registry.change(listed('a'));
  const { follower, goOn } = follow(registry);
  await settle();
  registry.break();
  await settle();
  registry.nextFailure = new RegistryFailure('refused', 'status 401');
  goOn();
  await settle();
  expect(follower.isComplete).toBe(false);
  expect(follower.status).toMatchObject({ state: 'starting', tools: 0 });
  goOn();
  await settle();
  expect(follower.status).toMatchObject({ state: 'following', tools: 1 });
});

test('starts empty when its token sees other tools', async () => {
  const registry = new ScriptedRegistry();
  registry.change(listed('a'), listed('n:b'));
  const { follower, goOn } = follow(registry);
  await settle();
  registry.break();
  await settle();
  registry.sight = 'n alone';
  registry.tools.delete('a');
  registry.isDeaf = true;
  goOn();
  await settle();
  // The list could not be read: what the old rights have shown is not searched in the meantime.
  expect(follower.isComplete).toBe(false);
  registry.isDeaf = false;
  goOn();
  await settle();
  expect(idsOf(follower)).toEqual(['n:b']);
});

test('does not present a part of too many tools as all of them', async () => {
  const registry = new ScriptedRegistry();
  registry.change(listed('a'), listed('b'));
  const { follower, failures } = follow(registry, 2);
  await settle();
  expect(follower.isComplete).toBe(true);
  registry.change(listed('c'));
  await settle();
  expect(failures).toEqual(['too_many_tools']);
  expect(follower.isComplete).toBe(false);
});

test('waits longer from failure to failure, up to 30 seconds, and starts over after a connection that has lasted', async () => {
  const registry = new ScriptedRegistry();
  const { clock, waits, goOn } = follow(registry);
  await settle();
  for (let round = 0; round < 9; round++) {
    registry.break();
    await settle();
    goOn();
    await settle();
  }
  expect(waits).toEqual([500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000]);
  clock.ms = 30_000;
  registry.break();
  await settle();
  expect(waits.at(-1)).toBe(500);
});

test('ends at once, whatever it is doing', async () => {
  const registry = new ScriptedRegistry();
  const { follower } = follow(registry);
  await settle();
  await follower.stop();
  expect(follower.status.state).toBe('following');
});
