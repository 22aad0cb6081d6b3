import { createHash } from 'node:crypto';
import type { Tool } from '@winnow/core';
import type { RequestView } from '@winnow/wire';
import type { SearchableTools } from './search.ts';

/**
 * Returns the deferred tools of a request, ready to be searched. Hashes their text: call it only for a
 * search.
 */
export function toSearchable(view: RequestView, names: readonly string[]): SearchableTools {
  const wanted = new Set(names);
  const hash = createHash('sha256');
  const tools: Tool[] = [];
  const sizes = new Map<string, number>();
  for (const { name, description, definition, text } of view.tools) {
    if (name === undefined || !wanted.delete(name)) continue;
    hash.update(text).update('\n');
    sizes.set(name, text.length);
    tools.push({ name, description, definition: definition as Record<string, unknown> });
  }
  return { id: hash.digest('base64url'), tools, sizes };
}
