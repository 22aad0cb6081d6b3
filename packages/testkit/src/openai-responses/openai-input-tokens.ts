import type { UpstreamCounter, UpstreamFormat } from '../upstream/upstream-format.ts';
import { OPENAI_RESPONSES } from './openai-responses.ts';

/** `POST /v1/responses/input_tokens`: takes a request for a response and validates it by the same rules. */
export const OPENAI_INPUT_TOKENS: UpstreamCounter & Pick<UpstreamFormat, 'expand'> = {
  ...OPENAI_RESPONSES,
  pathEnds: ['/responses/input_tokens'],
  writeCount: (body) => ({
    object: 'response.input_tokens',
    input_tokens: Math.ceil(JSON.stringify(body).length / 4),
  }),
};
