import { embedderAddress } from '@winnow/embeddings';
import { setting } from '@winnow/service';
import { VENDOR_NAMES } from '@winnow/wire';
import { z } from 'zod';

/**
 * The URL may hold a password. Its format is validated with the whole configuration, which explains the exact
 * problem.
 */
const redisUrl = () =>
  setting.secretText(
    'own_data',
    () => true,
    'an address such as redis://host:6379, rediss://…, redis+sentinel://host:26379/name or redis+cluster://host:6379',
  );

/** The name of the tool through which models call deferred tools in bridge mode. */
export const BRIDGE_TOOL_NAME = 'gateway_call_tool';

const STRATEGIES = ['passthrough', 'relevance', 'tool-search', 'api'] as const;

/** Settings that a profile may set differently. All but those of `rollout` have a key in `tools`. */
const PROFILED = {
  always_keep: setting.list('tool names or globs'),
  goal: setting.oneOf(['balanced', 'cost', 'context'], 'balanced'),
  'rollout.mode': setting.oneOf(['off', 'dark', 'shadow', 'partial', 'full'], 'full'),
  'rollout.percent': setting.number(0, 100, 100),
} as const;

/**
 * Every setting with a fixed key: the only definition of names, defaults and bounds.
 * `docs/reference/proxy-settings.md` explains each.
 */
export const SETTINGS = {
  'server.host': setting.of(z.string().min(1), '127.0.0.1', 'an address to listen on'),
  'server.port': setting.wholeNumber(0, 65_535, 8787),
  'server.tokens': setting.bearerTokens({ areNamed: true }),
  'server.allowed_hosts': setting.restriction('host names'),
  'server.allowed_origins': setting.list('origins'),
  'server.max_body': setting.byteSize('50MiB'),
  'server.drain_delay': setting.duration('0s', 0),
  'server.drain_timeout': setting.duration('30s', 0),
  'server.tls_folder': setting.tlsFolder(),
  'server.client_ca_file': setting.pemFile(),
  'client.tls_folder': setting.file(''),
  'sessions.secret': setting.secret('no_request'),
  'sessions.tenant_headers': setting.list('header names'),
  'redis.url': redisUrl(),
  'embedder.address': embedderAddress(),
  'embedder.api_key': setting.secret('every_request'),
  'tools.strategy': setting.oneOf(STRATEGIES, 'api'),
  'tools.api.endpoint': setting.url('http://127.0.0.1:8788/v1/tool-discovery/search'),
  'tools.api.api_key': setting.secret('own_data'),
  'tools.api.timeout': setting.duration('2s', 1),
  'tools.goal': PROFILED.goal,
  'tools.min_tools': setting.wholeNumber(0, 20_000, 5),
  'tools.max_tools': setting.wholeNumber(1, 20_000, 25),
  'tools.target_ratio': setting.number(0, 1, 0.8),
  'tools.preload': setting.wholeNumber(0, 1_000, 6),
  'tools.min_deferred_tokens': setting.wholeNumber(0, 10_000_000, 2_000),
  'tools.always_keep': PROFILED.always_keep,
  'tools.search_tool_name': setting.of(
    z.string().regex(/^[A-Za-z0-9_-]{1,64}$/),
    'gateway_search_tools',
    'a tool name: 1 to 64 letters, digits, _ and -',
  ),
  'tools.max_search_results': setting.wholeNumber(1, 1_000, 8),
  'tools.redact.descriptions': setting.list('tool names'),
  'tools.redact.send_definition': setting.oneOf(['full', 'minimal'], 'minimal'),
  'rollout.mode': PROFILED['rollout.mode'],
  'rollout.percent': PROFILED['rollout.percent'],
  'rollout.allow_override': setting.flag(false),
  'records.file': setting.of(z.string().min(1), 'tool_discovery.jsonl', 'the path of a file, or none'),
  'records.query_text': setting.flag(false),
  'page.enabled': setting.flag(true),
  'page.token': setting.secret('no_request'),
  'page.prices_file': setting.of(z.string(), '', 'the path of a file'),
} as const;

/** Authentication at an upstream: a kind, and the name that some kinds need. */
export interface AuthSetting {
  readonly kind: 'auto' | 'forward' | 'bearer' | 'header' | 'query' | 'sigv4';
  /** The header or parameter; for `sigv4`, region and service, as far as they are set. */
  readonly name: string;
}

/** An authentication as one text: `bearer`, `header:api-key`, `sigv4:eu-central-1/bedrock`. */
const AUTH = setting.of<AuthSetting>(
  z
    .string()
    .regex(
      /^(?:auto|forward|bearer|(?:header|query):[A-Za-z0-9_.-]{1,64}|sigv4(?::[a-z0-9-]{1,32}(?:\/[a-z0-9-]{1,32})?)?)$/,
    )
    .transform((text): AuthSetting => {
      const [kind, name = ''] = text.split(':');
      return { kind: kind as AuthSetting['kind'], name };
    }),
  { kind: 'auto', name: '' },
  'auto, forward, bearer, header:NAME, query:NAME, or sigv4 (also sigv4:REGION or sigv4:REGION/SERVICE)',
  ({ kind, name }) => JSON.stringify(name === '' ? kind : `${kind}:${name}`),
);

/** The settings of each upstream: `upstreams.<name>.<field>`. */
export const UPSTREAM_SETTINGS = {
  base_url: setting.url(''),
  format: setting.oneOf(VENDOR_NAMES, VENDOR_NAMES[0]),
  api_key: setting.secret('every_request'),
  auth: AUTH,
  load: setting.oneOf(['auto', 'native', 'bridge', 'swap'], 'auto'),
  polyfill: setting.oneOf(['on', 'off'], 'off'),
  enabled: setting.flag(true),
  'retry.attempts': setting.wholeNumber(0, 10, 2),
  idle_timeout: setting.duration('10m', 1),
} as const;

/** The settings of each profile: `profiles.<name>.<field>`. A missing one has the general value. */
export const PROFILE_SETTINGS = {
  'match.upstream': setting.restriction('names or globs of upstreams'),
  'match.model': setting.restriction('names or globs of models'),
  'match.agent': setting.restriction('user agents or globs'),
  'match.token': setting.restriction('names or globs of tokens'),
  always_keep: setting.optional(PROFILED.always_keep),
  goal: setting.optional(PROFILED.goal),
  'rollout.mode': setting.optional(PROFILED['rollout.mode']),
  'rollout.percent': setting.optional(PROFILED['rollout.percent']),
} as const;

/** The settings under names that the operator chooses. */
export const NAMED_SETTINGS = {
  upstreams: UPSTREAM_SETTINGS,
  profiles: PROFILE_SETTINGS,
} as const;
