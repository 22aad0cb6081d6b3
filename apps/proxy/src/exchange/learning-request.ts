import type { RequestView } from '@winnow/wire';
import type { LearningRequest } from '../learning/applied-learning.ts';
import { modelName } from '../records/model-name.ts';
import type { FormatExchange } from './format-exchange.ts';

/** Returns a request as learning sees it. */
export function learningRequest(
  { request, target }: Pick<FormatExchange, 'request' | 'target'>,
  view: RequestView,
): LearningRequest {
  return {
    userAgent: request.headers['user-agent']?.toString(),
    upstream: target.upstream.name,
    model: modelName(view),
  };
}
