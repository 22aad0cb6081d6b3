import { execFile } from 'node:child_process';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs, promisify } from 'node:util';
import { answer, callTool, type Model, say, startUpstream } from '@winnow/testkit';
import { bundlePortable } from '../distribution/src/bundle.ts';
import { installPackages } from './agents/run-agent.ts';

/**
 * Runs `winnow-tools/fetch`, as it is published, in other runtimes as installed from npm, each in one conversation
 * with a search against a scripted provider: `npm run try:runtimes [-- --folder DIR]`, where DIR keeps the installed
 * runtimes. Prints what came of each, and exits with 1 if one of them did not search, call and end.
 */

const RUNTIMES = ['bun@1.4.5', 'deno@2.9.6', 'miniflare@4.20260730.0'];
const WANTED = 'tool_37';
const ROOT = join(import.meta.dirname, '..');
const run = promisify(execFile);

const { values } = parseArgs({ options: { folder: { type: 'string' } } });
const folder = values.folder ?? mkdtempSync(join(tmpdir(), 'winnow-runtimes-'));
const work = mkdtempSync(join(tmpdir(), 'winnow-runtimes-work-'));
const provider = await startUpstream({ model: modelThatSearches() });
try {
  if (values.folder === undefined) await installPackages(folder, RUNTIMES);
  await bundlePortable(ROOT, work);
  copyFileSync(join(import.meta.dirname, 'runtimes-conversation.js'), join(work, 'conversation.mjs'));
  const url = `${provider.url}/v1`;
  for (const [name, converse] of Object.entries({ bun: inBun, deno: inDeno, workerd: inWorkerd })) {
    const said = await converse(url).catch((error: Error) => `{"failed":${JSON.stringify(error.message)}}`);
    const { called, isDone, searches } = JSON.parse(said) as Record<string, unknown>;
    const isRight = called === WANTED && isDone === true && Number(searches) > 0;
    console.log(`${name}: ${isRight ? 'yes' : 'NO'}, ${said.trim()}`);
    if (!isRight) process.exitCode = 1;
  }
} finally {
  await provider.close();
  rmSync(work, { recursive: true });
  if (values.folder === undefined) rmSync(folder, { recursive: true });
}

function inBun(url: string): Promise<string> {
  return runProgram('bun', ['run'], url);
}

function inDeno(url: string): Promise<string> {
  return runProgram('deno', ['run', '--no-prompt', '--allow-net=127.0.0.1', '--allow-env'], url);
}

async function runProgram(runtime: string, args: readonly string[], url: string): Promise<string> {
  const program = join(work, `${runtime}.mjs`);
  writeFileSync(
    program,
    `import { winnow } from './library-fetch.js';
import { converse } from './conversation.mjs';
console.log(JSON.stringify(await converse(winnow, ${JSON.stringify(url)})));`,
  );
  const { stdout } = await run(join(folder, 'node_modules/.bin', runtime), [...args, program], {
    timeout: 60_000,
  });
  return stdout;
}

/** An edge worker: the same modules in the runtime of Cloudflare Workers. */
async function inWorkerd(url: string): Promise<string> {
  const { Miniflare } = createRequire(join(folder, 'package.json'))('miniflare') as {
    readonly Miniflare: new (
      options: object,
    ) => {
      dispatchFetch(url: string): Promise<{ text(): Promise<string> }>;
      dispose(): Promise<void>;
    };
  };
  const worker = `import { winnow } from './library-fetch.js';
import { converse } from './conversation.mjs';
export default {
  fetch: async () => Response.json(await converse(winnow, ${JSON.stringify(url)})),
};`;
  const moduleOf = (path: string, contents = readFileSync(join(work, path), 'utf8')) => ({
    type: 'ESModule',
    path,
    contents,
  });
  const edge = new Miniflare({
    modules: [moduleOf('worker.mjs', worker), moduleOf('library-fetch.js'), moduleOf('conversation.mjs')],
    modulesRoot: '.',
    compatibilityDate: '2025-05-05',
    compatibilityFlags: ['nodejs_compat'],
  });
  try {
    return await (await edge.dispatchFetch('http://worker.example/')).text();
  } finally {
    await edge.dispose();
  }
}

/** Searches while the wanted tool is hidden, calls it, and ends with its result. */
function modelThatSearches(): Model {
  return ({ callable, turns }) => {
    const results = turns.flatMap((turn) => (turn.role === 'results' ? turn.results : []));
    const done = results.find(({ text }) => text.includes('is-done'));
    if (done) return answer([say(done.text)]);
    if (callable.has(WANTED)) return answer([callTool(WANTED, { text: 'please' })]);
    return answer([callTool('gateway_search_tools', { query: 'number 37 of the shop' })]);
  };
}
