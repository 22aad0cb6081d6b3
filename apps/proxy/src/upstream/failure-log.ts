import { causeCode } from '@winnow/service';
import { type LogEffects, minuteLog } from '../log/minute-log.ts';

/**
 * Returns a function that logs, at most once a minute, why no credentials were found. It logs only the name
 * of the error, as its message may be secret.
 */
export function failureLog(effects: LogEffects): (error: unknown) => void {
  const log = minuteLog(effects);
  return (error) => {
    const cause = causeCode(error) ?? (error instanceof Error ? error.name : undefined);
    log({ event: 'no_credentials', cause });
  };
}
