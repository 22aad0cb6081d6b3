import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { answer, callTool, type Model, say, startUpstream, think } from '@winnow/testkit';
import { installPackages, runAgent } from './agents/run-agent.ts';
import { RUN_TRIALS, type RunTrial } from './agents/run-trials.ts';

/**
 * Runs real agents by `winnow run`, as installed from npm or as found in the path, with 60 MCP tools of one
 * server, and programs by SDKs for Python, against a scripted provider that stands for a company's gateway: `npm run
 * try:run [-- --agents claude,codex --folder DIR --path DIR --package TARBALL]`. With a tarball, `winnow` comes from it
 * by `npx` with an empty cache each time. The model calls one of the tools and reports its result. Prints each agent's
 * result and the line of `winnow run`, and exits with 1 if one of them did not get the result.
 */

const LAUNCH = fileURLToPath(new URL('../apps/proxy/src/launch-main.ts', import.meta.url));
const MCP = fileURLToPath(new URL('../packages/testkit/src/mcp/mcp-process.ts', import.meta.url));
const { NODE_EXTRA_CA_CERTS } = process.env;
const WANTED = 'tool_37';
const DONE = 'number-37-is-done';
const TOOLS = Array.from({ length: 60 }, (_, number) => ({
  name: `tool_${number}`,
  description: `Does number ${number} of the shop. ${'It takes care of everything that belongs to it. '.repeat(3)}`,
  inputSchema: { type: 'object', properties: { text: { type: 'string' } } },
}));

const { values } = parseArgs({
  options: {
    agents: { type: 'string' },
    folder: { type: 'string' },
    path: { type: 'string', default: '' },
    package: { type: 'string' },
  },
});
const wanted = values.agents?.split(',') ?? RUN_TRIALS.map(({ id }) => id);
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
  const gateway = await startUpstream({ model: modelOf(trial, workspace), isLenient: true });
  const server = { command: process.execPath, args: [MCP, JSON.stringify({ tools: TOOLS })] };
  const wish = 'Do number 37 of the shop.';
  const { files, env, args } = trial.prepare({ home, workspace, gateway: gateway.url, server, wish });
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(home, path)), { recursive: true });
    writeFileSync(join(home, path), text);
  }
  const startedAt = performance.now();
  const [launcher = '', ...words] = launch();
  const { code, output } = await runAgent(launcher, [...words, '--', trial.command, ...args], workspace, {
    PATH: [values.path, join(folder, 'node_modules/.bin'), process.env.PATH].filter(Boolean).join(':'),
    HOME: home,
    // Of the user, only the settings of npm: the agent's home is empty, and so is the cache.
    npm_config_cache: join(home, 'npm-cache'),
    npm_config_userconfig: join(homedir(), '.npmrc'),
    ...(NODE_EXTRA_CA_CERTS !== undefined && { NODE_EXTRA_CA_CERTS }),
    ...env,
  });
  const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1);
  await gateway.close();
  rmSync(home, { recursive: true, force: true });
  const line = output.split('\n').findLast((text) => text.startsWith('winnow: ')) ?? 'without a last line';
  const refused = gateway
    .rejected()
    .map(({ method, path, rejection }) => `${method} ${path} ${JSON.stringify(rejection)}`);
  const declared = gateway.requests.map(({ json }) => toolCount(json)).join(', ');
  const isDone = code === 0 && output.includes(DONE) && refused.length === 0 && line.includes('records: ');
  const facts = `${seconds} s, requests with ${declared} tools, refused: ${refused.join('; ') || 'nothing'}; ${line}`;
  return { isDone, says: isDone ? `yes, ${facts}` : `NO (code ${code}), ${facts}\n${output.slice(-3_000)}` };
}

function launch(): string[] {
  return values.package === undefined
    ? [process.execPath, LAUNCH]
    : ['npx', '--yes', '--package', resolve(values.package), 'winnow', 'run'];
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
    if (isDone) return answer([...thoughts, say(DONE)]);
    if (called) return answer([...thoughts, callTool(called, { text: DONE })]);
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
