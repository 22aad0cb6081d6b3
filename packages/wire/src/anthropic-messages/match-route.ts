import type { Purpose } from '../view.ts';

/**
 * What a request to a path of the Messages API is for.
 *
 * A path may have something in front of `/v1`, as the addresses of compatible servers do. Batches and everything else
 * behind `/v1/messages/` are not for us.
 */
export function matchRoute(method: string, path: string): Purpose | undefined {
  if (method !== 'POST') return undefined;
  if (path.endsWith('/v1/messages')) return 'answer';
  return path.endsWith('/v1/messages/count_tokens') ? 'count_tokens' : undefined;
}
