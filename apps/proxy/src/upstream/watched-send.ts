import { causeCode } from '@winnow/service';
import { type LogEffects, minuteLog } from '../log/minute-log.ts';
import type { SendUpstream } from './send-upstream.ts';

/**
 * Wraps a send with a log line for a request without a response: one a minute per upstream and cause, with
 * the number of skipped lines.
 */
export function watchedSend(send: SendUpstream, effects: LogEffects): SendUpstream {
  const log = minuteLog(effects);
  return async (request) => {
    try {
      return await send(request);
    } catch (error) {
      const { signal, upstream } = request;
      if (!signal.aborted)
        log({
          event: 'upstream_unreachable',
          upstream: upstream.name,
          cause: causeCode(error) ?? (error as Error).name,
        });
      throw error;
    }
  };
}
