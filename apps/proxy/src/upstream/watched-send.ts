import { RecentMap } from '@winnow/service';
import { causeCode } from './cause-code.ts';
import type { SendUpstream } from './upstream-client.ts';

/** What watching takes from the world around it. */
export interface UpstreamLog {
  /** Milliseconds that only ever grow. */
  readonly now: () => number;
  /** Milliseconds since the epoch. */
  readonly wallClock: () => number;
  readonly writeLog: (lines: string) => void;
}

/** How long the same failure of the same upstream is not told again, in milliseconds. */
const QUIET_MS = 60_000;

/** Failures that are told apart. */
const MOST_FAILURES = 256;

/** The same, with a log line for a request that gets no response: one a minute for each upstream and cause, with the number of those before it. */
export function watchedSend(send: SendUpstream, { now, wallClock, writeLog }: UpstreamLog): SendUpstream {
  const told = new RecentMap<string, { at: number; untold: number }>(MOST_FAILURES);
  const tell = (upstream: string, cause: string | undefined) => {
    const key = `${upstream} ${cause ?? ''}`;
    const last = told.get(key);
    if (last !== undefined && now() - last.at < QUIET_MS) {
      last.untold++;
      return;
    }
    told.set(key, { at: now(), untold: 0 });
    const time = new Date(wallClock()).toISOString();
    const since = last === undefined || last.untold === 0 ? undefined : last.untold;
    writeLog(`${JSON.stringify({ time, event: 'upstream_unreachable', upstream, cause, since })}\n`);
  };
  return async (request) => {
    try {
      return await send(request);
    } catch (error) {
      if (!request.signal.aborted) tell(request.upstream.name, causeCode(error));
      throw error;
    }
  };
}
