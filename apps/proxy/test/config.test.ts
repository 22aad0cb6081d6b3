// biome-ignore-all lint/suspicious/noTemplateCurlyInString: configuration files have that syntax.
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PRICES, ToolCosts } from '@winnow/core';
import { describe, expect, it } from 'vitest';
import { type Config, readConfig } from '../src/config/config.ts';
import { createMetrics } from '../src/metrics.ts';

function fileOf(yaml: string): string {
  const file = join(mkdtempSync(join(tmpdir(), 'winnow-config-')), 'winnow.yaml');
  writeFileSync(file, yaml);
  return file;
}

const read = (yaml: string, environment: Record<string, string> = {}) =>
  readConfig({ file: fileOf(yaml), environment });

/** Returns the problems without the path of the file in front of line numbers. */
const problemsOf = (yaml: string, environment: Record<string, string> = {}) => {
  const file = fileOf(yaml);
  const outcome = readConfig({ file, environment });
  return outcome.ok ? [] : outcome.problems.map((problem) => problem.replace(`${file}: Line`, 'Line'));
};

function printed(yaml: string, environment: Record<string, string> = {}): string {
  const outcome = read(yaml, environment);
  return outcome.ok ? outcome.print() : expect.unreachable();
}

function configOf(yaml: string, environment: Record<string, string> = {}): Config {
  const outcome = read(yaml, environment);
  if (!outcome.ok) throw new Error(outcome.problems.join(' '));
  return outcome.config;
}

const DEFAULTS = {
  'retry.attempts': 2,
  idle_timeout: 600_000,
  load: 'auto',
  polyfill: 'off',
  auth: { kind: 'auto', name: '' },
} as const;

describe('readConfig', () => {
  it('starts on a fresh machine without a file or keys', () => {
    const config = configOf('');
    expect(config.settings).toMatchObject({
      'server.host': '127.0.0.1',
      'server.port': 8787,
      'server.max_body': 52_428_800,
      'tools.strategy': 'api',
      'tools.api.timeout': 2_000,
      'tools.min_tools': 5,
      'tools.max_tools': 25,
      'tools.target_ratio': 0.8,
      'tools.max_search_results': 8,
      'tools.search_tool_name': 'gateway_search_tools',
    });
    expect(config.upstreams).toEqual({
      openai: {
        base_url: 'https://api.openai.com',
        format: 'openai',
        api_key: '',
        enabled: true,
        ...DEFAULTS,
      },
      anthropic: {
        base_url: 'https://api.anthropic.com',
        format: 'anthropic',
        api_key: '',
        enabled: true,
        ...DEFAULTS,
      },
      gemini: {
        base_url: 'https://generativelanguage.googleapis.com',
        format: 'gemini',
        api_key: '',
        enabled: true,
        ...DEFAULTS,
      },
      ollama: {
        base_url: 'http://127.0.0.1:11434',
        format: 'ollama',
        api_key: '',
        enabled: true,
        ...DEFAULTS,
      },
      bedrock: {
        base_url: 'https://bedrock-runtime.us-east-1.amazonaws.com',
        format: 'bedrock',
        api_key: '',
        enabled: true,
        ...DEFAULTS,
      },
    });
    expect(config.settings['tools.api.endpoint']).toBe('http://127.0.0.1:8788/v1/tool-discovery/search');
  });

  it('reads every kind of value from the file', () => {
    const { settings, upstreams } = configOf(`
server: { host: 0.0.0.0, port: 9000, max_body: 1MiB }
upstreams:
  local: { base_url: "http://127.0.0.1:11434/v1", format: openai }
pipes:
  tool_discovery:
    strategy: tool-search
    target_ratio: 0.5
    always_keep: [read_file, "run tests"]
`);
    expect(settings).toMatchObject({
      'server.host': '0.0.0.0',
      'server.port': 9000,
      'server.max_body': 1_048_576,
      'tools.strategy': 'tool-search',
      'tools.target_ratio': 0.5,
      'tools.always_keep': ['read_file', 'run tests'],
    });
    expect(upstreams.local).toEqual({
      base_url: 'http://127.0.0.1:11434/v1',
      format: 'openai',
      api_key: '',
      enabled: true,
      ...DEFAULTS,
    });
  });

  it('reads the standard variables of AWS, which are not printed', () => {
    const variables = {
      AWS_ACCESS_KEY_ID: 'AK',
      AWS_SECRET_ACCESS_KEY: 'secret-one',
      AWS_SESSION_TOKEN: 'token-one',
      AWS_DEFAULT_REGION: 'eu-west-1',
    };
    const yaml = 'upstreams: { aws: { base_url: "https://gateway.example", format: openai, auth: sigv4 } }';
    expect(configOf(yaml, variables).aws).toEqual({
      region: 'eu-west-1',
      credentials: { accessKeyId: 'AK', secretAccessKey: 'secret-one', sessionToken: 'token-one' },
    });
    const { AWS_SECRET_ACCESS_KEY: _, ...half } = variables;
    expect(configOf(yaml, half).aws.credentials).toBeUndefined();
    expect(printed(yaml, variables)).not.toMatch(/secret-one|token-one/);
  });

  it('inserts environment variables into the file, with defaults, and never as structure', () => {
    const yaml = 'server: { host: "${HOST_NAME}", port: "${NO_SUCH:-9001}" }';
    expect(configOf(yaml, { HOST_NAME: 'a: {b: c}' }).settings).toMatchObject({
      'server.host': 'a: {b: c}',
      'server.port': 9001,
    });
  });

  it('treats an empty variable as missing if there is a default', () => {
    expect(configOf('server: { port: "${P:-9001}" }', { P: '' }).settings['server.port']).toBe(9001);
  });

  it('refuses a missing variable without a default, and names its line', () => {
    expect(problemsOf('server:\n  host: "${NO_SUCH}"\n')).toEqual([
      'Line 2: server.host needs the environment variable NO_SUCH, which is not set; ${NO_SUCH:-default} gives it a default.',
    ]);
  });

  it('gives a variable precedence over the file', () => {
    const environment = {
      PROXY_SERVER_PORT: '9002',
      PROXY_PIPES_TOOL_DISCOVERY_ALWAYS_KEEP: 'a, b',
      PROXY_UPSTREAMS_MY_HOST_BASE_URL: 'http://127.0.0.1:1',
      PROXY_UPSTREAMS_MY_HOST_FORMAT: 'anthropic',
    };
    const { settings, upstreams } = configOf('server: { port: 9001 }', environment);
    expect(settings['server.port']).toBe(9002);
    expect(settings['tools.always_keep']).toEqual(['a', 'b']);
    expect(upstreams['my-host']).toMatchObject({ base_url: 'http://127.0.0.1:1', format: 'anthropic' });
  });

  it('hides an unconfigured upstream on this machine from other machines', () => {
    const open = 'server: { host: 0.0.0.0 }\n';
    expect(configOf(open).upstreams.ollama?.enabled).toBe(false);
    expect(configOf(open).upstreams.openai?.enabled).toBe(true);
    expect(configOf(`${open}upstreams: { ollama: { enabled: true } }`).upstreams.ollama?.enabled).toBe(true);
    expect(
      configOf('', { PROXY_UPSTREAMS_OLLAMA_BASE_URL: 'http://ollama:11434' }).upstreams.ollama,
    ).toMatchObject({
      enabled: true,
      base_url: 'http://ollama:11434',
    });
  });

  it('names an unknown key, its line and the nearest known one', () => {
    expect(problemsOf('pipes:\n  tool_discovery:\n    min_tool: 3\n')).toEqual([
      'Line 3: pipes.tool_discovery.min_tool is not a setting; the nearest one is tools.min_tools.',
    ]);
  });

  it('names an unknown key of an upstream, and lists the known ones', () => {
    expect(problemsOf('upstreams:\n  openai:\n    base_ulr: "http://x"\n')).toEqual([
      'Line 3: upstreams.openai.base_ulr is not a setting; of upstreams.openai there are base_url, format, api_key, auth, load, polyfill, enabled, retry.attempts, idle_timeout, the nearest one is base_url.',
    ]);
  });

  it('names an unknown variable and the nearest known one', () => {
    expect(problemsOf('', { PROXY_SERVER_PROT: '1' })).toEqual([
      'PROXY_SERVER_PROT is not a setting; the nearest one is PROXY_SERVER_PORT.',
    ]);
  });

  it('ignores variables that a cluster sets for a service of its name', () => {
    expect(problemsOf('', { PROXY_SERVICE_HOST: '10.0.0.1', PROXY_PORT: 'tcp://10.0.0.1:8787' })).toEqual([]);
  });

  it.each([
    ['server: { port: 70000 }', 'Line 1: server.port must be a whole number from 0 to 65535.'],
    [
      'server: { drain_delay: 3600 }',
      'Line 1: server.drain_delay must be a time with its unit, such as 0s, from 0ms to 24d.',
    ],
    [
      'pipes: { tool_discovery: { strategy: relevant } }',
      'Line 1: pipes.tool_discovery.strategy must be one of passthrough, relevance, tool-search, api.',
    ],
    [
      'pipes: { tool_discovery: { target_ratio: 1.5 } }',
      'Line 1: pipes.tool_discovery.target_ratio must be a number from 0 to 1.',
    ],
    [
      'server: { allowed_origins: ["https://*.example.com"] }',
      'server.allowed_origins must be origins, such as https://chat.example.com: not https://*.example.com.',
    ],
    ['rollout: { mode: half }', 'Line 1: rollout.mode must be one of off, dark, shadow, partial, full.'],
    [
      'upstreams: { openai: { base_url: "ftp://x" } }',
      'Line 1: upstreams.openai.base_url must be an http or https address without query, user and password.',
    ],
    [
      'upstreams: { openai: { base_url: "https://user:hunter2@example.com" } }',
      'Line 1: upstreams.openai.base_url must be an http or https address without query, user and password.',
    ],
    [
      'server: { host: 0.0.0.0 }\nupstreams: { openai: { api_key: sk-x } }',
      'server.tokens, server.allowed_hosts or server.client_ca_file must be set because server.host is not a loopback address and an upstream has an api_key or signs: any client that reaches the proxy could use the key.',
    ],
    [
      'upstreams: { mine: { base_url: "http://x" } }',
      'upstreams.mine.format must be set: one of openai, anthropic, gemini, ollama, bedrock.',
    ],
    ['upstreams: { mine: { format: openai } }', 'upstreams.mine.base_url must be set.'],
    [
      'upstreams: { openai: { auth: bearer } }',
      'upstreams.openai.api_key must be set because upstreams.openai.auth is bearer.',
    ],
    [
      'upstreams: { openai: { api_key: sk-x, auth: forward } }',
      'upstreams.openai.api_key has no effect because upstreams.openai.auth is forward: remove one of them.',
    ],
    [
      'upstreams: { openai: { api_key: sk-x, auth: "header:Content-Length" } }',
      'upstreams.openai.auth must name a header for a credential.',
    ],
    [
      'upstreams: { openai: { auth: sigv4 } }',
      'upstreams.openai.auth must be sigv4:REGION because the base URL names no region and AWS_REGION is not set.',
    ],
    [
      'upstreams: { openai: { api_key: sk-x, auth: "sigv4:us-east-1" } }',
      'upstreams.openai.api_key has no effect because upstreams.openai.auth is sigv4: remove one of them.',
    ],
    [
      'server: { host: 0.0.0.0 }\nupstreams: { openai: { auth: "sigv4:us-east-1" } }',
      'server.tokens, server.allowed_hosts or server.client_ca_file must be set because server.host is not a loopback address and an upstream has an api_key or signs: any client that reaches the proxy could use the key.',
    ],
    [
      'server: { allowed_origins: ["https://a.example", "chrome-extension://abc", "https://b.example/"] }',
      'server.allowed_origins must be origins, such as https://chat.example.com: not https://b.example/.',
    ],
    [
      'server: { host: 0.0.0.0 }\nembedder: { address: "https://e/v1#m", api_key: k }',
      'server.tokens, server.allowed_hosts or server.client_ca_file must be set because server.host is not a loopback address and embedder.api_key is set: any client that reaches the proxy could use the key.',
    ],
    [
      'upstreams: { openai: { api_key: sk-x, auth: "header:x y" } }',
      'Line 1: upstreams.openai.auth must be auto, forward, bearer, header:NAME, query:NAME, or sigv4 (also sigv4:REGION or sigv4:REGION/SERVICE).',
    ],
    [
      'upstreams: { v1: { base_url: "http://x", format: openai } }',
      'Line 1: upstreams.v1.base_url: a name in `upstreams` must be lower-case letters, digits and -, and none of v1, v1beta, v1alpha, v1beta1, upload, ws, api, model, openai-v1.',
    ],
    ['pipes: { tool_discovery: { min_tools: 30 } }', 'tools.min_tools must be at most tools.max_tools.'],
    ['[1, 2]', 'Line 1: the file must hold keys with values.'],
  ])('refuses %s', (yaml, problem) => {
    expect(problemsOf(yaml)).toContain(problem);
  });

  it('refuses more profiles than there may be, with one sentence', () => {
    const profiles = Array.from(
      { length: 2_000 },
      (_, at) => `  p${at}: { match: { model: [m] }, goal: cost }`,
    );
    expect(problemsOf(`profiles:\n${profiles.join('\n')}`)).toEqual([
      'profiles may have 1000 entries at most.',
    ]);
  });

  it('starts with an empty list of profiles', () => {
    expect(read('profiles: []')).toMatchObject({ ok: true, config: { profiles: {} } });
  });

  it('refuses sessions in Redis without a shared secret', () => {
    expect(problemsOf('redis: { url: "redis://h" }')).toEqual([
      'sessions.secret must be set because redis.url is: the same long random text for all proxies.',
    ]);
    expect(problemsOf('sessions: { secret: long }\nredis: { url: "redis://h" }')).toEqual([]);
  });

  it('refuses an invalid Redis address without repeating it', () => {
    const problems = problemsOf('sessions: { secret: long }\nredis: { url: "redis://:pass/word@host" }');
    expect(problems).toEqual([expect.stringMatching(/^redis\.url must name hosts .*write \/ as %2F/)]);
    expect(problems[0]).not.toContain('word@');
  });

  it('names the line that is not YAML without quoting it', () => {
    const [problem] = problemsOf('server:\n  host: "hunter2\n  port: 1\n');
    expect(problem).toMatch(/^Line \d+: /);
    expect(problem).not.toContain('hunter2');
  });

  it.each([
    ['a value', 'tools:\n  api: { api_key: *hunter2 }', 'tools.api.api_key'],
    [
      'one with its anchor',
      'server: { host: &hunter2 a }\nsessions: { secret: *hunter2 }',
      'sessions.secret',
    ],
    [
      'an item of a list',
      'pipes:\n  tool_discovery: { always_keep: [*hunter2] }',
      'pipes.tool_discovery.always_keep',
    ],
    ['several keys', 'rollout: &hunter2 { mode: dark }\nredis: *hunter2', 'redis'],
  ])('refuses an alias in place of %s without repeating it', (_, yaml, key) => {
    const problems = problemsOf(yaml);
    expect(problems).toContain(
      `Line 2: ${key} has a value that begins with *, which YAML reads as an alias: write the value itself, in quotes if it does begin with *.`,
    );
    expect(problems.join(' ')).not.toContain('hunter2');
  });

  it('refuses an unknown tag, such as one that would read the environment', () => {
    expect(problemsOf('server:\n  host: !env HOST_NAME')).toEqual(['Line 2: Unresolved tag: !env.']);
  });

  it('refuses a named file that does not exist', () => {
    expect(readConfig({ file: '/no/such/file.yaml', environment: {} })).toMatchObject({
      ok: false,
      problems: ['The configuration file /no/such/file.yaml cannot be read.'],
    });
  });

  it('never repeats a wrong value, which may be a secret', () => {
    const problems = problemsOf('server: { port: hunter2 }\ntools: { api: { api_key: "hunter 2" } }');
    expect(problems).toHaveLength(2);
    expect(problems.join()).not.toContain('hunter');
  });

  it('reports all problems at once', () => {
    expect(problemsOf('server: { port: x, prot: 1, drain_delay: y }')).toHaveLength(3);
  });
});

describe('a printed configuration', () => {
  it('shows every setting and no secret', () => {
    const text = printed(
      'upstreams: { openai: { api_key: sk-hunter2 } }\npipes: { tool_discovery: { api: { api_key: hunter3 } } }',
    );
    expect(text).toContain('upstreams.openai.api_key: ${PROXY_UPSTREAMS_OPENAI_API_KEY}');
    expect(text).toContain('# upstreams.anthropic.api_key: (not set)');
    expect(text).toContain('server.port: 8787');
    expect(text).not.toContain('hunter');
  });
});

describe('the reference', () => {
  const read = (page: string) =>
    readFileSync(new URL(`../../../docs/reference/${page}`, import.meta.url), 'utf8');
  const document = read('proxy-settings.md');

  it('shows a usable file', () => {
    const [, example = ''] = /```yaml\n([\s\S]*?)```/.exec(document) ?? [];
    expect(configOf(example).upstreams.ollama?.format).toBe('openai');
  });

  it('explains every metric', async () => {
    const state = {
      breakerState: () => 'closed' as const,
      meanings: () => undefined,
      isSessionStoreUp: () => true,
      openExchanges: () => 0,
      toolCosts: () => new ToolCosts().result(),
      droppedRecords: () => ({ file: 0, stdout: 0 }),
    };
    const { text } = await createMetrics(PRICES, state).collect();
    const names = new Set(text.match(/winnow_proxy_[a-z_]+?(?=_bucket|_sum|_count|[ {\n])/g));
    expect(names.size).toBeGreaterThan(10);
    for (const name of names) expect(read('../operations/metrics.md')).toContain(`\`${name}\``);
  });
});

describe('the load mode', () => {
  it.each([
    ['', 'auto'],
    ['upstreams: { openai: { load: bridge } }', 'bridge'],
  ])('of "%s" is %s', (yaml, load) => {
    expect(configOf(yaml).upstreams.openai?.load).toBe(load);
  });

  it('needs different names for both tools', () => {
    const outcome = read('tools: { search_tool_name: gateway_call_tool }');
    expect(!outcome.ok && outcome.problems).toEqual([
      'tools.search_tool_name must not be gateway_call_tool, the name of the bridge tool.',
    ]);
  });
});
