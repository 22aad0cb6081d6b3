import { createRandom, type GeneratedTool, generateTools, toProviderTool } from '@winnow/testkit';

/** A format that clients of a load use. */
export type Wire =
  | 'chat'
  | 'responses'
  | 'messages'
  | 'hosted'
  | 'gemini'
  | 'interactions'
  | 'ollama'
  | 'converse'
  | 'invoke';

/** The tools of a client. */
export interface Catalogue {
  readonly names: readonly string[];
  /**
   * The JSON text of `tools` in each format, made once: serializing it for every request would cost more than
   * sending it.
   */
  readonly json: Readonly<Record<Wire, string>>;
}

/** The search that the vendor runs itself; a polyfilled upstream does not have it. */
export const HOSTED_SEARCH = 'tool_search_tool_bm25';

/** Enough catalogues to use every cache, few enough to be cached. */
const COUNT = 24;
const [FEWEST_TOOLS, MOST_TOOLS] = [20, 200];

/** Generates the catalogues of a load, with 20 to 200 tools each. The seed decides everything. */
export function makeCatalogues(seed: number): Catalogue[] {
  const random = createRandom(seed);
  return Array.from({ length: COUNT }, (_, position) =>
    makeCatalogue(random.between(FEWEST_TOOLS, MOST_TOOLS), seed * COUNT + position),
  );
}

function makeCatalogue(count: number, seed: number): Catalogue {
  const tools = generateTools({ count, seed });
  const write = (shape: 'openai' | 'anthropic') =>
    JSON.stringify(tools.map((tool) => toProviderTool(tool, shape)));
  // Functions are flat in this format.
  const flat = tools.map((tool) => ({
    type: 'function',
    ...(toProviderTool(tool, 'openai') as { function: object }).function,
  }));
  return {
    names: tools.map(({ name }) => name),
    json: {
      chat: write('openai'),
      responses: JSON.stringify(flat),
      messages: write('anthropic'),
      hosted: writeHosted(tools),
      interactions: JSON.stringify(flat),
      gemini: writeDeclarations(tools),
      ollama: write('openai'),
      converse: writeSpecs(tools),
      invoke: write('anthropic'),
    },
  };
}

/** All tools are deferred, with the vendor's own search. */
function writeHosted(tools: readonly GeneratedTool[]): string {
  const deferred = tools.map((tool) => ({ ...toProviderTool(tool, 'anthropic'), defer_loading: true }));
  return JSON.stringify([{ type: 'tool_search_tool_bm25_20251119', name: HOSTED_SEARCH }, ...deferred]);
}

function writeSpecs(tools: readonly GeneratedTool[]): string {
  return JSON.stringify(
    tools.map(({ name, description, parameters }) => ({
      toolSpec: { name, description, inputSchema: { json: parameters } },
    })),
  );
}

function writeDeclarations(tools: readonly GeneratedTool[]): string {
  return JSON.stringify(
    tools.map(({ name, description, parameters }) => ({
      name,
      description,
      parametersJsonSchema: parameters,
    })),
  );
}
