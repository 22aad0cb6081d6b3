import type { StoreProblem } from './store-error.ts';

/**
 * First words of Redis' error replies; see
 * https://redis.io/docs/latest/develop/reference/protocol-spec/#simple-errors.
 */
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

/** Matches messages about a missing or lost connection. */
const UNREACHABLE =
  /connect|closed|writeable|retries|sentinels are unreachable|slots cache|startup nodes|cluster isn't ready|socket|ECONN|ENOTFOUND|EAI_AGAIN|EHOST|ENET|EPIPE|ETIMEDOUT/i;

/**
 * Classifies an error of the Redis client. Server errors begin with a code; the client's own have only a
 * message.
 */
export function redisProblem(error: Error): StoreProblem {
  const { message } = causeOf(error);
  const [code = ''] = message.split(' ', 1);
  const known = Object.hasOwn(BY_CODE, code) ? BY_CODE[code] : undefined;
  return known ?? (UNREACHABLE.test(message) ? 'unreachable' : 'unusable');
}

/**
 * Returns the root cause of an error: for a discarded transaction, the reply to one of its commands; for a
 * cluster, the error of its last node.
 *
 * All commands of a lost connection share one error, which then lists itself among its causes.
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

/** Whether a key holds a value of another type than expected. */
export function isWrongType(error: Error): boolean {
  return error.message.startsWith('WRONGTYPE');
}
