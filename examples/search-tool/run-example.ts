import { randomBytes, randomUUID } from 'node:crypto';
import { DEFAULT_SETTINGS, startRegistry } from '@winnow/registry-app';
import { startUpstream, type Upstream } from '@winnow/testkit';
import OpenAI from 'openai';
import { countTokens } from './count-tokens.ts';
import { type FunctionTool, openRegistry } from './registry-api.ts';
import { type Loop, type LoopEvents, runLoop, runLoopWithSearch } from './run-loop.ts';
import { REQUEST, scriptedModel } from './scripted-model.ts';
import { TOOLS } from './tools.ts';

const SYSTEM = 'You are an assistant of a software team. Be brief.';

/** Input tokens of each request to the model. */
export type RequestTokens = readonly { readonly tools: number; readonly tokens: number }[];

/** The measurements of the example. */
export interface ExampleResult {
  /** Tokens with all definitions in every request. */
  readonly withAll: RequestTokens;
  readonly withSearch: RequestTokens;
  /** Tokens of the search tool's definition and the system text. */
  readonly searchToolTokens: number;
  /** Number of requests that a real provider would have refused. */
  readonly rejected: number;
}

/**
 * Runs the same task twice against a scripted provider: with all tools and with the search tool. Needs no key
 * and no network.
 */
export async function runExample(events: LoopEvents): Promise<ExampleResult> {
  const registry = await startMemoryRegistry();
  const upstream = await startUpstream({ model: scriptedModel });
  try {
    await registerAll(registry.url);
    const api = openRegistry(registry.url);
    const loop: Loop = {
      client: new OpenAI({ baseURL: `${upstream.url}/v1`, apiKey: 'no-key-needed' }),
      model: 'gpt-example',
      system: SYSTEM,
      request: REQUEST,
      // A real application calls the tool here; the model reads the result.
      callTool: async (name) =>
        JSON.stringify(name === 'jira__create_issue' ? { key: 'WEB-1433' } : { ok: true }),
      events,
    };
    await runLoopWithSearch(loop, api);
    const withSearch = tokensOf(upstream);
    await runLoop({ ...loop, events: SILENT }, TOOLS.map(toFunctionTool));
    const { definition, system_text: text } = await api.describeSearchTool();
    return {
      withAll: tokensOf(upstream).slice(withSearch.length),
      withSearch,
      searchToolTokens: countTokens(definition) + countTokens(text),
      rejected: upstream.rejected().length,
    };
  } finally {
    await upstream.close();
    await registry.close();
  }
}

/** Returns the share of the input tokens that was saved, from 0 to 1. */
export function savedShare({ withAll, withSearch }: Pick<ExampleResult, 'withAll' | 'withSearch'>): number {
  return 1 - sumOf(withSearch) / sumOf(withAll);
}

export function sumOf(requests: RequestTokens): number {
  return requests.reduce((sum, { tokens }) => sum + tokens, 0);
}

const SILENT: LoopEvents = { onSearch() {}, onCall() {}, onAnswer() {} };

function startMemoryRegistry() {
  return startRegistry(
    { ...DEFAULT_SETTINGS, sqliteFile: ':memory:', port: 0 },
    {
      now: () => performance.now(),
      wallClock: () => Date.now(),
      makeId: () => randomUUID(),
      randomId: () => randomBytes(32).toString('hex'),
      writeLog: () => {},
    },
  );
}

/** Registers all tools in one request, each as a tool of an MCP server. */
async function registerAll(url: string): Promise<void> {
  const tools = TOOLS.map(({ namespace, ...tool }) => ({
    tool,
    namespace,
    backend: { kind: 'mcp', server: namespace },
  }));
  const response = await fetch(`${url}/v1/registry/tools`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ tools }),
  });
  if (!response.ok) throw new Error(await response.text());
}

function toFunctionTool({ namespace, name, description, inputSchema }: (typeof TOOLS)[number]): FunctionTool {
  return {
    type: 'function',
    function: { name: `${namespace}__${name}`, description, parameters: inputSchema },
  };
}

function tokensOf({ requests }: Upstream): RequestTokens {
  return requests.map(({ json }) => {
    const { tools, messages } = json as { tools: readonly unknown[]; messages: readonly unknown[] };
    return { tools: tools.length, tokens: countTokens(tools) + countTokens(messages) };
  });
}
