import type { UpstreamFormat } from '../upstream/upstream-format.ts';
import { OPENAI_RESPONSES } from './openai-responses.ts';

/** `POST /v1/responses/input_tokens`: the request of a response, judged the same way. */
export const OPENAI_INPUT_TOKENS: Pick<
  UpstreamFormat,
  'pathEnds' | 'validate' | 'writeError' | 'writeHeaders' | 'expand'
> = { ...OPENAI_RESPONSES, pathEnds: ['/responses/input_tokens'] };
