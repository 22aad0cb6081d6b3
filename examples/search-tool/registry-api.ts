/** What an application asks a registry for when it runs its own loop: three requests, with nothing but `fetch`. */
export interface RegistryApi {
  /** The search tool and what the system prompt says of it. Equal for a day, so that prompts stay cached. */
  describeSearchTool(): Promise<SearchToolText>;
  /** Answers a model's call of the search tool. `known`: names of tools that the model can see already. */
  search(argumentsText: string, known: readonly string[]): Promise<SearchAnswer>;
  /** Says which tools were called: those that are called most are shown from the start. */
  reportCalls(names: readonly string[]): Promise<void>;
}

/** A definition as OpenAI's chat completions take it. */
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
  /** What the model is told: names with their first sentences, best first. */
  readonly tool_references: readonly { readonly tool_name: string; readonly summary: string }[];
  readonly total_matches: number;
  /** To be put among the tools. */
  readonly definitions: readonly FunctionTool[];
}

/** The dialect of `FunctionTool`; see docs/reference/registry.md for the others. */
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
