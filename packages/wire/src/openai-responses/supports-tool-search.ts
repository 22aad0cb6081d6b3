/** The first generation that can search for tools: gpt-5.4, of March 2026. */
const FIRST = { major: 5, minor: 4 } as const;

/**
 * True when a model of this name can be given tools by a `tool_search_output`. Deployments may be called anything; a name that does not say its
 * generation does not count, nor do open-weight models.
 *
 * Source: https://platform.openai.com/docs/guides/tools-tool-search. Says nothing about the server behind the name.
 */
export function supportsToolSearch(model: string): boolean {
  const generation = /^(?:[\w.-]+\/)?gpt-(\d+)(?:\.(\d+))?(?![\w.])/.exec(model);
  if (generation === null) return false;
  const [major, minor] = [Number(generation[1]), Number(generation[2] ?? 0)];
  // Azure spells 3.5 without its point.
  if (major === 35) return false;
  return major > FIRST.major || (major === FIRST.major && minor >= FIRST.minor);
}
