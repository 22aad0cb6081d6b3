import type { Purpose } from '../format/view.ts';
import { readTarget } from './read-target.ts';

/** `POST …/models/{model}:generateContent`, `:streamGenerateContent` and `:countTokens`, under any prefix. */
export function matchRoute(method: string, path: string): Purpose | undefined {
  return method === 'POST' ? readTarget(path)?.purpose : undefined;
}
