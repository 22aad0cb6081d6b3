import type { Purpose } from '../format/view.ts';

/**
 * What a request to a path of the Messages API is for.
 *
 * A path may have something in front of `/v1`, as the addresses of compatible servers do. Batches and everything else
 * behind `/v1/messages/` are not for us. On Vertex the path names the model, and the token counter is a model of its own:
 * https://docs.claude.com/en/api/claude-on-vertex-ai.
 */
export function matchRoute(method: string, path: string): Purpose | undefined {
  if (method !== 'POST') return undefined;
  if (path.endsWith('/v1/messages')) return 'answer';
  if (path.endsWith('/v1/messages/count_tokens')) return 'count_tokens';
  const model = modelOfPath(path);
  if (model === undefined) return undefined;
  return model === TOKEN_COUNTER ? 'count_tokens' : 'answer';
}

/** The model that a path of Vertex names; undefined for every other path, and for that of the token counter. */
export function readModelOfPath(path: string): string | undefined {
  const model = modelOfPath(path);
  return model === TOKEN_COUNTER ? undefined : model;
}

const TOKEN_COUNTER = 'count-tokens';

function modelOfPath(path: string): string | undefined {
  return /\/publishers\/anthropic\/models\/([^/:]+):(?:rawPredict|streamRawPredict)$/.exec(path)?.[1];
}
