import { decodePercent } from '@winnow/core';
/** The facts in the path of a request: the body has neither the model nor a stream flag. */
export interface RequestTarget {
  readonly isStream: boolean;
  /** A model's id, an inference profile or its ARN. */
  readonly model: string;
}

/**
 * Returns the model of a path and whether it streams; undefined for every other operation. Matches
 * `/model/{id}/converse`, `/model/{id}/converse-stream` and `/model/{id}/count-tokens` under any prefix.
 *
 * Source: https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html
 */
export function readTarget(path: string): RequestTarget | undefined {
  const [, model = '', operation] =
    /\/model\/([^/]+)\/(converse|converse-stream|count-tokens)$/.exec(path) ?? [];
  return operation === undefined
    ? undefined
    : { isStream: operation === 'converse-stream', model: decodePercent(model) };
}
