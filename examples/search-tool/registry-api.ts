/** The three requests that an application with its own loop sends to a registry, with nothing but `fetch`. */
export interface RegistryApi {
  /**
   * Returns the search tool and its text for the system prompt. Both stay the same for a day, so prompts stay
   * cached.
   */
  describeSearchTool(): Promise<SearchToolText>;
  /** Resolves a model's call of the search tool. `known` lists the tools that the model can already see. */
  search(argumentsText: string, known: readonly string[]): Promise<SearchAnswer>;
  /** Reports the tools that were called: the registry shows the most-called tools from the start. */
  reportCalls(names: readonly string[]): Promise<void>;
}

/** A tool definition in the format of OpenAI's Chat Completions. */
export interface FunctionTool {
  readonly type: 'function';
  readonly function: {
    readonly name: string;
    readonly description?: string;
    readonly parameters?: Record<string, unknown>;
  };
}

export interface SearchToolText {
  readonly definition: FunctionTool;
  readonly system_text: string;
  readonly always_loaded: readonly { readonly tool_name: string; readonly definition: FunctionTool }[];
}

export interface SearchAnswer {
  /** The text for the model: names with their first sentences, best first. */
  readonly tool_references: readonly { readonly tool_name: string; readonly summary: string }[];
  /** For the model: names of further matches. */
  readonly next_names?: readonly string[];
  readonly total_matches: number;
  /** Absent if the tools fit. */
  readonly certainty?: 'weak' | 'none';
  /** Words that no tool contains. */
  readonly unknown_words?: readonly string[];
  /** Definitions to add to the tools. */
  readonly definitions: readonly FunctionTool[];
}

/** The dialect of `FunctionTool`; docs/reference/registry.md lists the others. */
const FORMAT = 'openai-chat';

/** @param url of the registry, such as `http://127.0.0.1:8789`. */
export function openRegistry(url: string, token?: string): RegistryApi {
  const base = `${url}/v1/registry`;
  const headers = {
    'content-type': 'application/json',
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
  };
  const read = async <Body>(response: Response): Promise<Body> => {
    if (!response.ok) throw new Error(`The registry answered ${response.status}: ${await response.text()}`);
    return (await response.json()) as Body;
  };
  const post = async <Body>(path: string, body: object): Promise<Body> =>
    read(await fetch(`${base}${path}`, { method: 'POST', headers, body: JSON.stringify(body) }));
  return {
    describeSearchTool: async () => read(await fetch(`${base}/search-tool?format=${FORMAT}`, { headers })),
    search: (written, known) => post('/search-tool/search', { format: FORMAT, arguments: written, known }),
    reportCalls: async (ids) => void (await post('/usage', { ids })),
  };
}
