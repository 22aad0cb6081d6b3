import { setImmediate as nextTurn } from 'node:timers/promises';
import { createRegistry } from '@winnow/registry';
import { createSdkConnector } from '../src/servers/sdk-connector.ts';
import { openServers } from '../src/servers/server-set.ts';

/** Keeps the servers that its argument names until it is ended: a service that can be killed. Says how many are up. */
const after = (ms: number, call: () => void) => {
  const timer = setTimeout(call, ms);
  return () => clearTimeout(timer);
};
const registry = await createRegistry({
  clock: { now: () => performance.now(), wallClock: () => Date.now() },
  randomId: () => 'ab'.repeat(32),
});
const servers = await openServers({
  entries: JSON.parse(process.argv[2]!),
  registry,
  connector: createSdkConnector({ clientInfo: { name: 'holder', version: '0' }, after, onServerOutput() {} }),
  now: () => performance.now(),
  wallClock: () => Date.now(),
  random: () => 0.5,
  after,
  pause: () => nextTurn(),
  observer: {
    onRefresh: () => {
      setTimeout(() => console.log(`up ${servers.states().filter(({ status }) => status === 'up').length}`));
    },
    onPending() {},
    onLeftOut() {},
    onRefused() {},
    onLost() {},
  },
  readSource: () => undefined,
  onNoteFailure() {},
});
process.once('SIGTERM', () => void servers.close().then(() => process.exit(0)));
