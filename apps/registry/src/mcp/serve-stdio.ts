import { randomBytes } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { openMeanings } from '@winnow/embeddings';
import { FrontDoor, type McpServers, openStdioDoor, type StdioDoor, watchList } from '@winnow/mcp';
import { createRegistry } from '@winnow/registry';
import { afterDelay, createLog, describeError, EXIT, type Log, refuseToStart, Shares } from '@winnow/service';
import type { Settings } from '../config.ts';
import { DEFAULT_TENANT } from '../http/callers.ts';
import { openStore } from '../open-store.ts';
import { TenantServers } from '../servers/tenant-servers.ts';
import { VERSION } from '../version.ts';

/** Time that the first requests wait for the servers' lists. Tools of slower servers appear later. */
const READY_MS = 10_000;
const LOOK_MS = 25;

/**
 * Runs registry and servers in this process, and serves them to the one client at its other end, until it leaves or a signal comes. stdout
 * is the protocol's; everything else goes to stderr. Sets the exit code when it cannot start.
 */
export async function serveStdio(settings: Settings): Promise<void> {
  const [now, wallClock] = [() => performance.now(), () => Date.now()];
  const log = createLog({
    level: settings.logLevel,
    sink: (lines) => process.stderr.write(lines),
    wallClock,
  });
  const randomId = () => randomBytes(32).toString('hex');
  const meanings = openMeaningsOf(settings, log);
  if (meanings === 'unusable') return;
  const store = await openStore(settings, randomId);
  const servers = new TenantServers({
    entries: settings.servers,
    log,
    now,
    wallClock,
    random: Math.random,
    after: afterDelay,
    pause: () => nextTurn(),
    hasSeveralCallers: () => false,
  });
  const registry = await createRegistry({
    store,
    clock: { now, wallClock },
    randomId,
    alwaysLoaded: settings.alwaysLoaded,
    staleSince: (server) => servers.staleSince(DEFAULT_TENANT, server),
    serverTerms: (server) => servers.termsOf(DEFAULT_TENANT, server),
    ...(meanings && { meanings: meanings.open() }),
    pause: () => nextTurn(),
    onListenerFailure: (error) => log.write('error', 'listener_failed', describeError(error)),
  });
  await servers.open(DEFAULT_TENANT, registry);
  const kept = servers.of(DEFAULT_TENANT);
  const door = new FrontDoor({
    registry,
    servers: kept,
    dispatch: settings.mcpDispatch,
    slots: new Shares(settings.mcpMaxCalls, []).of({ tenant: DEFAULT_TENANT }),
    now,
    wallClock,
    ready: untilListed(kept),
    onCall: ({ id, ...record }) => log.write('info', 'mcp_call', { tool: id, ...record }),
  });
  let stdio: StdioDoor | undefined;
  let stopWatching = () => {};
  const close = once(async () => {
    stopWatching();
    await stdio?.close();
    await servers.close();
    await registry.close();
    await meanings?.close();
    await store.close();
    log.flush();
    process.exit();
  });
  stdio = await openDoor(door, log, close);
  stopWatching = watchList({
    registry,
    listTools: () => door.listTools(),
    isWanted: () => true,
    onListChanged: () => stdio?.notifyListChanged(),
    after: afterDelay,
  });
  process.once('SIGTERM', close);
  process.once('SIGINT', close);
  if (stdio === undefined) await close();
}

/** Opens the embedder of the settings, if there is one; says why it cannot be used. */
function openMeaningsOf(settings: Settings, log: Log) {
  const surroundings = { setting: '--embedder', now: () => performance.now(), log, describeError };
  try {
    return openMeanings(settings, surroundings);
  } catch (error) {
    refuseToStart('winnow mcp', [(error as Error).message], EXIT.cannotStart);
    return 'unusable';
  }
}

async function openDoor(door: FrontDoor, log: Log, close: () => void) {
  try {
    return await openStdioDoor({
      door,
      identity: { name: 'winnow', version: VERSION },
      input: process.stdin,
      output: process.stdout,
      onDefect: (error) => log.write('error', 'mcp_failed', describeError(error)),
      onClosed: close,
    });
  } catch (error) {
    // The line that installs the vendor's package.
    refuseToStart('winnow mcp', [(error as Error).message], EXIT.cannotStart);
    return undefined;
  }
}

/** Resolves when every server was read or has failed once, and after a while in any case. */
async function untilListed(servers: McpServers): Promise<void> {
  const end = performance.now() + READY_MS;
  const isWaiting = () => servers.states().some(({ status }) => status === 'connecting');
  while (isWaiting() && performance.now() < end) {
    await new Promise<void>((resolve) => afterDelay(LOOK_MS, resolve));
  }
}

function once(call: () => Promise<void>): () => Promise<void> {
  let called: Promise<void> | undefined;
  return () => {
    called ??= call();
    return called;
  };
}
