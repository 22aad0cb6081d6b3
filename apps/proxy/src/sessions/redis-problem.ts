import type { StoreProblem } from './store-error.ts';

/** Beginnings of Redis' error replies; see https://redis.io/docs/latest/develop/reference/protocol-spec/#simple-errors. */
const BY_CODE: Readonly<Record<string, StoreProblem>> = {
  NOAUTH: 'refused',
  WRONGPASS: 'refused',
  NOPERM: 'refused',
  LOADING: 'loading',
  READONLY: 'read_only',
  OOM: 'full',
  CLUSTERDOWN: 'cluster_down',
  MASTERDOWN: 'cluster_down',
  MOVED: 'cluster_down',
  ASK: 'cluster_down',
  TRYAGAIN: 'cluster_down',
};

/** Its message tells of a connection that is not there or that has gone. */
const UNREACHABLE =
  /connect|closed|writeable|retries|sentinels are unreachable|slots cache|startup nodes|cluster isn't ready|socket|ECONN|ENOTFOUND|EAI_AGAIN|EHOST|ENET|EPIPE|ETIMEDOUT/i;

/** What an error of the Redis client means. Servers begin their errors with a code; the client has but its texts. */
export function redisProblem(error: Error): StoreProblem {
  const { message } = causeOf(error);
  const [code = ''] = message.split(' ', 1);
  const known = Object.hasOwn(BY_CODE, code) ? BY_CODE[code] : undefined;
  return known ?? (UNREACHABLE.test(message) ? 'unreachable' : 'unusable');
}

/**
 * Where an error begins: a transaction that is not run says why in the replies to its commands, a cluster in that of its last node.
 *
 * All commands that a lost connection leaves behind share one error, which then has itself among its causes.
 */
function causeOf(error: Error): Error {
  const seen = new Set<Error>();
  let cause = error;
  for (let next: Error | undefined = error; next !== undefined && !seen.has(next); ) {
    seen.add(next);
    cause = next;
    const { previousErrors, lastNodeError } = next as { previousErrors?: Error[]; lastNodeError?: Error };
    next = previousErrors?.[0] ?? lastNodeError;
  }
  return cause;
}

/** Whether a key holds another type of value than the one asked for. */
export function isWrongType(error: Error): boolean {
  return error.message.startsWith('WRONGTYPE');
}
