import { causeCode } from '@winnow/service';
import { type LogEffects, minuteLog } from '../log/minute-log.ts';

/** Says in the log, once a minute, that no credentials were found and why, by the name of the error alone: what it says may be a secret. */
export function failureLog(effects: LogEffects): (error: unknown) => void {
  const log = minuteLog(effects);
  return (error) => {
    const cause = causeCode(error) ?? (error instanceof Error ? error.name : undefined);
    log({ event: 'no_credentials', cause });
  };
}
