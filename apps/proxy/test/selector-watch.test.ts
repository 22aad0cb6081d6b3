import { describe, expect, test } from 'vitest';
import { type SelectorSign, SelectorWatch } from '../src/search/open-selector-watch.ts';
import type { SearchOutcome } from '../src/search/search.ts';

const REFUSED: SearchOutcome = { ok: false, reason: 'api_error', cause: 'ECONNREFUSED' };
const WORKS: SearchOutcome = { ok: true, names: ['winnow_probe'], isNoMatch: false, status: 200 };

/** A watch over a selector that answers probes with this outcome. */
function watching(first: SearchOutcome) {
  const lines: Record<string, unknown>[] = [];
  let [time, probes, outcome] = [0, 0, first];
  const timers = new Map<number, () => void>();
  const watch = new SelectorWatch({
    probe: async () => {
      probes++;
      return outcome;
    },
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
  /** Returns the log lines after a time with this outcome of the selector. */
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
  /** A start after the time for which it waits for the selector. */
  const startLate = async () => {
    await start();
    await after(10_000, first);
  };
  const afterMinute = (next: SearchOutcome) => after(61_000, next);
  return { watch, start, startLate, after, afterMinute, lines, probes: () => probes };
}

const failing = (more: object) => ({ event: 'selector_failing', setting: 'tools.api.endpoint', ...more });

describe('the watch over the selector', () => {
  test('probes it at the start, and logs nothing if it works', async () => {
    const { start, afterMinute, lines, probes } = watching(WORKS);
    await start();
    await afterMinute(WORKS);
    expect(lines).toEqual([]);
    // Exchanges ask it from now on.
    expect(probes()).toBe(1);
  });

  test('waits for a selector that starts together with the proxy', async () => {
    const { start, after, lines, probes } = watching(REFUSED);
    await start();
    await after(500, REFUSED);
    await after(9_000, WORKS);
    await after(61_000, WORKS);
    expect(lines).toEqual([]);
    expect(probes()).toBe(3);
  });

  test('does not wait for a running selector that refuses access', async () => {
    const { start, lines } = watching({ ok: false, reason: 'api_error', status: 401 });
    await start();
    expect(lines).toHaveLength(1);
  });

  test('logs each kind of failure separately', async () => {
    const { startLate, watch, lines } = watching(REFUSED);
    await startLate();
    for (let time = 0; time < 3; time++) watch.see({ outcome: 'api_error', cause: '401' });
    expect(lines).toMatchObject([{ cause: 'ECONNREFUSED' }, { cause: '401', setting: 'tools.api.api_key' }]);
  });

  test('logs once a minute that it fails, without any exchange, and once that it works', async () => {
    const { startLate, afterMinute, lines } = watching(REFUSED);
    await startLate();
    await afterMinute(REFUSED);
    await afterMinute(WORKS);
    await afterMinute(WORKS);
    const line = failing({ reason: 'api_error', cause: 'ECONNREFUSED' });
    expect(lines).toEqual([line, line, { event: 'selector_working' }]);
  });

  test.each([
    [{ ok: false, reason: 'api_error', status: 401 }, 'tools.api.api_key'],
    [{ ok: false, reason: 'api_error', status: 403 }, 'tools.api.api_key'],
    [{ ok: false, reason: 'api_error', status: 404 }, 'tools.api.endpoint'],
    [{ ok: false, reason: 'missing_api_endpoint' }, 'tools.api.endpoint'],
  ] satisfies [SearchOutcome, string][])('names the setting to check: %o', async (outcome, setting) => {
    const { start, lines } = watching(outcome);
    await start();
    expect(lines).toMatchObject([{ event: 'selector_failing', setting }]);
  });

  test('counts failed searches of exchanges in between', async () => {
    const { start, watch, afterMinute, lines } = watching(WORKS);
    await start();
    const timeout: SelectorSign = { outcome: 'api_timeout' };
    for (let time = 0; time < 4; time++) watch.see(timeout);
    await afterMinute({ ok: false, reason: 'api_timeout' });
    expect(lines).toEqual([failing({ reason: 'api_timeout' }), failing({ reason: 'api_timeout', since: 3 })]);
  });

  test('writes at most two lines a minute if every second search fails', async () => {
    const { start, watch, lines } = watching(WORKS);
    await start();
    for (let time = 0; time < 100; time++) {
      watch.see({ outcome: 'api_error', cause: '500' });
      watch.see({ outcome: 'found' });
    }
    expect(lines).toHaveLength(2);
  });

  test.each(['empty_query', 'client_gone', 'circuit_open', 'limit'] as const)(
    'does not count %s as a failure of the selector',
    async (outcome) => {
      const { start, watch, lines } = watching(WORKS);
      await start();
      watch.see({ outcome });
      expect(lines).toEqual([]);
    },
  );

  test('logs nothing after it was closed', async () => {
    const { start, after, watch, lines } = watching(REFUSED);
    await start();
    watch.close();
    await after(61_000, REFUSED);
    watch.see({ outcome: 'api_error' });
    expect(lines).toEqual([]);
  });
});
