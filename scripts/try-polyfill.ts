import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { readConfig, startProxy, systemEffects } from '@winnow/proxy';
import { answer, callTool, type Model, say, startUpstream, think } from '@winnow/testkit';
import { DEFERRING_TRIALS, type DeferringTrial } from './agents/deferring-trials.ts';
import { installPackages, runAgent } from './agents/run-agent.ts';

/**
 * Runs the real Codex and Claude Code with 60 MCP tools and their own tool search, through a polyfilled
 * upstream that refuses all deferral: `npm run try:polyfill [-- --folder DIR]`. The model is scripted: it
 * searches, calls the tool that it found, and reports the result. Prints each agent's result with and without
 * the setting, and exits with 1 if one of them did not call the tool with it.
 */

const MCP = fileURLToPath(new URL('../packages/testkit/src/mcp/mcp-process.ts', import.meta.url));
const WANTED = 'tool_37';
const TOOLS = Array.from({ length: 60 }, (_, number) => ({
  name: `tool_${number}`,
  description: `Does number ${number} of the shop.`,
  inputSchema: { type: 'object', properties: { text: { type: 'string' } } },
}));

const { values } = parseArgs({ options: { folder: { type: 'string' } } });
const folder = values.folder ?? mkdtempSync(join(tmpdir(), 'winnow-agents-'));
try {
  await installPackages(
    folder,
    DEFERRING_TRIALS.map((trial) => trial.package),
  );
  for (const trial of DEFERRING_TRIALS) {
    for (const polyfill of ['on', 'off'] as const) {
      const { isCalled, says } = await tryAgent(trial, polyfill);
      console.log(`${trial.package}, polyfill ${polyfill}: ${says}`);
      if (polyfill === 'on' && !isCalled) process.exitCode = 1;
    }
  }
} finally {
  if (values.folder === undefined) rmSync(folder, { recursive: true, force: true });
}

async function tryAgent(
  trial: DeferringTrial,
  polyfill: 'on' | 'off',
): Promise<{ readonly isCalled: boolean; readonly says: string }> {
  const home = mkdtempSync(join(tmpdir(), 'winnow-home-'));
  const upstream = await startUpstream({ model: modelOf(trial), rules: { isPlain: true } });
  const outcome = readConfig({
    environment: {
      PROXY_SERVER_PORT: '0',
      PROXY_RECORDS_FILE: 'none',
      PROXY_UPSTREAMS_OPENAI_BASE_URL: upstream.url,
      PROXY_UPSTREAMS_OPENAI_POLYFILL: polyfill,
      PROXY_UPSTREAMS_ANTHROPIC_BASE_URL: upstream.url,
      PROXY_UPSTREAMS_ANTHROPIC_POLYFILL: polyfill,
    },
  });
  if (!outcome.ok) throw new Error(outcome.problems.join(' '));
  const proxy = await startProxy(outcome.config, { ...systemEffects(() => {}), writeLog: () => {} });
  try {
    const server = { command: process.execPath, args: [MCP, JSON.stringify({ tools: TOOLS })] };
    const wish = 'Do number 37 of the shop.';
    const { files, env, args } = trial.prepare({ home, url: proxy.url, server, wish });
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(home, path)), { recursive: true });
      writeFileSync(join(home, path), text);
    }
    const workspace = join(home, 'project');
    mkdirSync(workspace);
    const command = join(folder, 'node_modules/.bin', trial.command);
    const { output } = await runAgent(command, args, workspace, {
      PATH: process.env.PATH ?? '',
      HOME: home,
      ...env,
    });
    const isCalled = output.includes('number-37-is-done') && upstream.rejected().length === 0;
    const declared = upstream.requests.map(({ json }) => (json as { tools?: [] }).tools?.length ?? 0);
    const refused = upstream.rejected().length;
    const says = `${isCalled ? 'called the tool' : 'did NOT call it at once'}; ${declared.length} requests with ${declared.join(', ')} tools, ${refused} refused`;
    return { isCalled, says };
  } finally {
    await proxy.close();
    await upstream.close();
    rmSync(home, { recursive: true, force: true });
  }
}

/**
 * Searches if there is a search tool, calls the tool that it needs once visible, and ends with the result.
 */
function modelOf({ query }: DeferringTrial): Model {
  return ({ callable, turns, mayThink }) => {
    const results = turns.flatMap((turn) => (turn.role === 'results' ? turn.results : []));
    const names = [...callable];
    const search = names.find((name) => name === 'tool_search' || name === 'ToolSearch');
    const wanted = names.find((name) => name.endsWith(WANTED));
    const thoughts = mayThink ? [think('Let me see.')] : [];
    if (results.length === 0 && search) return answer([...thoughts, callTool(search, { query })]);
    if (results.length <= 1 && wanted) {
      return answer([...thoughts, callTool(wanted, { text: 'number-37-is-done' })]);
    }
    return answer([...thoughts, say(results.map(({ text }) => text).join(' ') || 'A title')]);
  };
}
