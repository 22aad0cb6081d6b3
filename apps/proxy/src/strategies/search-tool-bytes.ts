import { rememberBy, type SearchTool } from '@winnow/wire';

/** Returns the approximate size of the search tool in a request. */
export const searchToolBytes = rememberBy(
  ({ description }: SearchTool): number => JSON_AROUND + Buffer.byteLength(description),
);

/** Bytes of its name, its schema, and the surrounding JSON. */
const JSON_AROUND = 200;
