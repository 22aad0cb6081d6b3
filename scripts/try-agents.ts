import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { startUpstream } from '@winnow/testkit';
import type { AgentTrial } from './agents/agent-trial.ts';
import { installPackages, runAgent } from './agents/run-agent.ts';
import { type ModelStep, scriptedModel } from './agents/scripted-model.ts';
import { TRIALS } from './agents/trials.ts';

/**
 * Runs real agents, as installed from npm, with the front door as their only MCP server: `npm run try:agents
 * [-- --agents codex,opencode --folder DIR]`. The front door leads to three real servers. The model is
 * scripted: it searches, and calls tools of two of them. Prints each agent's result, and exits with 1 if one
 * of them did not get both results.
 */

const MAIN = fileURLToPath(new URL('../apps/registry/src/mcp-main.ts', import.meta.url));
const WISH = 'Say hello by the echo tool, and remember it.';

const SERVERS = {
  everything: ['@modelcontextprotocol/server-everything@2026.8.31', 'mcp-server-everything'],
  memory: ['@modelcontextprotocol/server-memory@2026.8.31', 'mcp-server-memory'],
  files: ['@modelcontextprotocol/server-filesystem@2026.8.31', 'mcp-server-filesystem'],
} as const;

const STEPS: readonly ModelStep[] = [
  { tool: 'search_tools', arguments: { query: 'echo a message back' } },
  {
    tool: 'call_tool',
    arguments: { name: 'everything__echo', arguments: { message: 'hello-from-everything' } },
  },
  { tool: 'search_tools', arguments: { query: 'remember an entity in the knowledge graph' } },
  {
    tool: 'call_tool',
    arguments: {
      name: 'memory__create_entities',
      arguments: { entities: [{ name: 'hello-in-memory', entityType: 'note', observations: ['said'] }] },
    },
  },
];
/** Texts that the agent's last message must contain: results of both servers. */
const EXPECTED = ['hello-from-everything', 'hello-in-memory'];

const { values } = parseArgs({ options: { agents: { type: 'string' }, folder: { type: 'string' } } });
const wanted = values.agents?.split(',') ?? TRIALS.map(({ id }) => id);
const unknown = wanted.filter((id) => !TRIALS.some((trial) => trial.id === id));
if (unknown.length > 0) {
  console.error(`--agents takes ${TRIALS.map(({ id }) => id).join(', ')}, not ${unknown.join(', ')}`);
  process.exit(2);
}
const folder = values.folder ?? mkdtempSync(join(tmpdir(), 'winnow-agents-'));
try {
  for (const trial of TRIALS.filter(({ id }) => wanted.includes(id))) {
    const outcome = await tryAgent(trial);
    console.log(`${trial.package}: ${outcome}`);
    if (!outcome.startsWith('yes')) process.exitCode = 1;
  }
} finally {
  if (values.folder === undefined) rmSync(folder, { recursive: true, force: true });
}

async function tryAgent(trial: AgentTrial): Promise<string> {
  await installPackages(folder, [trial.package, ...Object.values(SERVERS).map(([name]) => name)]);
  const home = mkdtempSync(join(tmpdir(), `winnow-home-${trial.id}-`));
  const workspace = join(home, 'project');
  mkdirSync(workspace);
  const config = join(home, 'winnow-mcp.json');
  const bin = (name: string) => join(folder, 'node_modules/.bin', name);
  const entries = Object.entries(SERVERS).map(([name, [, command]]) => {
    const args = name === 'files' ? [workspace] : [];
    return [name, { command: bin(command), args, env: { MEMORY_FILE_PATH: join(home, 'memory.jsonl') } }];
  });
  writeFileSync(config, JSON.stringify({ mcpServers: Object.fromEntries(entries) }));
  const model = await startUpstream({ model: scriptedModel(STEPS), isLenient: true });
  const door = { command: process.execPath, args: [MAIN, '--config', config] };
  const { files, env, args } = trial.prepare({ home, workspace, modelUrl: model.url, door, wish: WISH });
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(home, path)), { recursive: true });
    writeFileSync(join(home, path), text);
  }
  const startedAt = performance.now();
  const { code, output } = await runAgent(bin(trial.command), args, workspace, {
    PATH: process.env.PATH ?? '',
    HOME: home,
    ...env,
  });
  const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1);
  const sent = model.requests.length;
  await model.close();
  const missing = EXPECTED.filter((text) => !output.includes(text));
  const isRemembered = existsSync(join(home, 'memory.jsonl'));
  rmSync(home, { recursive: true, force: true });
  if (missing.length === 0 && isRemembered)
    return `yes, both results in ${seconds} s, ${sent} requests to the model`;
  return `NO (code ${code}, ${sent} requests, without ${missing.join(' and ') || 'the memory'}): ${output.slice(-2_000)}`;
}
