/**
 * @module-tag redis
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ExchangeRecord } from '@winnow/core';
import { answer, callTool, DEFER_ANYTHING, startLetta, startUpstream, type Upstream } from '@winnow/testkit';
import { expect, onTestFinished, test } from 'vitest';
import { FEW_TOOLS, send } from '../end-to-end/raw-client.ts';
import { type ComposeService, filledEnvironment, ROOT, readComposeFile } from './compose-file.ts';
import { commandOf, environmentOf, readStages } from './dockerfile.ts';
import { findFreePort, type RunningProcess, runToEnd, startProcess } from './start-process.ts';

/**
 * The containers of docker-compose.yml as plain processes: their own commands, environments, mounted files
 * and health checks. Only the container network is replaced: host names, and ports, which are free local
 * ones.
 */

const filled = filledEnvironment();
const { services } = readComposeFile(filled);
const stageOf = (name: string) => readStages().find((stage) => stage.name === name)!;

/** Node may read everything and write only to the volume, like a read-only container. */
const readOnlyNode = (volume: string) => [
  process.execPath,
  '--permission',
  '--allow-fs-read=*',
  `--allow-fs-write=${volume}`,
  '--allow-worker',
];

/** A command with the container's paths and programs replaced by those of this machine. */
function onThisMachine(
  command: readonly string[],
  { volumes = [] }: ComposeService,
  volume: string,
): string[] {
  const mounted = volumes.map((line) => line.split(':') as [string, string]);
  // Words of a script end at a space, and the project's path may contain one.
  const quote = command[0] === 'sh' ? "'" : '';
  const place = (text: string) =>
    mounted.reduce((all, [source, target]) => {
      const here = source.startsWith('.') ? join(ROOT, source) : volume;
      return all.replaceAll(target, `${quote}${here}${quote}`);
    }, text);
  const [program, ...rest] = command.map(place);
  return program === 'node' ? [...readOnlyNode(volume), ...rest] : [program!, ...rest];
}

/** Starts Valkey, or the local Redis, by the container's command on a free port. */
async function startSessions(folder: string) {
  const service = services.valkey!;
  const port = await findFreePort();
  const kind = spawnSync('valkey-server', ['--version']).status === 0 ? 'valkey' : 'redis';
  const local = (text: string) => text.replaceAll(/valkey-(server|cli)/g, `${kind}-$1`);
  const [shell, flag, script] = onThisMachine(service.command!, service, folder);
  const environment = service.environment!;
  const sessions = startProcess({
    command: [shell!, flag!, `${local(script!)} --port ${port} --bind 127.0.0.1`],
    environment,
    folder,
  });
  await sessions.says(/Ready to accept connections/);
  const [, check] = service.healthcheck!.test;
  const isHealthy = () =>
    runToEnd({
      command: ['sh', '-c', local(check!).replace(`${kind}-cli`, `${kind}-cli -p ${port}`)],
      environment,
      folder,
    }) === 0;
  return { ...sessions, port, isHealthy };
}

/** Starts one of the two services that are built here, by the command of its container. */
async function startService(name: string, folder: string, replaced: Readonly<Record<string, string>>) {
  const service = services[name]!;
  const stage = stageOf(service.build!.target);
  const placed = Object.entries({ ...environmentOf(stage), ...service.environment }).map(([key, value]) => [
    key,
    value.replace('/var/lib/winnow', folder),
  ]);
  const environment = { ...Object.fromEntries(placed), ...replaced };
  const running = startProcess({
    command: onThisMachine(service.command!, service, folder),
    environment,
    folder: ROOT,
  });
  const [, port] = await running.says(/listens on http:\/\/\S+?:(\d+)/);
  const command = commandOf(stage, 'HEALTHCHECK').map((part) =>
    part.replace('exec node ', `exec '${process.execPath}' `),
  );
  // The health check finds the free port in the service's variable, as it finds the image's own.
  const asked = {
    ...environment,
    SELECTOR_SERVER_PORT: port!,
    ATTACH_SERVER_PORT: port!,
    PROXY_SERVER_PORT: port!,
  };
  const isHealthy = () => runToEnd({ command, environment: asked, folder: ROOT }) === 0;
  return { ...running, url: `http://127.0.0.1:${port}`, isHealthy };
}

/** All containers but the balancer and the monitoring. */
async function startAll(upstream: Upstream) {
  const folder = mkdtempSync(join(tmpdir(), 'winnow-deploy-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const sessions = await startSessions(folder);
  const selector = await startService('selector', folder, {
    SELECTOR_SERVER_HOST: '127.0.0.1',
    SELECTOR_SERVER_PORT: '0',
  });
  const replaced = {
    ...DEFER_ANYTHING,
    PROXY_SERVER_HOST: '127.0.0.1',
    PROXY_SERVER_PORT: '0',
    // There is no balancer here that needs time to notice.
    PROXY_SERVER_DRAIN_DELAY: '0s',
    PROXY_ROLLOUT_MODE: 'full',
    PROXY_REDIS_URL: `redis://winnow:${filled.VALKEY_PASSWORD}@127.0.0.1:${sessions.port}`,
    PROXY_TOOLS_API_ENDPOINT: `${selector.url}/v1/tool-discovery/search`,
    PROXY_UPSTREAMS_OPENAI_BASE_URL: upstream.url,
  };
  const proxies = [
    await startService('proxy-1', folder, replaced),
    await startService('proxy-2', folder, replaced),
  ] as const;
  return { folder, sessions, selector, proxies };
}

test('every command starts, every health check passes, a search finds, and everything drains without a stray write', {
  // A dozen processes, started one after another.
  timeout: 60_000,
}, async () => {
  const wanted = FEW_TOOLS[9]!.name;
  const upstream = await startUpstream({
    script: [
      answer([callTool('gateway_search_tools', { query: wanted })]),
      answer([callTool(wanted)]),
      answer([callTool(wanted)]),
    ],
  });
  onTestFinished(() => upstream.close());
  const { folder, sessions, selector, proxies } = await startAll(upstream);
  const everybody: (RunningProcess & { isHealthy: () => boolean })[] = [...proxies, selector, sessions];
  expect(everybody.map((one) => one.isHealthy())).toEqual([true, true, true, true]);

  const [one, other] = proxies;
  const answered = await (await send({ format: 'openai', url: one.url })).json();
  const { message } = (answered as { choices: [{ message: { tool_calls: [{ id: string }] } }] }).choices[0];
  expect(JSON.stringify(message)).toContain(wanted);
  const result = { role: 'tool', tool_call_id: message.tool_calls[0].id, content: 'done' };
  const more = { messages: [{ role: 'user', content: 'Do it.' }, message, result] };
  expect(await (await send({ format: 'openai', url: other.url, more })).text()).toContain(wanted);

  const exitCodes = [];
  for (const service of everybody) exitCodes.push(await service.stop());
  expect(exitCodes).toEqual([0, 0, 0, 0]);
  expect(everybody.map((one) => one.isHealthy())).toEqual([false, false, false, false]);

  expect(readdirSync(folder).toSorted()).toEqual(['proxy-1.jsonl', 'proxy-2.jsonl']);
  const [first, second] = ['proxy-1', 'proxy-2'].map((name) => {
    const lines = readFileSync(join(folder, `${name}.jsonl`), 'utf8')
      .trimEnd()
      .split('\n');
    const records = lines.map((line) => JSON.parse(line)).filter(({ event }) => event === 'exchange');
    return records.map((record) => ExchangeRecord.parse(record));
  });
  // Found with the selector's token, stored with the password, and known to the other proxy.
  expect(first).toMatchObject([{ searches: [{ outcome: 'found' }], sessionErrors: 0, tools: { loaded: 3 } }]);
  expect(second).toMatchObject([{ searches: [], sessionErrors: 0, tools: { loaded: 3 } }]);
  expect(everybody.map((one) => one.output()).join('')).not.toMatch(/ERR_ACCESS_DENIED|EACCES|EROFS/);
});

test('attach changes an agent by the command of its container, with its locks in Valkey and rights to nothing else', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'winnow-deploy-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const sessions = await startSessions(folder);
  const letta = await startLetta();
  onTestFinished(() => letta.close());
  const tool = letta.state.upsertTool('draw_chart', { tags: ['mcp:charts'], description: 'Draws a chart' });
  const agent = letta.state.addAgent([], []);
  const password = filled.VALKEY_PASSWORD!;
  const attach = await startService('attach', folder, {
    ATTACH_SERVER_HOST: '127.0.0.1',
    ATTACH_SERVER_PORT: '0',
    ATTACH_SERVER_TOKENS: 'token-of-the-test',
    ATTACH_LETTA_BASE_URL: letta.url,
    ATTACH_REDIS_URL: `redis://attach:${password}@127.0.0.1:${sessions.port}`,
  });
  expect(attach.isHealthy()).toBe(true);
  const ask = async (key: string, body: object = {}) => {
    const response = await fetch(`${attach.url}/api/v1/tools/attach`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        authorization: 'Bearer token-of-the-test',
        'idempotency-key': key,
      },
      body: JSON.stringify({ agent_id: agent.id, query: 'draw a chart', ...body }),
    });
    return { status: response.status, replay: response.headers.get('idempotent-replay') };
  };
  // The connection to Valkey is ready shortly after the start.
  await expect.poll(async () => (await ask('once')).status).toBe(200);
  expect([...letta.state.agents.get(agent.id)!.attached]).toEqual([tool.id]);
  expect(await ask('once')).toEqual({ status: 200, replay: 'true' });
  // The previous process has released its lock.
  expect(await ask('another', { query: 'chart' })).toEqual({ status: 200, replay: null });
  expect(await attach.stop()).toBe(0);
  expect(await sessions.stop()).toBe(0);
  expect(attach.output()).not.toMatch(/ERR_ACCESS_DENIED|EACCES|EROFS|response_not_stored/);
});
