import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DEFAULT_SETTINGS as ATTACH_DEFAULTS, readSettings as readAttachSettings } from '@winnow/attach';
import { readConfig } from '@winnow/proxy';
import {
  DEFAULT_SETTINGS as REGISTRY_DEFAULTS,
  readSettings as readRegistrySettings,
} from '@winnow/registry-app';
import { readSettings } from '@winnow/selector';
import { describe, expect, test } from 'vitest';
import { type ComposeService, filledEnvironment, ROOT, readComposeFile, readText } from './compose-file.ts';
import { environmentOf, readStages } from './dockerfile.ts';

const filled = filledEnvironment();
const compose = readComposeFile(filled);
const services = Object.entries(compose.services);

describe('without a file .env', () => {
  const { services: tried } = readComposeFile({});

  test('there is a secret for everybody, the same on both sides, and known to be none', () => {
    const environments = Object.values(tried).map(({ environment = {} }) => environment);
    for (const name of Object.keys(filled).filter((name) => name !== 'PROXY_ROLLOUT_MODE')) {
      const values = new Set(environments.flatMap((environment) => environment[name] ?? []));
      expect([...values]).toEqual([expect.stringMatching(/^development[a-z]+$/)]);
    }
    expect(tried.selector!.environment!.SELECTOR_SERVER_TOKENS).toBe(
      tried['proxy-1']!.environment!.TOOL_DISCOVERY_API_KEY,
    );
  });

  test('nothing is reached from elsewhere', () => {
    const ports = Object.values(tried).flatMap(({ ports = [] }) => ports);
    expect(ports.filter((port) => !port.startsWith('127.0.0.1:'))).toEqual([]);
  });

  test.each(['proxy-1', 'proxy-2'])('%s starts, and defers', (name) => {
    const { environment } = tried[name]!;
    const outcome = readConfig({ file: join(ROOT, 'deploy/winnow.yaml'), environment: environment! });
    expect(outcome).toMatchObject({ ok: true, config: { settings: { 'rollout.mode': 'full' } } });
  });
});

test('a file .env that is not filled in starts no proxy with a secret that everybody knows', () => {
  const empty = Object.fromEntries(Object.keys(filled).map((name) => [name, '']));
  const unfilled = readComposeFile(empty);
  expect(JSON.stringify(unfilled)).not.toMatch(/development[a-z]/);
  const environment = unfilled.services['proxy-1']!.environment!;
  expect(readConfig({ file: join(ROOT, 'deploy/winnow.yaml'), environment })).toMatchObject({
    ok: false,
    problems: [
      expect.stringMatching(/^sessions.secret must be set/),
      expect.stringMatching(/^redis.url has a user without a password/),
    ],
  });
});

test('a filled in file .env replaces every secret that everybody knows', () => {
  expect(JSON.stringify(compose)).not.toMatch(/development[a-z]/);
});

test('.env.example names every variable that the file takes', () => {
  const taken = [...readText('docker-compose.yml').matchAll(/(?<!\$)\$\{(\w+)/g)].map((match) => match[1]!);
  const named = [...readText('.env.example').matchAll(/^#?(\w+)=/gm)].map((match) => match[1]!);
  expect(new Set(taken)).toEqual(new Set(named));
});

test('every image that is not built here is pinned to an exact version', () => {
  const foreign = services.filter(([, { build }]) => !build).map(([, { image }]) => image);
  expect(foreign.length).toBeGreaterThan(3);
  expect(foreign.filter((image) => !/:v?\d+\.\d+\.\d+(-[a-z]+[\d.]*)?$/.test(image))).toEqual([]);
});

test('every image that is built here is a stage of the Dockerfile', () => {
  const targets = services.flatMap(([, { build }]) => build?.target ?? []);
  const stages = readStages().map(({ name }) => name);
  expect(new Set(targets)).toEqual(new Set(['selector', 'proxy', 'registry', 'attach']));
  expect(targets.filter((target) => !stages.includes(target))).toEqual([]);
});

describe.each(services)('%s', (_, service) => {
  test('has nothing that it can do without', () => {
    expect(service).toMatchObject({
      read_only: true,
      cap_drop: ['ALL'],
      security_opt: ['no-new-privileges:true'],
    });
    expect(service.logging.options).toHaveProperty('max-size');
  });

  test('mounts only files that exist, read-only, and volumes and networks that are declared', () => {
    for (const volume of service.volumes ?? []) {
      const [source, , mode] = volume.split(':');
      if (!source!.startsWith('.')) expect(Object.keys(compose.volumes)).toContain(source);
      else
        expect({ source, exists: existsSync(join(ROOT, source!)), mode }).toMatchObject({
          exists: true,
          mode: 'ro',
        });
    }
    expect(service.networks.filter((network) => !(network in compose.networks))).toEqual([]);
  });

  test('is published on the address of this machine alone', () => {
    expect((service.ports ?? []).filter((port) => !port.startsWith('127.0.0.1:'))).toEqual([]);
  });
});

test('selector and sessions are not published and have no way out', () => {
  for (const name of ['selector', 'valkey']) {
    expect(compose.services[name]).toMatchObject({ networks: ['inside'] });
    expect(compose.services[name]!.ports).toBeUndefined();
  }
  expect(compose.networks.inside).toEqual({ internal: true });
});

test('only proxies and balancer are published elsewhere, when that is asked for', () => {
  const elsewhere = readComposeFile({ ...filled, PUBLISH_ADDRESS: '192.0.2.7' });
  const isElsewhere = ({ ports }: ComposeService) => ports?.some((port) => port.startsWith('192.0.2.7:'));
  const published = Object.entries(elsewhere.services).filter(([, service]) => isElsewhere(service));
  expect(published.map(([name]) => name)).toEqual(['proxy-1', 'proxy-2', 'balancer']);
});

test('no two services are published on one port', () => {
  const ports = services.flatMap(([, service]) => service.ports ?? []).map((port) => port.split(':')[1]);
  expect(new Set(ports).size).toBe(ports.length);
});

test('each proxy writes records to a file of its own, on a volume', () => {
  const files = ['proxy-1', 'proxy-2'].map((name) => {
    const { environment, volumes } = compose.services[name]!;
    expect(volumes).toContain('records:/var/lib/winnow');
    return environment!.PROXY_RECORDS_FILE!;
  });
  expect(new Set(files).size).toBe(2);
  for (const file of files) expect(file).toMatch(/^\/var\/lib\/winnow\/[^/]+$/);
});

describe('settings', () => {
  const environmentOfImage = (target: string) =>
    environmentOf(readStages().find(({ name }) => name === target)!);

  test.each(['proxy-1', 'proxy-2'])('of %s exist and fit together', (name) => {
    const { environment, command } = compose.services[name]!;
    const file = command!.at(-1)!;
    expect(file).toBe('/etc/winnow/winnow.yaml');
    const outcome = readConfig({
      file: join(ROOT, 'deploy/winnow.yaml'),
      environment: { ...environmentOfImage('proxy'), ...environment },
    });
    expect(outcome).toMatchObject({
      ok: true,
      config: {
        settings: {
          'server.host': '0.0.0.0',
          'sessions.secret': filled.SESSIONS_SECRET,
          'redis.url': `redis://winnow:${filled.VALKEY_PASSWORD}@valkey:6379`,
          'rollout.mode': 'off',
          'tools.api.api_key': filled.TOOL_DISCOVERY_API_KEY,
          'records.file': `/var/lib/winnow/${name}.jsonl`,
        },
      },
    });
  });

  test('of the selector exist and fit together', () => {
    const { environment } = compose.services.selector!;
    expect(readSettings({ ...environmentOfImage('selector'), ...environment })).toMatchObject({
      ok: true,
      settings: { host: '0.0.0.0', port: 8788, tokens: [filled.TOOL_DISCOVERY_API_KEY] },
    });
  });

  test('of the registry exist and fit together, with a right for each of its tokens', () => {
    const tokens = {
      REGISTRY_ADMIN_TOKEN: 'admin-token-of-the-test',
      SELECTOR_REGISTRY_TOKEN: 'selector-token-of-the-test',
      REGISTRY_METRICS_TOKEN: 'metrics-token-of-the-test',
    };
    const { environment } = readComposeFile({ ...filled, ...tokens }).services.registry!;
    const read = (given: Record<string, string>) =>
      readRegistrySettings({
        ...environmentOfImage('registry'),
        ...given,
        REGISTRY_TOKENS_FILE: join(ROOT, 'deploy/registry-tokens.yaml'),
      });
    expect(read(environment!)).toMatchObject({
      ok: true,
      settings: {
        host: '0.0.0.0',
        port: 8789,
        sqliteFile: '/var/lib/winnow/registry.sqlite',
        tokens: [
          { name: 'admin', token: tokens.REGISTRY_ADMIN_TOKEN, rights: ['read', 'write'] },
          { name: 'selector', token: tokens.SELECTOR_REGISTRY_TOKEN, rights: ['read'] },
          { name: 'prometheus', token: tokens.REGISTRY_METRICS_TOKEN, rights: ['metrics'] },
        ],
      },
    });
    // Compose cannot require variables that only a profile needs, so the registry does.
    const { environment: unfilled } = readComposeFile(filled).services.registry!;
    const outcome = read(unfilled!);
    expect(outcome.ok).toBe(false);
    expect(outcome.ok ? [] : outcome.problems.join()).toContain('admin.token');
  });

  test('of attach exist and fit together, with Redis and registry where they are named', () => {
    const named = {
      ATTACH_SERVER_TOKENS: 'token-of-the-test',
      ATTACH_LETTA_BASE_URL: 'http://letta:8283',
      ATTACH_REDIS_URL: 'redis://attach:password@valkey:6379',
      ATTACH_REGISTRY_URL: 'http://registry:8789',
      ATTACH_REGISTRY_TOKEN: 'selector-token-of-the-test',
    };
    const read = (variables: Record<string, string>) => {
      const { environment } = readComposeFile({ ...filled, ...variables }).services.attach!;
      return readAttachSettings({ ...environmentOfImage('attach'), ...environment });
    };
    expect(read(named)).toMatchObject({
      ok: true,
      settings: {
        ...{ host: '0.0.0.0', port: 8790, tokens: ['token-of-the-test'], lettaBaseUrl: 'http://letta:8283' },
        ...{ redisUrl: named.ATTACH_REDIS_URL, registry: 'http://registry:8789' },
        registryToken: 'selector-token-of-the-test',
      },
    });
    expect(read({ ATTACH_SERVER_TOKENS: 'token-of-the-test' })).toMatchObject({
      ok: true,
      settings: { redisUrl: '', registry: '' },
    });
    // Anyone who reaches it could change every agent.
    expect(read({}).ok).toBe(false);
  });

  test('let the selector follow the registry', () => {
    const { environment } = readComposeFile({
      ...filled,
      SELECTOR_REGISTRY_URL: 'http://registry:8789',
      SELECTOR_REGISTRY_TOKEN: 'selector-token-of-the-test',
      SELECTOR_REGISTRY_CALLERS: filled.TOOL_DISCOVERY_API_KEY!,
    }).services.selector!;
    expect(readSettings({ ...environmentOfImage('selector'), ...environment })).toMatchObject({
      ok: true,
      settings: { registry: 'http://registry:8789', registryCallers: [filled.TOOL_DISCOVERY_API_KEY] },
    });
  });

  test('let a step of the rollout be taken, and two tokens be valid at a time', () => {
    const changed = readComposeFile({
      ...filled,
      PROXY_ROLLOUT_MODE: 'partial',
      PROXY_ROLLOUT_PERCENT: '5',
      SELECTOR_SERVER_TOKENS: 'old,new',
    });
    const proxy = changed.services['proxy-1']!.environment!;
    const outcome = readConfig({ file: join(ROOT, 'deploy/winnow.yaml'), environment: proxy });
    expect(outcome).toMatchObject({
      ok: true,
      config: { settings: { 'rollout.mode': 'partial', 'rollout.percent': 5 } },
    });
    expect(changed.services.selector!.environment!.SELECTOR_SERVER_TOKENS).toBe('old,new');
  });
});

describe('time to stop', () => {
  const seconds = (text: string) => {
    const [, amount, unit] = /^(\d+)(s|m)$/.exec(text)!;
    return Number(amount) * (unit === 'm' ? 60 : 1);
  };
  const yaml = readText('deploy/winnow.yaml');
  const settingOf = (name: string) => seconds(new RegExp(`${name}: (\\w+)`).exec(yaml)![1]!);

  test.each(['proxy-1', 'proxy-2'])('is long enough for what %s still answers and finishes', (name) => {
    const grace = seconds(compose.services[name]!.stop_grace_period!);
    // The last records, observations and traces have some seconds each.
    expect(grace).toBeGreaterThanOrEqual(settingOf('drain_delay') + settingOf('drain_timeout') + 10);
  });

  test('is long enough for what the selector finishes', () => {
    const outcome = readSettings({});
    const { drainTimeoutMs } = outcome.ok ? outcome.settings : { drainTimeoutMs: Number.NaN };
    expect(seconds(compose.services.selector!.stop_grace_period!) * 1_000).toBeGreaterThan(drainTimeoutMs);
  });

  test('is long enough for what the registry finishes', () => {
    const { drainTimeoutMs } = REGISTRY_DEFAULTS;
    expect(seconds(compose.services.registry!.stop_grace_period!) * 1_000).toBeGreaterThan(drainTimeoutMs);
  });

  test('is long enough for what attach finishes', () => {
    const { drainTimeoutMs } = ATTACH_DEFAULTS;
    expect(seconds(compose.services.attach!.stop_grace_period!) * 1_000).toBeGreaterThan(drainTimeoutMs);
  });

  test('is long enough for what the balancer finishes, and for it to notice that a proxy is about to stop', () => {
    const balancer = readFileSync(join(ROOT, 'deploy/haproxy/haproxy.cfg'), 'utf8');
    const hardStop = seconds(/hard-stop-after (\w+)/.exec(balancer)![1]!);
    expect(seconds(compose.services.balancer!.stop_grace_period!)).toBeGreaterThan(hardStop);
    expect(compose.services.balancer!.stop_signal).toBe('SIGUSR1');
    const [, interval, failures] = /inter (\d+)s fall (\d+)/.exec(balancer)!;
    expect(settingOf('drain_delay')).toBeGreaterThan(Number(interval) * Number(failures));
  });
});

test('the balancer knows every proxy by its name and port', () => {
  const balancer = readText('deploy/haproxy/haproxy.cfg');
  const proxies = services.filter(([, { build }]) => build?.target === 'proxy').map(([name]) => name);
  const listed = [...balancer.matchAll(/^ {2}server \S+ (\S+):8787$/gm)].map((match) => match[1]);
  expect(listed).toEqual(proxies);
});

test('Valkey evicts before its container runs out of memory', () => {
  const limit = /^maxmemory (\d+)mb$/m.exec(readText('deploy/valkey/valkey.conf'))![1]!;
  const container = /^(\d+)m$/.exec(compose.services.valkey!.mem_limit)![1]!;
  expect(Number(limit)).toBeLessThan(Number(container));
});
