import { z } from 'zod';
import { parseByteSize } from './byte-size.ts';
import { parseDuration } from './duration.ts';

/** One setting: how its value is read from YAML or from an environment variable, and what stands when it is not set. */
export interface Setting<Value> {
  readonly schema: z.ZodType<Value>;
  readonly default: Value;
  /** Completes "… must be". */
  readonly allowed: string;
  /** Its value never appears in messages or in `--print-config`. */
  readonly isSecret: boolean;
}

const setting = <Value>(schema: z.ZodType<Value>, fallback: Value, allowed: string): Setting<Value> => ({
  schema,
  default: fallback,
  allowed,
  isSecret: false,
});

const wholeNumber = (least: number, most: number, fallback: number) =>
  setting<number>(
    z.union([z.number(), z.string().regex(/^\d+$/).transform(Number)]).pipe(z.int().min(least).max(most)),
    fallback,
    `a whole number from ${least} to ${most}`,
  );

const number = (least: number, most: number, fallback: number) =>
  setting<number>(
    z
      .union([
        z.number(),
        z
          .string()
          .regex(/^\d*\.?\d+$/)
          .transform(Number),
      ])
      .pipe(z.number().min(least).max(most)),
    fallback,
    `a number from ${least} to ${most}`,
  );

const oneOf = <const Values extends readonly [string, ...string[]]>(
  values: Values,
  fallback: Values[number],
) => setting<Values[number]>(z.enum(values), fallback, `one of ${values.join(', ')}`);

const flag = (fallback: boolean) =>
  setting<boolean>(
    z.union([z.boolean(), z.enum(['true', 'false']).transform((text) => text === 'true')]),
    fallback,
    'true or false',
  );

/** The longest time that Node's timers can wait. */
const LONGEST_MS = 2 ** 31 - 1;

const duration = (fallback: string, leastMs: number) =>
  setting<number>(
    z
      .string()
      .transform((text) => parseDuration(text) ?? Number.NaN)
      .refine((ms) => ms >= leastMs && ms <= LONGEST_MS),
    parseDuration(fallback)!,
    `a time with its unit, such as ${fallback}, from ${leastMs}ms to 24d`,
  );

const byteSize = (fallback: string) =>
  setting<number>(
    z
      .string()
      .transform((text) => parseByteSize(text) ?? Number.NaN)
      .refine((bytes) => bytes >= 1 && bytes <= 2 ** 31),
    parseByteSize(fallback)!,
    `a size with its unit, such as ${fallback}, up to 2GiB`,
  );

const nameList = () =>
  setting<readonly string[]>(
    z.union([
      z.array(z.string().min(1)),
      z.string().transform((list) =>
        list
          .split(',')
          .map((name) => name.trim())
          .filter(Boolean),
      ),
    ]),
    [],
    'a list of tool names (in an environment variable: separated by commas)',
  );

const isHttpUrl = (text: string) => /^https?:\/\//.test(text) && URL.canParse(text);

const url = (fallback: string) =>
  setting<string>(
    z
      .string()
      .refine((text) => text === '' || (isHttpUrl(text) && !text.includes('?') && !text.includes('#'))),
    fallback,
    'an http or https address without query',
  );

/** What a header can carry: visible ASCII. An empty text counts as not set, as `${NAME:-}` gives it. */
const secret = (): Setting<string> => ({
  ...setting(z.string().regex(/^[\x21-\x7e]*$/), '', 'a key of visible ASCII characters'),
  isSecret: true,
});

const text = (schema: z.ZodType<string>, fallback: string, allowed: string) =>
  setting(schema, fallback, allowed);

const file = (fallback: string) => text(z.string(), fallback, 'the path of a file, or empty for none');

/** It may hold a password. How it is written is checked with the whole configuration, in words that fit what is wrong. */
const redisUrl = (): Setting<string> => ({
  ...setting(
    z.string(),
    '',
    'an address such as redis://host:6379, rediss://…, redis+sentinel://host:26379/name or redis+cluster://host:6379',
  ),
  isSecret: true,
});

const STRATEGIES = ['passthrough', 'relevance', 'tool-search', 'api'] as const;

/** Every setting with a fixed key: the one place of names, defaults and bounds. `docs/proxy.md` says what each is for. */
export const SETTINGS = {
  'server.host': text(z.string().min(1), '127.0.0.1', 'an address to listen on'),
  'server.port': wholeNumber(0, 65_535, 8787),
  'server.max_body': byteSize('50MiB'),
  'server.max_held_bodies': byteSize('256MiB'),
  'server.drain_delay': duration('0s', 0),
  'server.drain_timeout': duration('30s', 0),
  'server.response_headers': flag(false),
  'sessions.store': oneOf(['memory', 'redis'], 'memory'),
  'sessions.secret': secret(),
  'sessions.ttl': duration('1h', 1_000),
  'sessions.max_memory': byteSize('256MiB'),
  'redis.url': redisUrl(),
  'redis.timeout': duration('100ms', 1),
  'redis.key_prefix': text(
    z.string().regex(/^[\x21-\x7a|~]{0,64}$/),
    'winnow:',
    'up to 64 visible ASCII characters other than braces',
  ),
  'redis.ca_file': file(''),
  'redis.cert_file': file(''),
  'redis.key_file': file(''),
  'pipes.tool_discovery.enabled': flag(true),
  'pipes.tool_discovery.strategy': oneOf(STRATEGIES, 'api'),
  'pipes.tool_discovery.provider': text(z.string(), 'selector', 'the name of one of `providers`'),
  'pipes.tool_discovery.api.endpoint': url(''),
  'pipes.tool_discovery.api.api_key': secret(),
  'pipes.tool_discovery.api.timeout': duration('2s', 1),
  'pipes.tool_discovery.min_tools': wholeNumber(0, 20_000, 5),
  'pipes.tool_discovery.max_tools': wholeNumber(1, 20_000, 25),
  'pipes.tool_discovery.target_ratio': number(0, 1, 0.8),
  'pipes.tool_discovery.always_keep': nameList(),
  'pipes.tool_discovery.search_tool_name': text(
    z.string().regex(/^[A-Za-z0-9_-]{1,64}$/),
    'gateway_search_tools',
    'a tool name: 1 to 64 letters, digits, _ and -',
  ),
  'pipes.tool_discovery.max_search_results': wholeNumber(1, 1_000, 5),
  'pipes.tool_discovery.enable_search_fallback': flag(true),
  'pipes.tool_discovery.load_mode': oneOf(['auto', 'swap', 'native'], 'auto'),
  'pipes.tool_discovery.redact.descriptions': nameList(),
  'pipes.tool_discovery.redact.send_definition': oneOf(['full', 'minimal'], 'full'),
  'rollout.mode': oneOf(['off', 'dark', 'shadow', 'partial', 'full'], 'full'),
  'rollout.percent': number(0, 100, 100),
  'rollout.allow_override': flag(false),
  'records.file': text(z.string().min(1), 'tool_discovery.jsonl', 'the path of a file, or none'),
  'records.max_size': byteSize('100MiB'),
  'records.keep': wholeNumber(1, 1_000, 5),
  'records.query_text': flag(false),
} as const;

/** The settings of each upstream: `upstreams.<name>.<field>`. */
export const UPSTREAM_SETTINGS = {
  base_url: url(''),
  format: oneOf(['openai', 'anthropic'], 'openai'),
  api_key: secret(),
} as const;

/** The settings of each provider: `providers.<name>.<field>`. */
export const PROVIDER_SETTINGS = {
  endpoint: url(''),
  api_key: secret(),
  timeout: duration('2s', 1),
  ca_file: file(''),
  cert_file: file(''),
  key_file: file(''),
} as const;

/** The tables of settings under a name that the operator chooses. */
export const NAMED_SETTINGS = { upstreams: UPSTREAM_SETTINGS, providers: PROVIDER_SETTINGS } as const;

/** What the values of a table of settings are. */
export type ValuesOf<Table> = {
  readonly [Key in keyof Table]: Table[Key] extends Setting<infer Value> ? Value : never;
};
