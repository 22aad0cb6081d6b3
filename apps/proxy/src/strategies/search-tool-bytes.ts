import type { SearchTool } from '@winnow/wire';

/** What the search tool takes in a request, roughly. */
export function searchToolBytes({ description }: SearchTool): number {
  return JSON_AROUND + Buffer.byteLength(description);
}

/** Its name, its schema, and the JSON around them. */
const JSON_AROUND = 200;
