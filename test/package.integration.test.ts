import { execFile } from 'node:child_process';
import {
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { playModel, startUpstream } from '@winnow/testkit';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { findFreePort, startProcess } from './deploy/start-process.ts';

/**
 * The npm package, built, packed and installed into an empty folder as a user would, and all of its promises,
 * on each supported Node.
 */

/** The newest version of each major other than the one that runs the tests. */
const OTHER_NODES = ['26.10.0'];

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, '..');

const work = realpathSync(mkdtempSync(join(tmpdir(), 'winnow package ')));
const folder = join(work, 'a project');

const NODES = [
  [process.versions.node, process.execPath],
  ...OTHER_NODES.map((version) => [version, join(work, version, 'node_modules/node/bin/node')] as const),
] as const;

beforeAll(async () => {
  await run(process.execPath, ['distribution/src/pack.ts', join(work, 'built')], { cwd: ROOT });
  const { stdout } = await run('npm', ['pack', '--json', join(work, 'built')], { cwd: work });
  const [tarball] = JSON.parse(stdout) as [{ filename: string }];
  mkdirSync(folder);
  writeFileSync(join(folder, 'package.json'), '{ "type": "module", "private": true }');
  await run('npm', ['install', '--prefer-offline', '--no-audit', '--no-fund', join(work, tarball.filename)], {
    cwd: folder,
  });
  for (const version of OTHER_NODES) {
    const options = ['--prefix', join(work, version), '--prefer-offline', '--no-audit', '--no-fund'];
    await run('npm', ['install', ...options, `node@${version}`], { cwd: work });
  }
}, 240_000);

afterAll(() => rmSync(work, { recursive: true, force: true }));

const COMMAND = 'node_modules/.bin/winnow-tools';

/** The examples of the package's README, by the file name in their first line. */
function readExamples(): ReadonlyMap<string, string> {
  const readme = readFileSync(join(folder, 'node_modules/winnow-tools/README.md'), 'utf8');
  return new Map(
    [...readme.matchAll(/```js\n\/\/ (\S+)\n(.*?)```/gs)].map(([, name, code]) => [name!, code!] as const),
  );
}

describe.each(NODES)('the installed package, on Node %s', (version, node) => {
  const environment = { PATH: [dirname(node), process.env.PATH].join(delimiter) };

  /** Runs the command to its end. */
  const winnow = (...args: string[]) =>
    run(join(folder, COMMAND), args, { cwd: folder, env: { ...process.env, ...environment } }).then(
      ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
      ({ code, stdout, stderr }) => ({
        code: code as number,
        stdout: stdout as string,
        stderr: stderr as string,
      }),
    );

  const start = (args: readonly string[], more: Record<string, string>) =>
    startProcess({
      command: [join(folder, COMMAND), 'start', ...args],
      environment: { ...environment, ...more },
      folder,
    });

  const runExample = async (name: string, more: Record<string, string> = {}) => {
    writeFileSync(join(folder, name), readExamples().get(name)!);
    const { stdout } = await run(node, [name], { cwd: folder, env: { ...environment, ...more } });
    return stdout;
  };

  test('runs on that Node', async () => {
    expect((await run(node, ['--version'])).stdout).toBe(`v${version}\n`);
  });

  test('takes at most 50 MB with all that it needs, and nothing of Postgres', () => {
    const bytes = globSync('node_modules/**', { cwd: folder })
      .map((path) => statSync(join(folder, path)))
      .filter((stats) => stats.isFile())
      .reduce((sum, { size }) => sum + size, 0);
    expect(bytes).toBeLessThan(50e6);
    expect(existsSync(join(folder, 'node_modules/pg'))).toBe(false);
  });

  test('says its version, how it is used, and what it does not know', async () => {
    const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string };
    expect(await winnow('--version')).toMatchObject({ code: 0, stdout: `${version}\n` });
    expect((await winnow('--help')).stdout).toContain('start [SERVICE…]');
    const unknown = await winnow('strat');
    expect(unknown.code).toBe(2);
    expect(unknown.stderr).toContain('there is no command "strat"');
    expect((await winnow('start', 'proxy', '--help')).stdout).toContain(
      'Usage: winnow-tools start proxy [options]',
    );
    expect((await winnow('search', '--help')).stdout).toContain('Usage: winnow-tools search CATALOGUE');
    // Its commands are copied by people who have not installed the package.
    expect((await winnow('conformance', '--help')).stdout).toContain(
      'Usage: npx winnow-tools conformance ADDRESS',
    );
  });

  test('tells an old Node what it needs', async () => {
    const old = "Object.defineProperty(process.versions, 'node', { value: '20.19.0' });";
    const script = join(folder, 'node_modules/winnow-tools/winnow-tools.cjs');
    const withOldNode = (...words: string[]) =>
      run(node, ['-e', `${old} require(${JSON.stringify(script)})`, script, ...words]).catch(
        (error) => error,
      );
    const needs = 'winnow-tools needs Node 24 or newer; this is 20.19.0.';
    const remedy = `${needs} npx brings one along: npx -p node@24 -p winnow-tools winnow-tools …\n`;
    expect(await withOldNode('start')).toMatchObject({ code: 1, stderr: remedy });
    const command = ['sh', '-c', 'echo ran; exit 4'];
    expect(await withOldNode('run', '--', ...command)).toMatchObject({
      code: 125,
      stdout: '',
      stderr: remedy,
    });
    const direct = await withOldNode('run', '--config', 'any.yaml', '--or-direct', '--', ...command);
    expect(direct).toMatchObject({
      code: 4,
      stdout: 'ran\n',
      stderr: `${needs} The command runs without Winnow.\n`,
    });
    expect(await withOldNode('run', '--or-direct', 'no-such-command')).toMatchObject({ code: 127 });
    const bySignal = await withOldNode('run', '--or-direct', 'sh', '-c', 'kill -TERM $$');
    expect(bySignal).toMatchObject({ code: null, signal: 'SIGTERM' });
  });

  test('runs a command behind a proxy of its own', async () => {
    const { code, stdout, stderr } = await winnow('run', '--', 'sh', '-c', 'echo $OPENAI_BASE_URL; exit 4');
    expect(stdout).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/[0-9a-f]{32}\/v1\n$/);
    expect({ code, stderr }).toEqual({
      code: 4,
      stderr: 'winnow: no request to a model came through Winnow\n',
    });
    expect((await winnow('run', '--help')).stdout).toContain('Usage: winnow-tools run [options]');
    expect(existsSync(join(folder, 'node_modules/.bin/winnow'))).toBe(true);
  });

  test('starts selector and proxy, searches 2,000 tools on a thread, and shows its page', async () => {
    const [selectorPort, proxyPort] = [await findFreePort(), await findFreePort()];
    writeFileSync(join(folder, 'winnow.yaml'), 'pipes:\n  tool_discovery:\n    strategy: relevance\n');
    const services = start([], {
      SELECTOR_SERVER_PORT: String(selectorPort),
      PROXY_SERVER_PORT: String(proxyPort),
    });
    await services.says(/winnow selector listens on/);
    await services.says(/winnow proxy listens on .*strategy relevance/);
    const tools = Array.from({ length: 2_000 }, (_, n) => ({
      name: `tool_${n}`,
      description: `Handles thing${n}`,
    }));
    const response = await fetch(`http://127.0.0.1:${selectorPort}/v1/tool-discovery/search`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ pattern: 'thing1234', top_k: 1, tools }),
    });
    expect(await response.json()).toMatchObject({ selected_names: ['tool_1234'] });
    const page = await fetch(`http://127.0.0.1:${selectorPort}/docs`);
    expect(page.status).toBe(200);
    expect(await page.text()).toContain('</html>');
    expect((await fetch(`http://127.0.0.1:${proxyPort}/_winnow/healthz`)).status).toBe(200);
    const browser = { headers: { accept: 'text/html' } };
    const live = await (await fetch(`http://127.0.0.1:${proxyPort}/_winnow/`, browser)).text();
    expect(live).toContain('<style>:root {');
    expect(live).toContain('async function connect()');
    expect(await runExample('selector.mjs', { SELECTOR_URL: `http://127.0.0.1:${selectorPort}` })).toBe(
      "[ 'create_pull_request' ]\n",
    );
    await services.stop();
  });

  test('starts a proxy that watches in shadow, on a thread', async () => {
    const port = await findFreePort();
    const proxy = start(['proxy'], {
      PROXY_SERVER_PORT: String(port),
      PROXY_ROLLOUT_MODE: 'shadow',
    });
    await proxy.says(/winnow proxy listens on/);
    expect((await fetch(`http://127.0.0.1:${port}/_winnow/readyz`)).status).toBe(200);
    await proxy.stop();
  });

  test('starts a registry that keeps tools in a file', async () => {
    const port = await findFreePort();
    const registry = start(['registry'], { REGISTRY_SERVER_PORT: String(port) });
    await registry.says(/winnow registry listens on/);
    expect((await fetch(`http://127.0.0.1:${port}/readyz`)).status).toBe(200);
    await registry.stop();
  });

  test('ranks a file of tools, and reports on records', async () => {
    writeFileSync(join(folder, 'tools.jsonl'), '{"name":"create_pull_request"}\n{"name":"get_weather"}\n');
    expect((await winnow('search', 'tools.jsonl', 'open a pull request')).stdout).toContain(
      'create_pull_request',
    );
    writeFileSync(join(folder, 'empty.jsonl'), '');
    const report = await winnow('report', 'empty.jsonl');
    expect(`${report.stdout}${report.stderr}`).toMatch(/record/i);
  });

  test('has examples that run', async () => {
    expect([...readExamples().keys()]).toEqual(['fetch.mjs', 'ranking.mjs', 'selector.mjs', 'registry.mjs']);
    expect(await runExample('ranking.mjs')).toMatch(/^\[ 'create_pull_request' \] [\d.]+\n$/);
    expect(await runExample('registry.mjs')).toBe("[ 'create_issue' ]\n");
  });

  test('shows a model only the tools it needs, in one file without a server', async () => {
    const upstream = await startUpstream({ model: playModel({ turns: [{}] }) });
    onTestFinished(() => upstream.close());
    const base = { OPENAI_BASE_URL: `${upstream.url}/v1`, OPENAI_API_KEY: 'key' };
    const stdout = await runExample('fetch.mjs', base);
    expect(stdout).toMatch(/^200 \{ total: 0,/);
    expect(stdout).toContain("object: 'chat.completion'");
    const file = join(folder, 'node_modules/winnow-tools/dist/library-fetch.js');
    expect(statSync(file).size).toBeLessThan(3e6);
    expect(readFileSync(file, 'utf8')).not.toMatch(/from\s*["'](?!node:)/);
    expect(existsSync(file.replace('.js', '.LICENSE'))).toBe(true);
  });

  test('says that winnow-tools/fetch needs a newer Node, where it runs on an older one', async () => {
    const older = join(folder, 'older.mjs');
    writeFileSync(
      older,
      "Object.defineProperty(globalThis, 'navigator', { value: { userAgent: 'Node.js/20' } });",
    );
    const library = join(folder, 'node_modules/winnow-tools/dist/library-fetch.js');
    await expect(run(process.execPath, ['--import', older, library])).rejects.toThrow(
      'winnow-tools/fetch needs Node 24 or newer; this is Node.js/20.',
    );
  });

  test('puts one MCP server instead of many: prints the entry, and names what it needs', async () => {
    const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string };
    writeFileSync(join(folder, '.mcp.json'), '{"mcpServers":{"files":{"command":"files-mcp"}}}');
    const { stdout } = await winnow('mcp', '--import', '.mcp.json', '--to', '/home/me/mcp.json');
    expect(stdout).toContain("winnow-tools mcp --import '");
    const entry = JSON.parse(stdout.slice(stdout.indexOf('{'), stdout.lastIndexOf('}') + 1));
    expect(entry.mcpServers.winnow.command).toBe('npx');
    expect(entry.mcpServers.winnow.args.join(' ')).toBe(
      `-y -p winnow-tools@${version} -p @modelcontextprotocol/server@2.4.0 -p @modelcontextprotocol/client@2.4.0 winnow-tools mcp --config /home/me/mcp.json`,
    );
    expect(await winnow('mcp', '--config', '.mcp.json')).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining('npm install @modelcontextprotocol/server@2.4.0'),
    });
  });

  test('names the package that Postgres needs', async () => {
    const code =
      "import { openRegistry } from 'winnow-tools/registry'; await openRegistry({ postgres: 'postgres://x' }).catch((error) => console.log(error.message));";
    const { stdout } = await run(node, ['--input-type=module', '-e', code], { cwd: folder });
    expect(stdout).toBe('Postgres needs a package that is not installed: npm install pg@8\n');
  });

  test('has types', async () => {
    writeFileSync(
      join(folder, 'uses.ts'),
      [
        "import { winnow } from 'winnow-tools/fetch';",
        "import { ToolIndex } from 'winnow-tools/ranking';",
        "import { openRegistry } from 'winnow-tools/registry';",
        "import { createSelectorClient } from 'winnow-tools/selector-client';",
        "export const names: Promise<readonly string[]> = new ToolIndex([]).search('x').then(({ names }) => names);",
        "export const registry = openRegistry({ file: 'x' });",
        "export const own: typeof fetch = winnow(fetch, { load: 'swap', onRecord: ({ outcome }) => outcome });",
        '// @ts-expect-error there is no such option',
        'winnow(fetch, { keep: [] });',
        '// @ts-expect-error a number is no address',
        'createSelectorClient({ url: 1 });',
      ].join('\n'),
    );
    const compiler = join(ROOT, 'node_modules/typescript/bin/tsc');
    const nodeTypes = ['--types', 'node', '--typeRoots', join(ROOT, 'node_modules/@types')];
    const options = ['--module', 'nodenext', '--target', 'es2024', '--strict', '--noEmit', ...nodeTypes];
    const { stdout } = await run(process.execPath, [compiler, ...options, 'uses.ts'], { cwd: folder }).catch(
      (error) => error,
    );
    expect(stdout).toBe('');
  });
});
