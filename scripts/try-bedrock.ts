import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { readConfig, startProxy, systemEffects } from '@winnow/proxy';
import { answer, callTool, type Model, say, startUpstream, think, type Upstream } from '@winnow/testkit';
import { installPackages, runAgent } from './agents/run-agent.ts';

/**
 * Runs the real Claude Code through Bedrock with 60 MCP tools: `npm run try:bedrock [-- --folder DIR]`. The
 * upstream is scripted, verifies every signature and refuses what Bedrock refuses. The model searches if it
 * does not see the tool that it needs, calls it, and reports the result. Runs once directly and once through
 * a proxy that signs again. Prints both, and exits with 1 if the results differ, a request was refused, or no
 * tool was deferred. If npm cannot install the agent, says so and tries nothing.
 */

const PACKAGE = '@anthropic-ai/claude-code@2.1.330';
const MODEL = 'eu.anthropic.claude-sonnet-4-5-20250929-v1:0';
const MCP = fileURLToPath(new URL('../packages/testkit/src/mcp/mcp-process.ts', import.meta.url));
const SEARCH_TOOL = 'gateway_search_tools';
const WANTED = 'tool_37';
const DONE = 'number-37-is-done';
const TOOLS = Array.from({ length: 60 }, (_, number) => ({
  name: `tool_${number}`,
  description: `Does number ${number} of the shop.`,
  inputSchema: { type: 'object', properties: { text: { type: 'string' } } },
}));
const CREDENTIALS = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'a-secret-of-the-trial' };
const REGION = 'eu-central-1';

/** The result of one run. */
interface Trial {
  readonly isCalled: boolean;
  /** For each request, the number of declared tools and how many of them were not deferred. */
  readonly declared: readonly string[];
  readonly shown: readonly number[];
  readonly paths: readonly string[];
  readonly refusals: readonly string[];
  readonly namesSearchTool: boolean;
}

const { values } = parseArgs({ options: { folder: { type: 'string' } } });
const folder = values.folder ?? mkdtempSync(join(tmpdir(), 'winnow-agents-'));
try {
  const isInstalled = await installPackages(folder, [PACKAGE]).then(
    () => true,
    (error: Error) => {
      console.log(`skipped: ${PACKAGE} could not be installed: ${error.message.split('\n')[0]}`);
      return false;
    },
  );
  if (isInstalled) {
    const direct = await tryClaudeCode('directly');
    const through = await tryClaudeCode('through Winnow');
    const isReduced = Math.max(...through.shown) < Math.max(...direct.shown);
    const isAlike = direct.isCalled && through.isCalled && through.refusals.length === 0;
    if (!isAlike || !isReduced || through.namesSearchTool) process.exitCode = 1;
  }
} finally {
  if (values.folder === undefined) rmSync(folder, { recursive: true, force: true });
}

async function tryClaudeCode(way: 'directly' | 'through Winnow'): Promise<Trial> {
  const home = mkdtempSync(join(tmpdir(), 'winnow-home-'));
  const upstream = await startUpstream({
    model: playWish,
    signing: { ...CREDENTIALS, region: REGION, service: 'bedrock' },
  });
  const proxy = way === 'directly' ? undefined : await startProxyFor(upstream);
  try {
    const { output } = await runClaudeCode(home, proxy?.url ?? upstream.url);
    const trial = describe(upstream, output);
    const counts = trial.declared.map((count, at) => `${trial.shown[at]} of ${count}`).join(', ');
    console.log(`${PACKAGE} ${way}: ${trial.isCalled ? 'called the tool' : `did NOT call it: ${output}`}`);
    console.log(
      `  ${trial.paths.join(', ')}; tools shown: ${counts}; refused: ${trial.refusals.join('; ') || 'nothing'}`,
    );
    return trial;
  } finally {
    await proxy?.close();
    await upstream.close();
    rmSync(home, { recursive: true, force: true });
  }
}

function startProxyFor({ url }: Upstream) {
  const outcome = readConfig({
    environment: {
      PROXY_SERVER_PORT: '0',
      PROXY_RECORDS_FILE: 'none',
      PROXY_TOOLS_STRATEGY: 'tool-search',
      PROXY_TOOLS_PRELOAD: '0',
      PROXY_UPSTREAMS_BEDROCK_BASE_URL: url,
      PROXY_UPSTREAMS_BEDROCK_AUTH: `sigv4:${REGION}`,
      AWS_ACCESS_KEY_ID: CREDENTIALS.accessKeyId,
      AWS_SECRET_ACCESS_KEY: CREDENTIALS.secretAccessKey,
    },
  });
  if (!outcome.ok) throw new Error(outcome.problems.join(' '));
  return startProxy(outcome.config, { ...systemEffects(() => {}), writeLog: () => {} });
}

/** https://code.claude.com/docs/en/amazon-bedrock, https://code.claude.com/docs/en/headless */
function runClaudeCode(home: string, url: string) {
  const server = { command: process.execPath, args: [MCP, JSON.stringify({ tools: TOOLS })] };
  writeFileSync(join(home, 'mcp.json'), JSON.stringify({ mcpServers: { shop: server } }));
  const workspace = join(home, 'project');
  mkdirSync(workspace);
  const args = [
    ...['-p', 'Do number 37 of the shop.', '--mcp-config', `${home}/mcp.json`, '--strict-mcp-config'],
    ...['--allowedTools', 'mcp__shop', '--model', MODEL],
  ];
  return runAgent(join(folder, 'node_modules/.bin/claude'), args, workspace, {
    PATH: process.env.PATH ?? '',
    HOME: home,
    CLAUDE_CODE_USE_BEDROCK: '1',
    ANTHROPIC_BEDROCK_BASE_URL: url,
    AWS_REGION: REGION,
    AWS_ACCESS_KEY_ID: CREDENTIALS.accessKeyId,
    AWS_SECRET_ACCESS_KEY: CREDENTIALS.secretAccessKey,
    AWS_EC2_METADATA_DISABLED: 'true',
    // All tools are visible, as without tool search.
    ENABLE_TOOL_SEARCH: 'false',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    DISABLE_AUTOUPDATER: '1',
  });
}

function describe(upstream: Upstream, output: string): Trial {
  const bodies = upstream.requests.map(
    ({ json }) => (json ?? {}) as { tools?: { defer_loading?: boolean }[] },
  );
  const tools = bodies.map(({ tools: all = [] }) => all);
  return {
    isCalled: output.includes(DONE),
    declared: tools.map((all) => String(all.length)),
    shown: tools.map((all) => all.filter(({ defer_loading: isDeferred }) => !isDeferred).length),
    paths: [...new Set(upstream.requests.map(({ path }) => path.replace(/^.*\//, '')))],
    refusals: upstream.rejected().map(({ rejection }) => rejection!.message),
    namesSearchTool: output.includes(SEARCH_TOOL),
  };
}

/**
 * Searches if it does not see the tool that it needs, calls it, and ends with the result. Agents also ask for
 * titles and the like.
 */
function playWish({ callable, turns, mayThink }: Parameters<Model>[0]): ReturnType<Model> {
  const results = turns.flatMap((turn) => (turn.role === 'results' ? turn.results : []));
  const thoughts = mayThink ? [think('Let me see.')] : [];
  const done = results.find(({ text }) => text.includes(DONE));
  if (done !== undefined) return answer([...thoughts, say(done.text)]);
  const wanted = [...callable].find((name) => name.endsWith(WANTED));
  if (wanted !== undefined) return answer([...thoughts, callTool(wanted, { text: DONE })]);
  if (!callable.has(SEARCH_TOOL)) return answer([say('A title')]);
  return answer([...thoughts, callTool(SEARCH_TOOL, { query: 'number 37 of the shop' })]);
}
