import type { VendorName } from '@winnow/wire';
import { type Environment, httpAddress, type Redirect, type Signing } from './redirect.ts';

/** A variable from which clients read the address of an API. */
interface AddressVariable {
  readonly name: string;
  /**
   * Variables of one family mean the same API. Once one of them is set, the others are not: some clients read
   * several, and would then take the wrong one.
   */
  readonly family: string;
  readonly format: VendorName;
  /**
   * Returns the address that clients use while no variable of the family is set; undefined to leave this one
   * unset: the address is not known, or setting the variable would break a client that ignores it otherwise.
   */
  readonly home: (environment: Environment) => string | undefined;
  readonly version?: string;
  /** The service that clients sign for. Undefined if they do not sign. */
  readonly service?: string;
  /** Reads a value in another form than an address. */
  readonly read?: (value: string) => URL | undefined;
  /** A variable that clients refuse next to this one. */
  readonly replaces?: string;
}

const always = (home: string) => () => home;
const ifSet = () => undefined;

/**
 * The variables of clients, each with the source in which it was found. Every command gets all of them, so
 * that scripts and runners in between need no care.
 */
const VARIABLES: readonly AddressVariable[] = [
  // openai for JavaScript and Python, @ai-sdk/openai, LangChain, LiteLLM, Qwen Code: src/client.ts, _client.py,
  // openai-provider.ts, chat_models/base.ts, main.py, modelConfigResolver.ts.
  { name: 'OPENAI_BASE_URL', family: 'openai', format: 'openai', home: openAiHome },
  // LangChain and LiteLLM, where it overrides the former.
  { name: 'OPENAI_API_BASE', family: 'openai', format: 'openai', home: ifSet },
  // aider: https://aider.chat/docs/config/options.html.
  { name: 'AIDER_OPENAI_API_BASE', family: 'openai', format: 'openai', home: ifSet },
  // Goose: crates/goose/src/providers/openai.rs.
  { name: 'OPENAI_HOST', family: 'goose', format: 'openai', home: ifSet },
  // openai for JavaScript and Python: src/azure.ts, lib/azure.py; Goose: azure.rs.
  { name: 'AZURE_OPENAI_ENDPOINT', family: 'azure', format: 'openai', home: ifSet },
  // LiteLLM: main.py.
  { name: 'AZURE_API_BASE', family: 'azure', format: 'openai', home: ifSet },
  // GitHub Copilot CLI: `copilot help environment`.
  { name: 'COPILOT_PROVIDER_BASE_URL', family: 'copilot', format: 'openai', home: ifSet },

  // @anthropic-ai/sdk, anthropic for Python, Claude Code, @ai-sdk/anthropic, LangChain, LiteLLM:
  // src/client.ts, _client.py, https://code.claude.com/docs/en/env-vars, anthropic-provider.ts.
  {
    ...{
      name: 'ANTHROPIC_BASE_URL',
      family: 'anthropic',
      format: 'anthropic',
      home: always('https://api.anthropic.com'),
    },
    version: '/v1',
  },
  // LiteLLM and LangChain, where it overrides the former.
  { name: 'ANTHROPIC_API_BASE', family: 'anthropic', format: 'anthropic', home: ifSet, version: '/v1' },
  { name: 'ANTHROPIC_API_URL', family: 'anthropic', format: 'anthropic', home: ifSet, version: '/v1' },
  // Goose: crates/goose/src/providers/anthropic.rs.
  { name: 'ANTHROPIC_HOST', family: 'goose', format: 'anthropic', home: ifSet },
  // @anthropic-ai/vertex-sdk and anthropic for Python: client.ts, lib/vertex/_client.py.
  { name: 'ANTHROPIC_VERTEX_BASE_URL', family: 'claude-vertex', format: 'anthropic', home: claudeOnVertex },
  // @anthropic-ai/foundry-sdk and anthropic for Python: client.ts, lib/foundry.py.
  {
    ...{ name: 'ANTHROPIC_FOUNDRY_BASE_URL', family: 'foundry', format: 'anthropic', home: foundryHome },
    replaces: 'ANTHROPIC_FOUNDRY_RESOURCE',
  },

  // @google/genai, google-genai, Gemini CLI: client.ts, _base_url.py, core/contentGenerator.ts.
  {
    ...{ name: 'GOOGLE_GEMINI_BASE_URL', family: 'gemini', format: 'gemini' },
    home: always('https://generativelanguage.googleapis.com'),
  },
  // LiteLLM: main.py.
  {
    ...{ name: 'GEMINI_API_BASE', family: 'gemini', format: 'gemini' },
    home: always('https://generativelanguage.googleapis.com/v1beta'),
  },
  // Goose: crates/goose/src/providers/google.rs.
  { name: 'GOOGLE_HOST', family: 'goose', format: 'gemini', home: ifSet },
  { name: 'GOOGLE_VERTEX_BASE_URL', family: 'vertex', format: 'gemini', home: geminiOnVertex },

  // ollama for Python, the Ollama CLI, Goose: _client.py, envconfig/config.go, ollama.rs.
  {
    ...{ name: 'OLLAMA_HOST', family: 'ollama', format: 'ollama', home: always('http://127.0.0.1:11434') },
    read: readOllamaHost,
  },
  // LiteLLM: main.py.
  { name: 'OLLAMA_API_BASE', family: 'ollama', format: 'ollama', home: always('http://127.0.0.1:11434') },
  // @langchain/ollama: chat_models.ts.
  { name: 'OLLAMA_BASE_URL', family: 'ollama', format: 'ollama', home: always('http://127.0.0.1:11434') },

  // Every SDK of AWS: https://docs.aws.amazon.com/sdkref/latest/guide/feature-ss-endpoints.html;
  // @ai-sdk/amazon-bedrock: amazon-bedrock-provider.ts.
  {
    ...{ name: 'AWS_ENDPOINT_URL_BEDROCK_RUNTIME', family: 'bedrock', format: 'bedrock', service: 'bedrock' },
    home: (environment) => environment.AWS_ENDPOINT_URL || bedrockHome(environment),
  },
  // @anthropic-ai/bedrock-sdk and anthropic for Python, Claude Code: client.ts, lib/bedrock/_client.py.
  {
    ...{ name: 'ANTHROPIC_BEDROCK_BASE_URL', family: 'bedrock', format: 'bedrock', service: 'bedrock' },
    home: bedrockHome,
  },
  // @anthropic-ai/bedrock-sdk and anthropic for Python: mantle-client.ts, lib/bedrock/_mantle.py.
  {
    ...{
      name: 'ANTHROPIC_BEDROCK_MANTLE_BASE_URL',
      family: 'mantle',
      format: 'anthropic',
      service: 'bedrock-mantle',
    },
    home: mantleHome('/anthropic'),
  },
  // openai for JavaScript: bedrock.ts.
  {
    ...{ name: 'AWS_BEDROCK_BASE_URL', family: 'mantle-openai', format: 'openai', service: 'bedrock-mantle' },
    home: mantleHome('/openai/v1'),
  },
] satisfies readonly AddressVariable[];

/**
 * Returns the redirects of the variables, for an environment. Families of the variables in `left` are left
 * alone, unless the environment has set the variable itself.
 */
export function redirectsOf(
  environment: Environment,
  left: ReadonlySet<string> = new Set(),
): readonly Redirect[] {
  const isTaken = ({ name }: AddressVariable) => Boolean(environment[name]) || left.has(name);
  const taken = new Set(VARIABLES.filter(isTaken).map(({ family }) => family));
  return VARIABLES.flatMap(({ name, family, format, home, version, service, read = httpAddress }) => {
    const value = environment[name];
    const address = value ? read(value) : taken.has(family) ? undefined : httpAddress(home(environment));
    if (address === undefined || (service !== undefined && !canSign(environment))) return [];
    const signing = service === undefined ? undefined : signingOf(environment, address, service);
    return [{ name, home: address, format, signing, ...(version !== undefined && { version }) }];
  });
}

/** Returns the variables that must go because of others that are set. */
export function replacedBy(redirects: readonly Redirect[]): readonly string[] {
  const names = new Set(redirects.map(({ name }) => name));
  return VARIABLES.flatMap(({ name, replaces }) => (replaces && names.has(name) ? [replaces] : []));
}

/**
 * `AzureOpenAI` for JavaScript reads this variable as well, instead of its endpoint, and refuses both. If the
 * environment shows signs of Azure, it is left alone.
 */
function openAiHome(environment: Environment): string | undefined {
  const hasAzure = ['AZURE_OPENAI_ENDPOINT', 'AZURE_OPENAI_API_KEY', 'OPENAI_API_VERSION'].some(
    (name) => environment[name],
  );
  return hasAzure ? undefined : 'https://api.openai.com/v1';
}

/** Source: https://docs.cloud.google.com/vertex-ai/generative-ai/docs/learn/locations. */
function vertexHome(location: string | undefined): string | undefined {
  if (!location) return undefined;
  if (location === 'global') return 'https://aiplatform.googleapis.com';
  if (['us', 'eu'].includes(location)) return `https://aiplatform.${location}.rep.googleapis.com`;
  return /^[a-z0-9-]+$/.test(location) ? `https://${location}-aiplatform.googleapis.com` : undefined;
}

/** The location of the environment, unless the environment says that single models have another. */
function claudeOnVertex(environment: Environment): string | undefined {
  if (Object.keys(environment).some((name) => name.startsWith('VERTEX_REGION_'))) return undefined;
  const home = vertexHome(environment.CLOUD_ML_REGION);
  return home && `${home}/v1`;
}

function geminiOnVertex(environment: Environment): string | undefined {
  return environment.GOOGLE_GENAI_USE_VERTEXAI ? vertexHome(environment.GOOGLE_CLOUD_LOCATION) : undefined;
}

function foundryHome({ ANTHROPIC_FOUNDRY_RESOURCE: resource }: Environment): string | undefined {
  return resource && `https://${resource}.services.ai.azure.com/anthropic/`;
}

/** The region of the environment, unless the environment says that single models have another. */
function bedrockHome(environment: Environment): string | undefined {
  const region = awsRegion(environment);
  const hasOthers = environment.ANTHROPIC_SMALL_FAST_MODEL_AWS_REGION;
  return region && !hasOthers ? `https://bedrock-runtime.${region}.amazonaws.com` : undefined;
}

function mantleHome(path: string): (environment: Environment) => string | undefined {
  return (environment) => {
    const region = awsRegion(environment);
    return region && `https://bedrock-mantle.${region}.api.aws${path}`;
  };
}

/** Ports and schemes may be missing: https://github.com/ollama/ollama/blob/main/envconfig/config.go. */
function readOllamaHost(value: string): URL | undefined {
  const url = httpAddress(/^https?:\/\//.test(value) ? value : `http://${value.replace(/^:/, '127.0.0.1:')}`);
  if (url === undefined) return undefined;
  if (!/:\d+(\/|$)/.test(value) && !value.includes('://')) url.port = '11434';
  // An address to listen on is none to connect to.
  if (['0.0.0.0', '[::]'].includes(url.hostname)) url.hostname = '127.0.0.1';
  return url;
}

/**
 * Whether the proxy can serve clients of AWS: they send a bearer key, or the proxy can sign again with the keys
 * of the environment, or requests are not signed at all. Without any of these, clients are left alone, because
 * their signatures are valid only for AWS's own addresses.
 */
export function canSign(environment: Environment): boolean {
  return (
    sendsBearer(environment) ||
    Boolean(environment.AWS_ACCESS_KEY_ID && environment.AWS_SECRET_ACCESS_KEY) ||
    signsNothing(environment)
  );
}

/** Returns the scope in which requests to an address are signed; undefined if they are not. */
function signingOf(environment: Environment, { host }: URL, service: string): Signing | undefined {
  if (sendsBearer(environment) || signsNothing(environment)) return undefined;
  const [, inHost] = /\.([a-z]{2}[a-z0-9-]*-\d+)\./.exec(host) ?? [];
  const region = inHost || awsRegion(environment) || 'us-east-1';
  return { region, service };
}

/**
 * Returns the region of an environment; undefined without one, and in partitions whose addresses have other
 * endings.
 */
function awsRegion({ AWS_REGION, AWS_DEFAULT_REGION }: Environment): string | undefined {
  const region = AWS_REGION || AWS_DEFAULT_REGION || '';
  return /^(?!cn-|us-iso|eu-iso|eusc-)[a-z]{2}[a-z0-9-]*-\d+$/.test(region) ? region : undefined;
}

/** Clients of Bedrock prefer this key to signing. */
function sendsBearer(environment: Environment): boolean {
  return Boolean(environment.AWS_BEARER_TOKEN_BEDROCK);
}

/** Claude Code does not sign for a gateway that does: https://code.claude.com/docs/en/llm-gateway. */
function signsNothing({ CLAUDE_CODE_SKIP_BEDROCK_AUTH: skips }: Environment): boolean {
  return Boolean(skips);
}
