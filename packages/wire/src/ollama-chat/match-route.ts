import type { Purpose } from '../format/view.ts';

/** `POST /api/chat`, under any prefix that a server in front of Ollama may have. */
export function matchRoute(method: string, path: string): Purpose | undefined {
  return method === 'POST' && path.endsWith('/api/chat') ? 'answer' : undefined;
}
