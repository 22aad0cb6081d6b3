import type { Purpose } from '../format/view.ts';

/**
 * `POST …/responses` under any prefix, and `POST …/responses/input_tokens`, which takes the same tools and input.
 *
 * Compaction, and everything about one response by its id, are other requests.
 */
export function matchRoute(method: string, path: string): Purpose | undefined {
  if (method !== 'POST') return undefined;
  if (/\/responses\/?$/.test(path)) return 'answer';
  return /\/responses\/input_tokens\/?$/.test(path) ? 'count_tokens' : undefined;
}
