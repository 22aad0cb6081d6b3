import type { ToolDocument } from '@winnow/ranking';

/** Returns the names and texts of all parameters in one string, for libraries that index strings. */
export function parametersText({ parameters }: ToolDocument): string {
  return parameters.map(({ name, text }) => `${name} ${text}`).join(' ');
}
