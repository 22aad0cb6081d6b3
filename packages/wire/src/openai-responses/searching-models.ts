/**
 * Names of the models that accept tools in a `tool_search_output`: gpt-5.4, of March 2026, and later
 * generations. A deployment may have any name; a name without a generation does not count, nor do open-weight
 * models, nor Azure's spelling of 3.5 without its point.
 *
 * Source: https://platform.openai.com/docs/guides/tools-tool-search. The name of a model does not identify
 * the server that runs it.
 */
export const SEARCHING_MODELS: readonly RegExp[] = [
  /^(?:[\w.-]+\/)?gpt-5\.(?:[4-9]|[1-9]\d+)(?![\w.])/,
  /^(?:[\w.-]+\/)?gpt-(?!35\b)(?:[6-9]|[1-9]\d+)(?:\.\d+)?(?![\w.])/,
];
