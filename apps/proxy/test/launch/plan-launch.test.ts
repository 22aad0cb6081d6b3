import { describe, expect, test } from 'vitest';
import { planLaunch, type Route } from '../../src/launch/plan-launch.ts';
import type { Environment } from '../../src/launch/redirect.ts';

/** A command's place, with files by path. */
interface Place {
  readonly environment?: Environment;
  readonly files?: Readonly<Record<string, string>>;
}

function plan(words: readonly string[], { environment = {}, files = {} }: Place = {}) {
  return planLaunch(words, {
    environment,
    home: '/home/me',
    workingDirectory: '/home/me/project',
    readText: (path) => files[path],
  });
}

/** Runs the plan with an address per redirect, and returns its upstreams, words, variables and files. */
function run(words: readonly string[], place?: Place, replacesToolSearch = false) {
  const launch = plan(words, place);
  if (!launch.ok) throw new Error(launch.refusal);
  const written = new Map<string, string>();
  const command = launch.complete({
    addressOf: (name) => `proxy:${name}`,
    replacesToolSearch,
    writeFile: (name, text) => {
      written.set(name, text);
      return `/private/${name}`;
    },
  });
  const homes = Object.fromEntries(launch.routes.map((route) => [route.name, route.home.href]));
  const routeOf = (name: string): Route => launch.routes.find((route) => route.name === name)!;
  return { ...command, homes, routeOf, written };
}

describe('any command', () => {
  test("gets the variables of the SDKs, which lead to the providers' own addresses", () => {
    const { environment, homes, routeOf, words } = run(['python', 'agent.py'], {
      environment: { PATH: '/bin', OPENAI_API_KEY: 'sk' },
    });
    expect(words).toEqual(['python', 'agent.py']);
    expect(environment).toEqual({
      PATH: '/bin',
      OPENAI_API_KEY: 'sk',
      OPENAI_BASE_URL: 'proxy:OPENAI_BASE_URL',
      ANTHROPIC_BASE_URL: 'proxy:ANTHROPIC_BASE_URL',
      GOOGLE_GEMINI_BASE_URL: 'proxy:GOOGLE_GEMINI_BASE_URL',
      GEMINI_API_BASE: 'proxy:GEMINI_API_BASE',
      OLLAMA_HOST: 'proxy:OLLAMA_HOST',
      OLLAMA_API_BASE: 'proxy:OLLAMA_API_BASE',
      OLLAMA_BASE_URL: 'proxy:OLLAMA_BASE_URL',
    });
    expect(homes.OPENAI_BASE_URL).toBe('https://api.openai.com/v1');
    expect(routeOf('OPENAI_BASE_URL').upstream).toBe('openai');
    expect(routeOf('ANTHROPIC_BASE_URL')).toMatchObject({ upstream: 'anthropic', version: '/v1' });
  });

  test('keeps a gateway that is set: it becomes the upstream, with its path and query', () => {
    const gateway = 'https://gateway.example/openai/v1?team=7';
    const { homes, routeOf } = run(['node', 'agent.js'], { environment: { OPENAI_BASE_URL: gateway } });
    expect(homes.OPENAI_BASE_URL).toBe(gateway);
    expect(routeOf('OPENAI_BASE_URL').upstream).toBe('openai-base-url');
  });

  test('gets no second variable of an API whose gateway another variable names', () => {
    const { environment } = run(['python', 'agent.py'], {
      environment: { OPENAI_API_BASE: 'https://gateway.example/v1', ANTHROPIC_API_URL: 'https://a.example' },
    });
    expect(environment.OPENAI_BASE_URL).toBeUndefined();
    expect(environment.OPENAI_API_BASE).toBe('proxy:OPENAI_API_BASE');
    expect(environment.ANTHROPIC_BASE_URL).toBeUndefined();
  });

  test('keeps variables that it may read from a .env file, here or above', () => {
    const files = {
      '/home/me/project/.env': 'OPENAI_BASE_URL=https://gateway.example/v1\n',
      '/home/me/.env': 'GEMINI_API_BASE="https://g.example"\n',
    };
    const { environment } = run(['python', 'agent.py'], { files });
    expect(environment.OPENAI_BASE_URL).toBeUndefined();
    expect(environment.GOOGLE_GEMINI_BASE_URL).toBeUndefined();
    expect(environment.ANTHROPIC_BASE_URL).toBe('proxy:ANTHROPIC_BASE_URL');
    // The environment stands above the file.
    const own = run(['python', 'agent.py'], { files, environment: { OPENAI_BASE_URL: 'https://b.example' } });
    expect(own.homes.OPENAI_BASE_URL).toBe('https://b.example/');
  });

  test('does not send the key of an agent where a .env file of a foreign project says', () => {
    const files = { '/home/me/project/.env': 'ANTHROPIC_BASE_URL=https://evil.example\n' };
    const { homes } = run(['claude'], { files });
    expect(homes.ANTHROPIC_BASE_URL).toBe('https://api.anthropic.com/');
  });

  test('leaves alone what is not an HTTP address', () => {
    const { environment, homes } = run(['x'], { environment: { OPENAI_BASE_URL: 'unix:/run/llm.sock' } });
    expect(environment.OPENAI_BASE_URL).toBe('unix:/run/llm.sock');
    expect(homes).not.toHaveProperty('OPENAI_BASE_URL');
  });

  test('gets OPENAI_BASE_URL not with Azure, whose client refuses both', () => {
    const { environment, homes } = run(['node', 'agent.js'], {
      environment: { AZURE_OPENAI_ENDPOINT: 'https://us.openai.azure.com', AZURE_OPENAI_API_KEY: 'key' },
    });
    expect(environment.OPENAI_BASE_URL).toBeUndefined();
    expect(environment.AZURE_OPENAI_ENDPOINT).toBe('proxy:AZURE_OPENAI_ENDPOINT');
    expect(homes.AZURE_OPENAI_ENDPOINT).toBe('https://us.openai.azure.com/');
  });

  test('loses the resource of Foundry, which its client refuses next to an address', () => {
    const { environment, homes } = run(['node', 'agent.js'], {
      environment: { ANTHROPIC_FOUNDRY_RESOURCE: 'ours' },
    });
    expect(homes.ANTHROPIC_FOUNDRY_BASE_URL).toBe('https://ours.services.ai.azure.com/anthropic/');
    expect(environment.ANTHROPIC_FOUNDRY_RESOURCE).toBeUndefined();
  });

  test.each([
    ['127.0.0.1:9999', 'http://127.0.0.1:9999/'],
    ['0.0.0.0', 'http://127.0.0.1:11434/'],
    [':9999', 'http://127.0.0.1:9999/'],
    ['gpu-box', 'http://gpu-box:11434/'],
    ['http://gpu-box', 'http://gpu-box/'],
    ['https://ollama.com', 'https://ollama.com/'],
  ])('understands OLLAMA_HOST=%s', (value, home) => {
    expect(run(['x'], { environment: { OLLAMA_HOST: value } }).homes.OLLAMA_HOST).toBe(home);
  });

  test('reaches this machine directly behind an HTTP proxy', () => {
    const { environment } = run(['x'], {
      environment: { HTTPS_PROXY: 'http://proxy.example:3128', NO_PROXY: '.example' },
    });
    expect(environment).toMatchObject({ NO_PROXY: '127.0.0.1,.example', no_proxy: '127.0.0.1,.example' });
    expect(run(['x']).environment).not.toHaveProperty('NO_PROXY');
  });
});

describe('Bedrock', () => {
  const region = { AWS_REGION: 'eu-central-1' };

  test('is redirected if the proxy can sign, in the region of the environment', () => {
    const { routeOf, homes } = run(['python', 'agent.py'], {
      environment: { ...region, AWS_ACCESS_KEY_ID: 'id', AWS_SECRET_ACCESS_KEY: 'secret' },
    });
    expect(routeOf('AWS_ENDPOINT_URL_BEDROCK_RUNTIME')).toMatchObject({
      signing: { region: 'eu-central-1', service: 'bedrock' },
    });
    expect(homes.ANTHROPIC_BEDROCK_MANTLE_BASE_URL).toBe(
      'https://bedrock-mantle.eu-central-1.api.aws/anthropic',
    );
  });

  test('is redirected with a bearer key, unsigned', () => {
    const { routeOf } = run(['python'], { environment: { ...region, AWS_BEARER_TOKEN_BEDROCK: 'key' } });
    expect(routeOf('AWS_ENDPOINT_URL_BEDROCK_RUNTIME').signing).toBeUndefined();
  });

  test.each([
    region,
    { AWS_BEARER_TOKEN_BEDROCK: 'key' },
    { AWS_REGION: 'cn-north-1', AWS_BEARER_TOKEN_BEDROCK: 'key' },
  ])('is left alone without keys or a known region: %o', (environment) => {
    expect(run(['python'], { environment }).homes).not.toHaveProperty('AWS_ENDPOINT_URL_BEDROCK_RUNTIME');
  });
});

test.each([
  ['global', 'https://aiplatform.googleapis.com'],
  ['us', 'https://aiplatform.us.rep.googleapis.com'],
  ['us-east5', 'https://us-east5-aiplatform.googleapis.com'],
])('Vertex AI is redirected in the location of the environment: %s', (location, host) => {
  const { homes } = run(['x'], {
    environment: {
      CLOUD_ML_REGION: location,
      GOOGLE_CLOUD_LOCATION: location,
      GOOGLE_GENAI_USE_VERTEXAI: 'true',
    },
  });
  expect(homes.ANTHROPIC_VERTEX_BASE_URL).toBe(`${host}/v1`);
  expect(homes.GOOGLE_VERTEX_BASE_URL).toBe(`${host}/`);
});

describe('Claude Code', () => {
  test('keeps its own tool search as it would be without Winnow, unless Winnow defers in any case', () => {
    const searches = (environment: Environment, replaces?: boolean) =>
      run(['claude'], { environment }, replaces).environment.ENABLE_TOOL_SEARCH;
    expect(searches({})).toBe('true');
    expect(searches({ ANTHROPIC_BASE_URL: 'https://api.anthropic.com' })).toBe('true');
    expect(searches({ ANTHROPIC_BASE_URL: 'https://gateway.example' })).toBeUndefined();
    expect(searches({ CLAUDE_CODE_USE_VERTEX: '1' })).toBeUndefined();
    expect(searches({}, true)).toBe('false');
    for (const chosen of ['true', 'false', 'auto:5'])
      for (const replaces of [true, false])
        expect(searches({ ENABLE_TOOL_SEARCH: chosen }, replaces)).toBe(chosen);
  });

  test('is redirected from a gateway in its settings by settings above them', () => {
    const files = {
      '/home/me/.claude/settings.json': '{"env":{"ANTHROPIC_BASE_URL":"https://user.example"}}',
      '/home/me/project/.claude/settings.json': '{"env":{"ANTHROPIC_BASE_URL":"https://project.example"}}',
    };
    const { words, homes, written } = run(['claude', '-p', 'hi'], { files });
    expect(words).toEqual(['claude', '--settings', '/private/claude-settings.json', '-p', 'hi']);
    expect(homes['claude-ANTHROPIC_BASE_URL']).toBe('https://project.example/');
    expect(written.get('claude-settings.json')).toBe(
      '{"env":{"ANTHROPIC_BASE_URL":"proxy:claude-ANTHROPIC_BASE_URL"}}',
    );
    const own = run(['claude', '--settings', 'mine.json'], { files });
    expect(own.words).toEqual(['claude', '--settings', 'mine.json']);
  });

  test('is named if it must sign for Bedrock and Winnow cannot', () => {
    const launch = plan(['claude'], { environment: { CLAUDE_CODE_USE_BEDROCK: '1' } });
    expect(launch).toMatchObject({ ok: false, refusal: expect.stringContaining('export-credentials') });
  });
});

describe('Codex', () => {
  const settings = '/home/me/.codex/config.toml';
  const login = '/home/me/.codex/auth.json';

  test.each([
    [{ [login]: '{"auth_mode":"apikey","OPENAI_API_KEY":"sk"}' }, 'https://api.openai.com/v1'],
    [{ [login]: '{"auth_mode":"chatgpt","tokens":{}}' }, 'https://chatgpt.com/backend-api/codex'],
    [{ [login]: '{"OPENAI_API_KEY":null,"tokens":{}}' }, 'https://chatgpt.com/backend-api/codex'],
    [{}, 'https://chatgpt.com/backend-api/codex'],
    [{ [settings]: 'openai_base_url = "https://gateway.example/v1"' }, 'https://gateway.example/v1'],
  ])('goes where its login and its settings say: %o', (files, home) => {
    const { words, homes } = run(['codex', 'exec', 'hi'], { files: files as Record<string, string> });
    expect(homes.codex).toBe(home);
    expect(words).toEqual(['codex', '-c', 'openai_base_url="proxy:codex"', 'exec', 'hi']);
  });

  test.each([
    [['codex']],
    [['npx', '-y', '@openai/codex@0.169.0']],
    [['npx', '--package', '@openai/codex', 'codex']],
    [['node', '/opt/bin/codex.js']],
  ])('keeps the provider of its settings: %o', (command) => {
    const files = {
      [settings]:
        'model_provider = "ours"\n[model_providers.ours]\nbase_url = "https://ours.example/v1"\nname = "x"',
    };
    const { words, homes } = run([...command, 'exec'], { files });
    expect(homes.codex).toBe('https://ours.example/v1');
    expect(words).toEqual([...command, '-c', 'model_providers.ours.base_url="proxy:codex"', 'exec']);
  });

  test('is left alone with a local or an unknown provider', () => {
    expect(run(['codex', '--oss']).words).toEqual(['codex', '--oss']);
    expect(run(['codex', '-c', 'model_provider=amazon-bedrock']).homes).not.toHaveProperty('codex');
    expect(run(['codex'], { files: { [settings]: 'not = = toml', [login]: '{' } }).homes.codex).toBeDefined();
  });
});

describe('opencode', () => {
  const contentOf = (environment: Environment) => JSON.parse(environment.OPENCODE_CONFIG_CONTENT!);

  test('is redirected by settings above its files, for the providers that are set up', () => {
    expect(contentOf(run(['opencode']).environment)).toEqual({
      provider: { opencode: { options: { baseURL: 'proxy:opencode-opencode' } } },
    });
    const { environment } = run(['opencode'], {
      environment: {
        GEMINI_API_KEY: 'key',
        OPENCODE_CONFIG_CONTENT: '{"theme":"dark","provider":{"google":{"options":{"timeout":9}}}}',
      },
    });
    expect(contentOf(environment)).toEqual({
      theme: 'dark',
      provider: {
        opencode: { options: { baseURL: 'proxy:opencode-opencode' } },
        google: { options: { timeout: 9, baseURL: 'proxy:opencode-google' } },
      },
    });
  });

  test('keeps settings that cannot be read, and addresses of its own', () => {
    const broken = run(['opencode'], { environment: { OPENCODE_CONFIG_CONTENT: '{' } });
    expect(broken.environment.OPENCODE_CONFIG_CONTENT).toBe('{');
    const own = '{"provider":{"opencode":{"options":{"baseURL":"https://zen.example"}}}}';
    const { environment } = run(['opencode'], { environment: { OPENCODE_CONFIG_CONTENT: own } });
    expect(contentOf(environment)).toEqual(JSON.parse(own));
  });
});

describe('agents whose settings stand below a variable', () => {
  test('Goose keeps the addresses of its settings', () => {
    const files = { '/home/me/.config/goose/config.yaml': 'OPENAI_HOST: "https://gateway.example"\n' };
    const { homes } = run(['goose', 'session'], { files });
    expect(homes.OPENAI_HOST).toBe('https://gateway.example/');
    expect(homes.ANTHROPIC_HOST).toBe('https://api.anthropic.com/');
    expect(run(['python']).homes).not.toHaveProperty('OPENAI_HOST');
  });

  test('Qwen Code keeps the address of its settings', () => {
    const files = {
      '/home/me/.qwen/settings.json': '{"security":{"auth":{"baseUrl":"https://qwen.example/v1"}}}',
    };
    expect(run(['qwen'], { files }).homes.OPENAI_BASE_URL).toBe('https://qwen.example/v1');
  });

  test('aider gets the variable that its own settings replace', () => {
    const { environment } = run(['aider']);
    expect(environment).toMatchObject({ OPENAI_API_BASE: 'proxy:OPENAI_API_BASE' });
    expect(environment.OPENAI_BASE_URL).toBeUndefined();
  });
});

test.each([
  [['copilot'], {}, 'COPILOT_PROVIDER_BASE_URL'],
  [['npx', '@github/copilot'], {}, 'COPILOT_PROVIDER_BASE_URL'],
  [['gemini'], { GOOGLE_GENAI_USE_GCA: 'true' }, 'GEMINI_API_KEY'],
  [['cursor-agent'], {}, 'mcp --import'],
])('names an agent that nothing can redirect, and says what to do: %o', (words, environment, advice) => {
  expect(plan(words, { environment })).toMatchObject({ ok: false, refusal: expect.stringContaining(advice) });
});

test('leaves `ollama serve` the address that it listens on', () => {
  const { environment } = run(['ollama', 'serve'], { environment: { OLLAMA_HOST: '0.0.0.0' } });
  expect(environment.OLLAMA_HOST).toBe('0.0.0.0');
  expect(run(['ollama', 'serve']).environment.OLLAMA_HOST).toBeUndefined();
});
