import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { entriesOf, readSettings } from '@winnow/service';
import { describe, expect, test } from 'vitest';
import { environmentOf, readStages } from '../deploy/dockerfile.ts';
import { SERVICES } from './services.ts';

const FOLDER = join(import.meta.dirname, 'of-0.2');

/**
 * One start of a service as configured by the files of 0.2: docker-compose.yml, .env.example, the chart,
 * systemd, the images.
 */
interface Start {
  readonly from: string;
  readonly service: string;
  readonly config?: string;
  readonly isImage?: boolean;
  readonly environment: Readonly<Record<string, string>>;
}

const STARTS: readonly Start[] = JSON.parse(readFileSync(join(FOLDER, 'starts.json'), 'utf8'));

/** Paths of files in a container, with their paths here. */
function withLocalFiles(environment: Start['environment']): Record<string, string> {
  const local = (text: string) => text.replace('/etc/winnow/', `${FOLDER}/`);
  return Object.fromEntries(Object.entries(environment).map(([name, text]) => [name, local(text)]));
}

/** Without tokens, an image does not start, because no setting names the clients. */
const NEEDED: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  registry: {
    REGISTRY_TOKENS_FILE: join(FOLDER, 'registry-tokens.yaml'),
    REGISTRY_ADMIN_TOKEN: 'admin-token-0123456789',
    SELECTOR_REGISTRY_TOKEN: 'selector-token-0123456789',
    REGISTRY_METRICS_TOKEN: 'metrics-token-0123456789',
  },
  attach: { ATTACH_TOKENS: 'attach-token-0123456789' },
};

describe.each(STARTS)('$from, as of 0.2', ({ service, config, isImage, environment }) => {
  const { read } = SERVICES.find(({ name }) => name === service)!;
  const file = service === 'proxy' && !isImage ? join(FOLDER, config ?? 'winnow.yaml') : undefined;
  const own = withLocalFiles({ ...(isImage && NEEDED[service]), ...environment });
  const image = environmentOf(readStages().find(({ name }) => name === service)!);

  test.each([
    ['alone', own],
    ['in the image of today', { ...image, ...own }],
  ] as const)('starts %s, with warnings at most', (_, variables) => {
    const outcome = read(variables, file);
    expect(outcome.ok ? [] : outcome.problems).toEqual([]);
    expect(outcome.ok && outcome.warnings.every((warning) => / has a new name: set /.test(warning))).toBe(
      true,
    );
  });
});

test('what a warning says to set gives the same settings, without a warning', () => {
  const { read } = SERVICES.find(({ name }) => name === 'selector')!;
  const first = read({ SELECTOR_REQUEST_TIMEOUT_MS: '1500', SELECTOR_CACHE_MAX_BYTES: '0' });
  if (!first.ok) return expect.unreachable();
  expect(first.warnings).toHaveLength(2);
  const told = first.warnings.map((warning) => / set (\w+)=(.*)\.$/.exec(warning)!.slice(1));
  const second = read(Object.fromEntries(told));
  expect(second.ok && [second.values, second.warnings]).toEqual([first.values, []]);
});

test.each(['selector', 'registry', 'attach'])(
  'the %s takes PORT from platforms that set it, without a warning',
  (service) => {
    const { read } = SERVICES.find(({ name }) => name === service)!;
    expect(read({ PORT: '9000' })).toMatchObject({ ok: true, values: { port: 9_000 }, warnings: [] });
  },
);

/** A variable of 0.2 with a text that is not its default, and the value that 0.2 read from it. */
interface FormerVariable {
  readonly variable: string;
  readonly field: string;
  readonly text: string;
  readonly value: unknown;
}

const VARIABLES: Readonly<Record<string, readonly FormerVariable[]>> = JSON.parse(
  readFileSync(join(FOLDER, 'variables.json'), 'utf8'),
);

describe.each(SERVICES)('the $name', ({ name, declaration }) => {
  const rows = VARIABLES[name]!.map((row) => [row.variable, row] as const);

  test.each(rows)('reads %s as 0.2 did', (variable, { field, text, value }) => {
    const read = readSettings(declaration, { environment: { [variable]: text } });
    expect(read.problems).toEqual([]);
    // The specification's names are accepted without a warning, and one of them never had an effect.
    const own = field.replace('pipes.tool_discovery.', 'tools.');
    if (own === 'tools.enable_search_fallback') return;
    expect(read.values[own]).toEqual(value);
    const isNew = entriesOf(declaration).some((entry) => entry.variable === variable);
    const isSpecified = variable.startsWith('PROXY_PIPES_TOOL_DISCOVERY_');
    expect(read.warnings).toHaveLength(isNew || isSpecified || variable === 'PORT' ? 0 : 1);
  });

  test('reads all of them together', () => {
    const environment = Object.fromEntries(VARIABLES[name]!.map(({ variable, text }) => [variable, text]));
    expect(readSettings(declaration, { environment }).problems).toEqual([]);
  });
});

test.each([
  ['SELECTOR_MAX_HELD_BYTES', '4294967296', 'maxHeldBytes', 4_294_967_296],
  ['SELECTOR_CACHE_MAX_BYTES', '0', 'cacheMaxBytes', 0],
  ['SELECTOR_EMBEDDER_CACHE_BYTES', '8589934592', 'embedderCacheBytes', 8_589_934_592],
  ['SELECTOR_DRAIN_DELAY_MS', '0', 'drainDelayMs', 0],
  ['SELECTOR_REQUEST_TIMEOUT_MS', '2147483647', 'requestTimeoutMs', 2_147_483_647],
])('%s=%s is still within its bounds', (variable, text, field, value) => {
  const { declaration } = SERVICES.find(({ name }) => name === 'selector')!;
  const { values, problems } = readSettings(declaration, { environment: { [variable]: text } });
  expect([problems, values[field]]).toEqual([[], value]);
});

test('the proxy reads every key of a file of 0.2, without a warning', () => {
  const { declaration } = SERVICES.find(({ name }) => name === 'proxy')!;
  const text = VARIABLES.proxy!.map((row) => `${row.field}: ${JSON.stringify(row.text)}`).join('\n');
  const file = join(mkdtempSync(join(tmpdir(), 'winnow-former-')), 'winnow.yaml');
  writeFileSync(file, text);
  const { problems, warnings, values } = readSettings(declaration, { file, environment: {} });
  expect([problems, warnings]).toEqual([[], []]);
  for (const { field, value } of VARIABLES.proxy!) {
    const own = field.replace('pipes.tool_discovery.', 'tools.');
    if (own !== 'tools.enable_search_fallback') expect({ own, value: values[own] }).toEqual({ own, value });
  }
});

test('the files of 0.2 are here', () => {
  expect(
    ['winnow.yaml', 'chart.yaml', 'registry-tokens.yaml'].filter((name) => !existsSync(join(FOLDER, name))),
  ).toEqual([]);
  expect(STARTS.length).toBeGreaterThan(15);
});
