import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { MCP_PROCESS, type McpProcessScript } from '@winnow/testkit';
import { expect, onTestFinished, test } from 'vitest';
import { keepServers, stdioEntry, until, untilStatus } from './keep-servers.ts';

const script = (parts: McpProcessScript) => [MCP_PROCESS, JSON.stringify(parts)];

/** Processes that run a scripted server with this mark among its words. */
function marked(mark: string): readonly number[] {
  const listing = spawnSync('ps', ['-eo', 'pid=,stat=,args='], { encoding: 'utf8' }).stdout;
  return listing
    .split('\n')
    .filter(
      (line) =>
        line.includes(mark) &&
        line.includes('mcp-process.ts') &&
        !line.includes('hold-servers.ts') &&
        !/^\s*\d+\s+Z/.test(line),
    )
    .map((line) => Number(line.trim().split(/\s+/)[0]));
}

let marks = 0;
const newMark = () => `mark-${process.pid}-${++marks}`;

test('R56: a process has the environment that is listed and what is safe, and nothing else', async () => {
  process.env.WINNOW_TEST_SECRET = 'never given';
  onTestFinished(() => {
    delete process.env.WINNOW_TEST_SECRET;
  });
  const showsEnvironment = ['LISTED', 'PATH', 'HOME', 'WINNOW_TEST_SECRET', 'NODE_OPTIONS', 'VITEST'];
  const kept = await keepServers([
    stdioEntry('local', script({ showsEnvironment }), {}, { env: { LISTED: 'yes' } }),
  ]);
  await untilStatus(kept, 'local', 'up');
  const shown = await Promise.all(
    showsEnvironment.map(async (name) => (await kept.registry.get(`local:${name}`))!.definition!.description),
  );
  expect(shown).toEqual(['yes', process.env.PATH, process.env.HOME, '(not set)', '(not set)', '(not set)']);
});

test('R56: a process gets proxies and certificate authorities, as a server behind npx needs them, and its own come first', async () => {
  const network = {
    HTTPS_PROXY: 'http://someone:proxy-password@proxy.example:3128',
    NODE_EXTRA_CA_CERTS: '/etc/company.pem',
    no_proxy: 'localhost',
  };
  const showsEnvironment = ['HTTPS_PROXY', 'NODE_EXTRA_CA_CERTS', 'no_proxy'];
  const says = 'cannot reach http://someone:proxy-password@proxy.example:3128';
  const kept = await keepServers([
    stdioEntry('local', script({ showsEnvironment, says }), {}, { network, env: { no_proxy: '*' } }),
  ]);
  await untilStatus(kept, 'local', 'up');
  const shown = await Promise.all(
    showsEnvironment.map(async (name) => (await kept.registry.get(`local:${name}`))!.definition!.description),
  );
  expect(shown).toEqual(['http://someone:proxy-password@proxy.example:3128', '/etc/company.pem', '*']);
  await until(() => kept.observed.output.length >= 1);
  expect(kept.observed.output.join()).toContain('cannot reach http://***@proxy.example:3128');
});

test('R56: output of a process other than its messages is logged, cut and without secrets', async () => {
  const says = `token=environment-secret ${'x'.repeat(10_000)}`;
  const kept = await keepServers([
    stdioEntry('local', script({ says }), {}, { env: { KEY: 'environment-secret' } }),
  ]);
  await untilStatus(kept, 'local', 'up');
  await until(() => kept.observed.output.length >= 2);
  expect(kept.observed.output.join()).not.toContain('environment-secret');
  for (const line of kept.observed.output)
    expect(line.length).toBeLessThanOrEqual(4 * 1024 + 'local: '.length);
});

test('R56: a missing command is reported as such', async () => {
  const kept = await keepServers([
    stdioEntry('local', [], {}, { command: '/nowhere/at-all' }),
    stdioEntry('folder', script({}), {}, { cwd: '/nowhere' }),
  ]);
  for (const name of ['local', 'folder']) {
    await untilStatus(kept, name, 'down');
    expect(kept.servers.state(name)!.lastError).toMatchObject({
      code: 'cannot_start',
      message: 'The command cannot be started (ENOENT).',
    });
  }
});

test('R55: a process that ends at its start says how, and the last that it wrote, without secrets', async () => {
  const program = 'console.error("no key environment-secret"); process.exitCode = 3;';
  const env = { KEY: 'environment-secret' };
  const kept = await keepServers([stdioEntry('local', ['-e', program], {}, { env })]);
  await untilStatus(kept, 'local', 'down');
  expect(kept.servers.state('local')!.lastError).toMatchObject({
    code: 'unreachable',
    message: 'The process ended with exit code 3: no key ***',
  });
});

test('R55: a process that ends is started again, and its tools stay in the meantime', async () => {
  const kept = await keepServers([stdioEntry('local', script({ listsBeforeEnd: 1 }))]);
  await until(() => kept.observed.refreshes.filter(({ code }) => code === undefined).length >= 2);
  expect(await kept.ids()).toEqual(['local:echo']);
});

test.each<[string, McpProcessScript]>([
  ['a server', {}],
  ['a server behind a starter', { isStarter: true }],
])('R56: %s ends with the servers', async (_, parts) => {
  const mark = newMark();
  const kept = await keepServers([stdioEntry('local', script({ ...parts, says: mark }))]);
  await untilStatus(kept, 'local', 'up');
  expect(marked(mark).length).toBeGreaterThanOrEqual(1);
  await kept.servers.close();
  expect(marked(mark)).toEqual([]);
});

test('R56: a server that takes no notice is killed, and what it has started with it', async () => {
  const mark = newMark();
  const kept = await keepServers([
    stdioEntry('local', script({ isStubborn: true, isStarter: true, says: mark })),
  ]);
  await untilStatus(kept, 'local', 'up');
  expect(marked(mark)).toHaveLength(2);
  await kept.servers.close();
  expect(marked(mark)).toEqual([]);
});

test('R56: a server is ended that never got as far as to speak', async () => {
  const mark = newMark();
  const kept = await keepServers([stdioEntry('local', script({ mood: 'hangs', says: mark }))]);
  await until(() => marked(mark).length > 0);
  await kept.servers.close();
  expect(marked(mark)).toEqual([]);
});

test.each(['SIGKILL', 'SIGTERM'] as const)(
  'R56: servers do not outlive a service that gets %s',
  async (signal) => {
    const mark = newMark();
    const holder = startHolder([
      stdioEntry('well', script({ says: mark })),
      stdioEntry('stubborn', script({ isStubborn: true, isStarter: true, says: mark })),
    ]);
    await until(() => holder.output().includes('up 2'));
    expect(marked(mark)).toHaveLength(3);
    const gone = once(holder.child, 'exit');
    holder.child.kill(signal);
    await gone;
    await until(() => marked(mark).length === 0);
  },
);

/** Another process that keeps servers, as the service does. */
function startHolder(entries: readonly unknown[]): { child: ChildProcess; output: () => string } {
  const program = new URL('./hold-servers.ts', import.meta.url).pathname;
  const child = spawn(process.execPath, [program, JSON.stringify(entries)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let text = '';
  child.stdout!.on('data', (chunk) => {
    text += String(chunk);
  });
  return { child, output: () => text };
}
