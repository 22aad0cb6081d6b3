import { type DispatchMode, DOOR_INSTRUCTIONS, FrontDoor, NO_SERVERS } from '@winnow/mcp';
import { createRegistry, type McpTool } from '@winnow/registry';
import { Tiktoken } from 'js-tiktoken/lite';
import o200k from 'js-tiktoken/ranks/o200k_base';
import { mean } from '../summarize-times.ts';
import { type CatalogueServer, readServers } from './read-catalogue.ts';

/** Size of a model's context for a number of servers, in tokens of `o200k_base`. */
export interface ContextTokens {
  readonly servers: number;
  readonly tools: number;
  /** Definitions of all tools, as sent by an agent connected to all servers. */
  readonly direct: number;
  /** Definitions of the front door's tools, and its instructions. */
  readonly door: number;
  /** The same with one calling tool for each namespace. */
  readonly doorPerNamespace: number;
  /** One search on average: the model's call and its result. */
  readonly search: number;
  /** One search with agents that give the model the structured content in place of the text. */
  readonly structuredSearch: number;
}

/** Requests for the tools in the catalogues, in the words of a model that searches. */
const QUERIES = [
  'create an issue',
  'list open pull requests',
  'merge pull request',
  'read a file of a repository',
  'search code',
  'comment on an issue',
  'list workflow runs',
  'create a branch',
  'get commit details',
  'dismiss notification',
  'assign reviewers to a pull request',
  'list releases',
  'fork a repository',
  'security alerts',
  'add a label',
];

const encoder = new Tiktoken(o200k);
const tokensOf = (value: unknown) =>
  encoder.encode(typeof value === 'string' ? value : JSON.stringify(value)).length;

/**
 * Counts the context of a client with the front door and of one connected to all servers, for a number of
 * servers.
 */
export async function measureTokens(
  folder: string,
  counts: readonly number[],
): Promise<readonly ContextTokens[]> {
  const measured: ContextTokens[] = [];
  for (const count of counts) measured.push(await measure(readServers(folder, count)));
  return measured;
}

async function measure(servers: readonly CatalogueServer[]): Promise<ContextTokens> {
  const single = await openDoor(servers, 'single');
  const named = await openDoor(servers, 'per_namespace');
  const searches: number[] = [];
  const structured: number[] = [];
  for (const query of QUERIES) {
    const call = { name: 'search_tools', arguments: { query } };
    const end = await single.callTool(call);
    if (end.kind !== 'result') throw new Error('a search failed');
    const [{ text }] = end.result.content as [{ text: string }];
    searches.push(tokensOf(call) + tokensOf(text));
    structured.push(tokensOf(call) + tokensOf(end.result.structuredContent));
  }
  const all = servers.flatMap(({ name, tools }) =>
    tools.map((tool) => sent(tool, `mcp__${name}__${tool.name}`)),
  );
  return {
    servers: servers.length,
    tools: all.length,
    direct: tokensOf(all),
    door: await tokensOfDoor(single),
    doorPerNamespace: await tokensOfDoor(named),
    search: mean(searches),
    structuredSearch: mean(structured),
  };
}

async function tokensOfDoor(door: FrontDoor): Promise<number> {
  return tokensOf((await door.listTools()).map((tool) => sent(tool))) + tokensOf(DOOR_INSTRUCTIONS);
}

/** Returns the parts of a tool that reach a model: agents prefix its name with the server's. */
function sent({ name, description, inputSchema }: McpTool, as = `mcp__winnow__${name}`) {
  return { name: as, description, input_schema: inputSchema };
}

async function openDoor(servers: readonly CatalogueServer[], dispatch: DispatchMode): Promise<FrontDoor> {
  let ids = 0;
  const [now, wallClock] = [() => performance.now(), () => Date.now()];
  const registry = await createRegistry({
    clock: { now, wallClock },
    randomId: () => (++ids).toString(16).padStart(64, '0'),
  });
  for (const { name, tools } of servers) {
    const registered = await registry.register(
      tools.map((tool) => ({ tool, namespace: name, backend: { kind: 'mcp', server: name } })),
    );
    if (!registered.ok) throw new Error(registered.problems[0]!.message);
  }
  return new FrontDoor({
    registry,
    servers: NO_SERVERS,
    dispatch,
    slots: { run: (call) => call() },
    now,
    wallClock,
  });
}
