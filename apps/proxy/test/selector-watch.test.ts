import { describe, expect, test } from 'vitest';
import type { SearchOutcome } from '../src/search/search.ts';
import { type SelectorSign, SelectorWatch } from '../src/search/selector-watch.ts';

const REFUSED: SearchOutcome = { ok: false, reason: 'api_error', cause: 'ECONNREFUSED' };
const WORKS: SearchOutcome = { ok: true, names: ['winnow_probe'], isNoMatch: false, status: 200 };

/** A watch over a selector that answers probes like this. */
function watching(first: SearchOutcome) {
  const lines: Record<string, unknown>[] = [];
  let [time, probes, outcome] = [0, 0, first];
  const timers = new Map<number, () => void>();
  const watch = new SelectorWatch({
    probe: async () => {
      probes++;
      return outcome;
    },
    settings: { endpoint: 'providers.one.endpoint', apiKey: 'providers.one.api_key' },
    now: () => time,
    wallClock: () => 0,
    every: (ms, callBack) => {
      timers.set(ms, callBack);
      return () => timers.delete(ms);
    },
    writeLog: (line) => {
      const { time: _, ...rest } = JSON.parse(line);
      lines.push(rest);
    },
  });
  const settled = async () => {
    for (let turn = 0; turn < 5; turn++) await Promise.resolve();
  };
  /** What is said after so long, when the selector is like this. */
  const after = async (ms: number, next: SearchOutcome) => {
    outcome = next;
    time += ms;
    for (const callBack of [...timers.values()]) callBack();
    await settled();
  };
  const start = async () => {
    watch.start();
    await settled();
  };
  /** A start at which it has been patient enough. */
  const startLate = async () => {
    await start();
    await after(10_000, first);
  };
  const afterMinute = (next: SearchOutcome) => after(61_000, next);
  return { watch, start, startLate, after, afterMinute, lines, probes: () => probes };
}

const failing = (more: object) => ({ event: 'selector_failing', setting: 'providers.one.endpoint', ...more });

describe('the watch over the selector', () => {
  test('asks it at the start, and has nothing to say when it works', async () => {
    const { start, afterMinute, lines, probes } = watching(WORKS);
    await start();
    await afterMinute(WORKS);
    expect(lines).toEqual([]);
    // Exchanges ask it from now on.
    expect(probes()).toBe(1);
  });

  test('is patient with one that is starting beside the proxy', async () => {
    const { start, after, lines, probes } = watching(REFUSED);
    await start();
    await after(500, REFUSED);
    await after(9_000, WORKS);
    await after(61_000, WORKS);
    expect(lines).toEqual([]);
    expect(probes()).toBe(3);
  });

  test('is not patient with one that is there and does not let it in', async () => {
    const { start, lines } = watching({ ok: false, reason: 'api_error', status: 401 });
    await start();
    expect(lines).toHaveLength(1);
  });

  test('says each way to fail by itself', async () => {
    const { startLate, watch, lines } = watching(REFUSED);
    await startLate();
    for (let time = 0; time < 3; time++) watch.see({ outcome: 'api_error', status: 401 });
    expect(lines).toMatchObject([
      { cause: 'ECONNREFUSED' },
      { status: 401, setting: 'providers.one.api_key' },
    ]);
  });

  test('says once a minute that it fails, without any exchange, and once that it works', async () => {
    const { startLate, afterMinute, lines } = watching(REFUSED);
    await startLate();
    await afterMinute(REFUSED);
    await afterMinute(WORKS);
    await afterMinute(WORKS);
    const line = failing({ reason: 'api_error', cause: 'ECONNREFUSED' });
    expect(lines).toEqual([line, line, { event: 'selector_working' }]);
  });

  test.each([
    [{ ok: false, reason: 'api_error', status: 401 }, 'providers.one.api_key'],
    [{ ok: false, reason: 'api_error', status: 403 }, 'providers.one.api_key'],
    [{ ok: false, reason: 'api_error', status: 404 }, 'providers.one.endpoint'],
    [{ ok: false, reason: 'missing_api_endpoint' }, 'providers.one.endpoint'],
  ] satisfies [SearchOutcome, string][])('names the setting to look at: %o', async (outcome, setting) => {
    const { start, lines } = watching(outcome);
    await start();
    expect(lines).toMatchObject([{ event: 'selector_failing', setting }]);
  });

  test('counts the searches of exchanges that failed in between', async () => {
    const { start, watch, afterMinute, lines } = watching(WORKS);
    await start();
    const timeout: SelectorSign = { outcome: 'api_timeout' };
    for (let time = 0; time < 4; time++) watch.see(timeout);
    await afterMinute({ ok: false, reason: 'api_timeout' });
    expect(lines).toEqual([failing({ reason: 'api_timeout' }), failing({ reason: 'api_timeout', since: 3 })]);
  });

  test('writes two lines a minute at most when every second search fails', async () => {
    const { start, watch, lines } = watching(WORKS);
    await start();
    for (let time = 0; time < 100; time++) {
      watch.see({ outcome: 'api_error', status: 500 });
      watch.see({ outcome: 'found', status: 200 });
    }
    expect(lines).toHaveLength(2);
  });

  test.each(['empty_query', 'client_gone', 'circuit_open', 'limit'] as const)(
    'takes %s for no fault of the selector',
    async (outcome) => {
      const { start, watch, lines } = watching(WORKS);
      await start();
      watch.see({ outcome });
      expect(lines).toEqual([]);
    },
  );

  test('says nothing once it is closed', async () => {
    const { start, after, watch, lines } = watching(REFUSED);
    await start();
    watch.close();
    await after(61_000, REFUSED);
    watch.see({ outcome: 'api_error' });
    expect(lines).toEqual([]);
  });
});
