import type { Purpose } from '../format/view.ts';

/**
 * `POST …/chat/completions` under any prefix: `/v1` at OpenAI and most compatible servers, `/api/v1`, `/openai/v1`,
 * `/v1beta/openai` and the like at others, `/openai/deployments/{name}` at Azure, none at some.
 */
export function matchRoute(method: string, path: string): Purpose | undefined {
  return method === 'POST' && /\/chat\/completions\/?$/.test(path) ? 'answer' : undefined;
}

/** The deployment that a path of Azure names, which stands for a model; undefined for every other path. */
export function readDeployment(path: string): string | undefined {
  return /\/openai\/deployments\/([^/]+)\//.exec(path)?.[1];
}
