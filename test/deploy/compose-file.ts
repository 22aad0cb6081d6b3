import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';

/** The repository's root. */
export const ROOT = resolve(import.meta.dirname, '../..');

const duration = z.string().regex(/^\d+(ms|s|m|h)$/);
const memory = z.string().regex(/^\d+[kmg]$/);
const environment = z.record(z.string().regex(/^[A-Z][A-Z0-9_]*$/), z.string());
const command = z.array(z.string());

const HealthCheck = z.strictObject({
  test: z.array(z.string()).min(2),
  interval: duration,
  timeout: duration,
  retries: z.int(),
});

/**
 * The parts of the Compose specification that the file uses. Strict, so that a misspelt key fails as it would
 * with Docker: https://github.com/compose-spec/compose-spec/blob/main/05-services.md
 */
const Service = z.strictObject({
  image: z.string(),
  build: z.strictObject({ context: z.string(), target: z.string() }).optional(),
  profiles: z.array(z.string()).optional(),
  entrypoint: command.optional(),
  command: command.optional(),
  environment: environment.optional(),
  volumes: z.array(z.string()).optional(),
  tmpfs: z.array(z.string()).optional(),
  networks: z.array(z.string()).min(1),
  ports: z.array(z.string()).optional(),
  healthcheck: HealthCheck.optional(),
  user: z.string().optional(),
  init: z.boolean().optional(),
  restart: z.enum(['no', 'always', 'on-failure', 'unless-stopped']),
  read_only: z.boolean(),
  cap_drop: z.array(z.string()),
  security_opt: z.array(z.string()),
  stop_signal: z.enum(['SIGTERM', 'SIGUSR1']).optional(),
  stop_grace_period: duration.optional(),
  mem_limit: memory,
  pids_limit: z.int(),
  ulimits: z.strictObject({ nofile: z.strictObject({ soft: z.int(), hard: z.int() }) }).optional(),
  logging: z.strictObject({ driver: z.string(), options: z.record(z.string(), z.string()) }),
});

const ComposeFile = z.strictObject({
  name: z.string(),
  services: z.record(z.string(), Service),
  networks: z.record(z.string(), z.strictObject({ internal: z.boolean().optional() })),
  volumes: z.record(z.string(), z.strictObject({})),
});

/** One service of the Compose file. */
export type ComposeService = z.infer<typeof Service>;
/** The Compose file, validated. */
export type ComposeFile = z.infer<typeof ComposeFile>;

/** The text of a file in the repository. */
export function readText(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8');
}

/**
 * Reads the Compose file as Docker does: merges anchors, then replaces variables. Throws if a variable is
 * missing or a key is unknown.
 */
export function readComposeFile(variables: Readonly<Record<string, string>>): ComposeFile {
  const whole = parse(readText('docker-compose.yml'), { merge: true }) as object;
  const named = Object.entries(whole).filter(([key]) => !key.startsWith('x-'));
  return ComposeFile.parse(interpolated(Object.fromEntries(named), variables));
}

function interpolated(value: unknown, variables: Readonly<Record<string, string>>): unknown {
  if (typeof value === 'string') return interpolate(value, variables);
  if (Array.isArray(value)) return value.map((one) => interpolated(one, variables));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, interpolated(one, variables)]));
}

/**
 * Replaces `${NAME}`, `${NAME-default}`, `${NAME:-default}` and `${NAME:?message}`, also within defaults, and `$$` by `$`:
 * https://github.com/compose-spec/compose-spec/blob/main/12-interpolation.md
 */
function interpolate(text: string, variables: Readonly<Record<string, string>>): string {
  // With `$$` set aside, it cannot start a variable. The innermost first, because a default may contain
  // another variable.
  let result = text.replaceAll('$$', '\0');
  const innermost = /\$\{(\w+)(?:(:?-|:\?)([^${}]*))?\}/;
  for (let match = innermost.exec(result); match; match = innermost.exec(result)) {
    const [whole, name, operator, rest = ''] = match;
    result = result.replace(whole, () => replacementOf(name!, operator, rest, variables));
  }
  return result.replaceAll('\0', '$');
}

function replacementOf(
  name: string,
  operator: string | undefined,
  rest: string,
  variables: Readonly<Record<string, string>>,
): string {
  const value = variables[name];
  if (value || (operator === '-' && value === '')) return value;
  if (operator?.endsWith('-')) return rest;
  throw new Error(`${name} is missing: ${rest}`);
}

/**
 * The settings of `.env.example`, with a value for every variable that the user must fill in, and without
 * those that are optional.
 */
export function filledEnvironment(): Record<string, string> {
  const lines = [...readText('.env.example').matchAll(/^(\w+)=(.*)$/gm)];
  return Object.fromEntries(
    lines.map(([, name, value]) => [name!, value || `${name!.toLowerCase().replaceAll('_', '')}1`]),
  );
}
