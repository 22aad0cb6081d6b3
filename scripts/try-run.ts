import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { answer, callTool, type Model, say, startUpstream, think, type Upstream } from '@winnow/testkit';
import { ENVOY_IN_FRONT } from '../test/topologies/envoy.ts';
import { envoyBehind } from '../test/topologies/envoy-behind.ts';
import { LITELLM_BEHIND, LITELLM_IN_FRONT } from '../test/topologies/litellm.ts';
import { startTopology, type TopologyOptions } from '../test/topologies/start-topology.ts';
import { installPackages, runAgent } from './agents/run-agent.ts';
import { RUN_TRIALS, type RunTrial } from './agents/run-trials.ts';

/**
 * Runs real agents by `winnow run`, as installed from npm or as found in the path, with 60 MCP tools of one
 * server, and programs by SDKs for Python, against a scripted provider that stands for a company's gateway: `npm run
 * try:run [-- --agents claude,codex --folder DIR --path DIR --package TARBALL]`. With a tarball, `winnow` comes from it
 * by `npx` with an empty cache each time. The model calls one of the tools and reports its result. Prints each agent's
 * result and the line of `winnow run`, and exits with 1 if one of them did not get the result.
 *
 * `--through litellm-in-front` tries a proxy and a real gateway (`npm run fetch:gateways`) in place of `winnow run`: the
 * agent calls LiteLLM, and LiteLLM calls the proxy. So do `litellm-behind`, `envoy-in-front` and `envoy-behind`.
 */

const LAUNCH = fileURLToPath(new URL('../apps/proxy/src/launch-main.ts', import.meta.url));
const MCP = fileURLToPath(new URL('../packages/testkit/src/mcp/mcp-process.ts', import.meta.url));
const { NODE_EXTRA_CA_CERTS } = process.env;
const WANTED = 'tool_37';
const DONE = 'number-37-is-done';
/** The definition of the wanted tool in the result of a search, under the name that the agent gives it. */
const DEFINITION = new RegExp(`^\\{"name":"([^"]*${WANTED})"`, 'm');
const TOOLS = Array.from({ length: 60 }, (_, number) => ({
  name: `tool_${number}`,
  description: `Does number ${number} of the shop. ${'It takes care of everything that belongs to it. '.repeat(3)}`,
  inputSchema: { type: 'object', properties: { text: { type: 'string' } } },
}));

const TOPOLOGIES: Readonly<Record<string, () => TopologyOptions>> = {
  'litellm-in-front': () => LITELLM_IN_FRONT,
  'litellm-behind': () => LITELLM_BEHIND,
  'envoy-in-front': () => ENVOY_IN_FRONT,
  'envoy-behind': envoyBehind,
};

const { values } = parseArgs({
  options: {
    agents: { type: 'string' },
    folder: { type: 'string' },
    path: { type: 'string', default: '' },
    package: { type: 'string' },
    through: { type: 'string' },
  },
});
const wanted = values.agents?.split(',') ?? RUN_TRIALS.map(({ id }) => id);
const unknown = wanted.filter((id) => RUN_TRIALS.every((trial) => trial.id !== id));
if (unknown.length > 0) {
  console.error(`There is no ${unknown.join(', ')}; there are ${RUN_TRIALS.map(({ id }) => id).join(', ')}.`);
  process.exit(2);
}
const folder = values.folder ?? mkdtempSync(join(tmpdir(), 'winnow-agents-'));
try {
  for (const trial of RUN_TRIALS.filter(({ id }) => wanted.includes(id))) {
    const { isDone, says } = await tryRun(trial);
    console.log(`${trial.id}: ${says}`);
    if (!isDone) process.exitCode = 1;
  }
} finally {
  if (values.folder === undefined) rmSync(folder, { recursive: true, force: true });
}

async function tryRun(trial: RunTrial): Promise<{ readonly isDone: boolean; readonly says: string }> {
  if (trial.package !== undefined && values.folder === undefined)
    await installPackages(folder, [trial.package]);
  const home = mkdtempSync(join(tmpdir(), `winnow-home-${trial.id}-`));
  const workspace = join(home, 'project');
  mkdirSync(workspace);
  const stand = await standFor(modelOf(trial, workspace));
  const server = { command: process.execPath, args: [MCP, JSON.stringify({ tools: TOOLS })] };
  const wish = 'Do number 37 of the shop.';
  const { files, env, args } = trial.prepare({ home, workspace, gateway: stand.url, server, wish });
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(home, path)), { recursive: true });
    writeFileSync(join(home, path), text);
  }
  const startedAt = performance.now();
  const [program = '', ...words] = [...stand.launcher, trial.command, ...args];
  const { code, output } = await runAgent(program, words, workspace, {
    PATH: [values.path, join(folder, 'node_modules/.bin'), process.env.PATH].filter(Boolean).join(':'),
    HOME: home,
    // Of the user, only the settings of npm: the agent's home is empty, and so is the cache.
    npm_config_cache: join(home, 'npm-cache'),
    npm_config_userconfig: join(homedir(), '.npmrc'),
    ...(NODE_EXTRA_CA_CERTS !== undefined && { NODE_EXTRA_CA_CERTS }),
    // As `winnow run` sets it for Claude Code.
    ...(values.through !== undefined && { ENABLE_TOOL_SEARCH: 'false' }),
    ...env,
  });
  const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1);
  await stand.stop();
  rmSync(home, { recursive: true, force: true });
  const line = stand.line(output);
  const refused = stand.provider
    .rejected()
    .map(({ method, path, rejection }) => `${method} ${path} ${JSON.stringify(rejection)}`);
  const declared = stand.provider.requests.map(({ json }) => toolCount(json)).join(', ');
  const isDone = code === 0 && output.includes(DONE) && refused.length === 0 && line !== undefined;
  const facts = `${seconds} s, requests with ${declared} tools, refused: ${refused.join('; ') || 'nothing'}; ${line}`;
  return { isDone, says: isDone ? `yes, ${facts}` : `NO (code ${code}), ${facts}\n${output.slice(-3_000)}` };
}

/** The services of a trial. */
interface Stand {
  /** The address in the agent's settings. */
  readonly url: string;
  readonly provider: Upstream;
  /** The command in front of the agent's. */
  readonly launcher: readonly string[];
  /** Returns a line on what Winnow did, given the agent's output; undefined if it did nothing. */
  readonly line: (output: string) => string | undefined;
  readonly stop: () => Promise<void>;
}

async function standFor(model: Model): Promise<Stand> {
  if (values.through === undefined) {
    const provider = await startUpstream({ model, isLenient: true });
    const launcher =
      values.package === undefined
        ? [process.execPath, LAUNCH, '--']
        : ['npx', '--yes', '--package', resolve(values.package), 'winnow', 'run', '--'];
    const line = (output: string) =>
      output.split('\n').findLast((text) => text.startsWith('winnow: ') && text.includes('records: '));
    return { url: provider.url, provider, launcher, line, stop: () => provider.close() };
  }
  const open = TOPOLOGIES[values.through];
  if (open === undefined) throw new Error(`--through takes ${Object.keys(TOPOLOGIES).join(', ')}`);
  const { url, provider, records, stop } = await startTopology({ ...open(), model });
  const line = () => {
    const searching = records.filter(({ searches }) => searches.length > 0).length;
    return searching > 0 ? `${records.length} exchanges, ${searching} with a search` : undefined;
  };
  return { url, provider, launcher: [], line, stop };
}

function toolCount(body: unknown): number {
  const { tools = [] } = body as { tools?: readonly { functionDeclarations?: readonly unknown[] }[] };
  return tools.reduce((sum, { functionDeclarations }) => sum + (functionDeclarations?.length ?? 1), 0);
}

/** Searches if there is a search tool only, calls the wanted tool once it is visible, and ends with the result. */
function modelOf({ hasNoTools }: RunTrial, workspace: string): Model {
  return ({ callable, turns, mayThink }) => {
    if (hasNoTools) return answer([say(DONE)]);
    const thoughts = mayThink ? [think('Let me see.')] : [];
    const results = turns.flatMap((turn) => (turn.role === 'results' ? turn.results : []));
    const isDone = results.some(({ text }) => text.includes(DONE));
    const names = [...callable];
    const called = names.find((name) => name.endsWith(WANTED));
    const search = names.find((name) => name === 'gateway_search_tools');
    const found = results.map(({ text }) => DEFINITION.exec(text)?.[1]).find((name) => name !== undefined);
    if (isDone) return answer([...thoughts, say(DONE)]);
    if (called) return answer([...thoughts, callTool(called, { text: DONE })]);
    if (found && names.includes('gateway_call_tool')) {
      const input = { name: found, arguments: { text: DONE } };
      return answer([...thoughts, callTool('gateway_call_tool', input)]);
    }
    if (search) return answer([...thoughts, callTool(search, { query: 'number 37 of the shop' })]);
    // Qwen Code calls what it has found by a tool of its own.
    const caller = names.find((name) => name === 'tool_call');
    const isFound = results.some(({ text }) => text.includes(WANTED));
    if (caller && isFound) {
      const input = { name: `mcp__shop__${WANTED}`, arguments: { text: DONE } };
      return answer([...thoughts, callTool(caller, input)]);
    }
    const own = names.find((name) => name === 'tool_search');
    if (own && results.length < 3)
      return answer([...thoughts, callTool(own, { query: `select:mcp__shop__${WANTED}` })]);
    // Some agents connect to their servers during the first requests.
    const list = names.find((name) => name === 'list_directory');
    if (list && results.length < 3) {
      return answer([...thoughts, callTool(list, { path: workspace, dir_path: workspace })]);
    }
    return answer([...thoughts, say('A title')]);
  };
}
