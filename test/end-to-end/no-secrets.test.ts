import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { DEFER_ANYTHING, startCollector, startUpstream } from '@winnow/testkit';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type RunningProcess, startProcess } from '../deploy/start-process.ts';
import { answersWith, startFakeSelector } from './fake-selector.ts';
import type { WireFormat } from './raw-client.ts';
import { markedBody, markedHeaders, markedPath } from './secrets/marked-request.ts';
import { leaksIn, placesIn, secret, TOOL_NAME_MARK } from './secrets/marked-secrets.ts';
import { CASE_HEADER, CASES, talkativeModel } from './secrets/talkative-model.ts';

const FORMATS: readonly WireFormat[] = ['openai', 'anthropic'];
const ARMS = ['full', 'dark', 'shadow', 'off'];

const program = (service: 'proxy' | 'selector') => [
  process.execPath,
  fileURLToPath(new URL(`../../apps/${service}/src/main.ts`, import.meta.url)),
];

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'winnow-secrets-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

const start = (
  service: 'proxy' | 'selector',
  folder: string,
  environment: Readonly<Record<string, string>>,
  ...args: readonly string[]
) => startProcess({ command: [...program(service), ...args], environment, folder });

/** Waits until a service listens, and returns its address. */
async function urlOf(service: RunningProcess): Promise<string> {
  return (await service.says(/listens on (http:\/\/127\.0\.0\.1:\d+)/))[1]!;
}

/** All proxy settings that contain secrets. */
const SECRET_SETTINGS = {
  PROXY_SESSIONS_SECRET: secret('sessions.secret'),
  // Port 9 is `discard`: no server listens there, so the log reports that the store is gone.
  PROXY_REDIS_URL: `redis://${secret('redis user')}:${secret('redis password')}@127.0.0.1:9/0`,
  PROXY_UPSTREAMS_ANTHROPIC_API_KEY: secret('upstream api_key'),
  PROXY_PIPES_TOOL_DISCOVERY_API_API_KEY: secret('api.api_key'),
};

/** Sends one request, whatever its outcome. */
async function send(url: string, init: RequestInit & { path?: string } = {}): Promise<void> {
  const { path = '', ...request } = init;
  try {
    const response = await fetch(url + path, request);
    await response.text();
  } catch {
    // A response that breaks off is one of the cases.
  }
}

/** All good and bad exchanges with the upstream, in every arm. */
async function talkToProxy(url: string, arms: readonly string[]): Promise<void> {
  for (const format of FORMATS) {
    for (const arm of arms) {
      for (const kind of CASES) {
        for (const isStream of [false, true]) {
          const mode = arm === 'partial' ? {} : { 'x-winnow-mode': arm };
          const headers = { ...markedHeaders(format), ...mode, [CASE_HEADER]: kind };
          const body = markedBody(format, isStream);
          await send(url, { path: markedPath(format), method: 'POST', headers, body });
        }
      }
    }
    await sendNonsense(url, format);
  }
}

/** Requests that are invalid themselves. */
async function sendNonsense(url: string, format: WireFormat): Promise<void> {
  const text = markedBody(format, false);
  const bodies: readonly (string | Uint8Array<ArrayBuffer>)[] = [
    text.slice(0, -20),
    `${text.slice(0, -1)}, ${secret('broken body')}\n    at ${secret('broken body')}`,
    `[${text}]`,
    new Uint8Array([...Buffer.from(text.slice(0, 400)), 0xff, 0xfe]),
    JSON.stringify({ model: 7, messages: secret('wrong messages'), tools: secret('wrong tools') }),
    text.replace('"content":', `"content":"${'x'.repeat(300_000)}","content":`),
  ];
  const base = { ...markedHeaders(format), [CASE_HEADER]: 'good' };
  const headers = [
    ...bodies.map(() => base),
    { ...base, 'content-encoding': secret('content-encoding') },
    { ...base, 'content-encoding': 'gzip' },
    { ...base, 'x-winnow-mode': secret('x-winnow-mode') },
    { ...base, traceparent: secret('traceparent') },
  ];
  for (const [number, header] of headers.entries()) {
    const body = bodies[number] ?? text;
    await send(url, { path: markedPath(format), method: 'POST', headers: header, body });
  }
  for (const path of [
    `/v1/models/${secret('path segment')}`,
    `/${secret('unknown upstream')}/v1/messages`,
    `/_winnow/${secret('own route')}`,
    `/v1/files/%${secret('escape')}?key=${secret('query string')}`,
    `/v1beta/models/m:generateContent?key=${secret('key in the query')}`,
  ]) {
    await send(url, { path, headers: base });
  }
}

/** Good and bad searches, with and without the token. */
async function talkToSelector(url: string, token: string): Promise<void> {
  const tools = [
    {
      name: `${TOOL_NAME_MARK}_tool`,
      description: secret('searched description'),
      definition: { input_schema: { properties: { [secret('searched parameter')]: {} } } },
    },
  ];
  const many = Array.from({ length: 3_000 }, (_, number) => ({
    name: `${TOOL_NAME_MARK}_${number}`,
    description: `Number ${number}: ${secret('large catalogue')}`,
  }));
  const good = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const pattern = secret('pattern');
  const bodies = [
    JSON.stringify({ pattern, tools, always_keep: [secret('always_keep')] }),
    JSON.stringify({ pattern, tools: many }),
    JSON.stringify({ pattern: `/(${pattern}/`, search_type: 'regex', tools }),
    JSON.stringify({ pattern: `${pattern}*`, catalog_id: secret('catalog_id') }),
    JSON.stringify({ pattern: 7, tools: secret('wrong tools'), [secret('unknown key')]: 1 }),
    JSON.stringify({ pattern, tools: [{ name: 7, [secret('wrong tool')]: {} }], top_k: secret('top_k') }),
    JSON.stringify({ pattern, tools }).slice(0, -5),
    `{"pattern": ${secret('broken search')}\n    at ${secret('broken search')}`,
    `{"tools": [${JSON.stringify(many).slice(1, -2)}, ${secret('broken catalogue')}`,
  ];
  const path = '/v1/tool-discovery/search';
  for (const body of bodies) await send(url, { path, method: 'POST', headers: good, body });
  for (const headers of [
    { ...good, authorization: `Bearer ${secret('wrong token')}` },
    { ...good, 'content-type': secret('content-type') },
    { ...good, 'content-encoding': secret('search encoding') },
    { ...good, 'x-request-id': `${secret('search request id')} and more` },
    { ...good, baggage: `user=${secret('search baggage')}`, cookie: secret('search cookie') },
  ]) {
    await send(url, { path, method: 'POST', headers, body: bodies[0]! });
  }
  await send(url, {
    path: `/${secret('unknown route')}?key=${secret('search query string')}`,
    headers: good,
  });
}

const metricsOf = async (url: string, path: string, token = '') =>
  (await fetch(url + path, { headers: { authorization: `Bearer ${token}` } })).text();

/** The content of all files in a folder. */
const filesIn = (folder: string) =>
  readdirSync(folder)
    .map((name) => `${name}\n${readFileSync(join(folder, name), 'utf8')}`)
    .join('\n');

describe('no secret and no content', () => {
  test('is in anything that the services write, whatever they are sent', { timeout: 120_000 }, async () => {
    const upstream = await startUpstream({ model: talkativeModel, isLenient: true });
    const collector = await startCollector();
    onTestFinished(async () => {
      await upstream.close();
      await collector.close();
    });
    const [folder, brokenFolder] = [temporaryFolder(), temporaryFolder()];
    const tracing = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url };
    const token = secret('selector token');
    const selector = start('selector', folder, {
      SELECTOR_SERVER_PORT: '0',
      SELECTOR_SERVER_TOKENS: token,
      ...tracing,
    });
    const selectorUrl = await urlOf(selector);
    const settings = {
      // The marked requests come from a page.
      PROXY_SERVER_ALLOWED_ORIGINS: `https://${secret('origin')}.example.com`,
      ...SECRET_SETTINGS,
      ...tracing,
      ...DEFER_ANYTHING,
      PROXY_SERVER_PORT: '0',
      PROXY_SERVER_MAX_BODY: '200KiB',
      PROXY_ROLLOUT_ALLOW_OVERRIDE: 'true',
      PROXY_RECORDS_FILE: 'records.jsonl',
      PROXY_UPSTREAMS_OPENAI_BASE_URL: upstream.url,
      PROXY_UPSTREAMS_ANTHROPIC_BASE_URL: upstream.url,
      PROXY_UPSTREAMS_GEMINI_BASE_URL: upstream.url,
    };
    const proxy = start('proxy', folder, {
      ...settings,
      PROXY_PIPES_TOOL_DISCOVERY_API_ENDPOINT: `${selectorUrl}/v1/tool-discovery/search`,
      PROXY_PIPES_TOOL_DISCOVERY_API_API_KEY: token,
    });
    const brokenSelector = await startFakeSelector(
      answersWith(500, `{"error": {"message": "${secret('selector error')}" ${secret('broken selector')}`),
    );
    const brokenProxy = start('proxy', brokenFolder, {
      ...settings,
      PROXY_PIPES_TOOL_DISCOVERY_API_ENDPOINT: brokenSelector,
      PROXY_ROLLOUT_MODE: 'partial',
      PROXY_ROLLOUT_PERCENT: '50',
    });
    const [proxyUrl, brokenProxyUrl] = [await urlOf(proxy), await urlOf(brokenProxy)];
    await talkToProxy(proxyUrl, ARMS);
    await talkToProxy(brokenProxyUrl, ['full', 'shadow', 'partial']);
    await talkToSelector(selectorUrl, token);
    const metrics = [
      await metricsOf(proxyUrl, '/_winnow/metrics'),
      await metricsOf(brokenProxyUrl, '/_winnow/metrics'),
      await metricsOf(selectorUrl, '/metrics', token),
    ].join('\n');
    for (const service of [proxy, brokenProxy, selector]) expect(await service.stop()).toBe(0);

    const written = {
      'the proxy’s output': proxy.output(),
      'the output of a proxy without selector': brokenProxy.output(),
      'the selector’s output': selector.output(),
      'the records': filesIn(folder) + filesIn(brokenFolder),
      'the metrics': metrics,
      'the spans': collector.received().toString('latin1'),
    };
    for (const [what, text] of Object.entries(written)) {
      expect({ what, leaks: leaksIn(text) }).toEqual({ what, leaks: [] });
    }
    // Names of models and of servers stand in their own families, which are bounded; names of tools in none.
    const others = metrics.split('\n').filter((line) => !/^(gen_ai_|winnow_proxy_server_)/.test(line));
    expect(others.join('\n')).not.toContain(TOOL_NAME_MARK);
    // Proof that all of it happened: the upstream received the secrets that the services kept.
    const sent = upstream.requests.map(({ text, path, rawHeaders }) =>
      [path, ...rawHeaders, text].join('\n'),
    );
    expect([...placesIn(sent.join('\n'))]).toEqual(
      expect.arrayContaining([
        'authorization',
        'first message',
        'tool description',
        'search query',
        'enum value',
      ]),
    );
    expect(proxy.output()).toContain('session_store_down');
    expect(filesIn(folder).match(/"event":"exchange"/g)!.length).toBeGreaterThan(100);
    for (const word of [
      '"outcome":"found"',
      '"restoredBecause"',
      '"arm":"shadow"',
      '"client_gone"|"failed"',
      TOOL_NAME_MARK,
    ]) {
      expect(filesIn(folder)).toMatch(new RegExp(word));
    }
    expect(filesIn(brokenFolder)).toContain('"outcome":"api_error"');
    expect(filesIn(brokenFolder)).toMatch(/"armReason":"(in|out)side_percent"/);
    expect(selector.output()).toContain('"code":"invalid_json"');
  });

  test('is in what a service says of its settings', { timeout: 60_000 }, async () => {
    const folder = temporaryFolder();
    const key = `-----BEGIN PRIVATE KEY-----\n${secret('private key')}\n-----END PRIVATE KEY-----\n`;
    for (const name of ['ca.crt', 'tls.crt', 'tls.key']) writeFileSync(join(folder, name), key);
    writeFileSync(join(folder, 'broken.yaml'), `sessions: { secret: "${secret('unfinished setting')}\n`);
    writeFileSync(join(folder, 'alias.yaml'), `sessions: { secret: *${secret('alias')} }\n`);
    const runs = [
      start('proxy', folder, SECRET_SETTINGS, '--print-config'),
      start('proxy', folder, {
        PROXY_REDIS_URL: secret('wrong url'),
        PROXY_SERVER_PORT: secret('wrong port'),
      }),
      start('proxy', folder, { PROXY_SESSIONS_SECRET: `${secret('wrong secret')} ` }),
      start('proxy', folder, { PROXY_CLIENT_TLS_FOLDER: folder, PROXY_SERVER_PORT: '0' }),
      start('proxy', folder, { PROXY_SERVER_PORT: 'none' }, '--config', 'broken.yaml'),
      start('proxy', folder, { PROXY_SERVER_PORT: 'none' }, '--config', 'alias.yaml'),
      start('selector', folder, { SELECTOR_SERVER_TOKENS: `${secret('wrong tokens')},,` }),
      start('selector', folder, {
        SELECTOR_SERVER_PORT: '0',
        SELECTOR_SERVER_TLS_FOLDER: folder,
      }),
    ];
    for (const run of runs) await run.says(/\n/);
    for (const run of runs) await run.stop();
    const said = runs.map((run) => run.output());
    expect(said.map(leaksIn)).toEqual(said.map(() => []));
    expect(said[0]).toContain('sessions.secret: $' + '{PROXY_SESSIONS_SECRET}');
    expect(said.slice(1).every((text) => text.startsWith('winnow '))).toBe(true);
  });

  test('goes unnoticed: the marks are found, whole and in parts', () => {
    const mark = secret('first message');
    expect(leaksIn(`a record with ${mark} in it`)).toEqual(['first message']);
    for (let at = 0; at + 10 <= mark.length; at++) {
      expect(leaksIn(`... "${mark.slice(at, at + 10)}"... is not valid JSON`)).not.toEqual([]);
    }
    expect(leaksIn('a record without any')).toEqual([]);
  });
});
