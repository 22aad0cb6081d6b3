import { createHash } from 'node:crypto';
import type { Tool } from '@winnow/core';
import type { RequestView } from '@winnow/wire';
import type { SearchableTools } from './search.ts';

/**
 * Returns the deferred tools of a request, ready to be searched. Hashes them: call it only for a search.
 *
 * Clients share indexes by the id, so that it covers everything that a search may show: a tool's text alone lacks the
 * namespace that its name begins with, and means other names in other formats.
 */
export function toSearchable(view: RequestView, names: readonly string[]): SearchableTools {
  const wanted = new Set(names);
  const hash = createHash('sha256');
  const tools: Tool[] = [];
  const sizes = new Map<string, number>();
  for (const { name, description, definition, text } of view.tools) {
    if (name === undefined || !wanted.delete(name)) continue;
    hash.update(JSON.stringify([name, description, text])).update('\n');
    sizes.set(name, text.length);
    tools.push({ name, description, definition: definition as Record<string, unknown> });
  }
  return { id: hash.digest('base64url'), tools, sizes };
}
