import { decodePath } from '../request/decode-path.ts';
/** What the path of a request says: bodies have neither the model nor the wish for a stream. */
export interface RequestTarget {
  readonly isStream: boolean;
  /** A model's id, an inference profile or its ARN. */
  readonly model: string;
}

/**
 * Which model a path asks, and how, undefined for every other operation: `/model/{id}/converse` and `/model/{id}/converse-stream` under any prefix.
 *
 * Source: https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html
 */
export function readTarget(path: string): RequestTarget | undefined {
  const [, model = '', operation] = /\/model\/([^/]+)\/(converse|converse-stream)$/.exec(path) ?? [];
  return operation === undefined
    ? undefined
    : { isStream: operation === 'converse-stream', model: decodePath(model) };
}
