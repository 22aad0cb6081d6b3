import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { environmentOf, readStages } from '../deploy/dockerfile.ts';
import { SERVICES } from './services.ts';

const FOLDER = join(import.meta.dirname, 'of-0.2');

/** One start of a service as the files of 0.2 made it: docker-compose.yml, .env.example, the chart, systemd, the images. */
interface Start {
  readonly from: string;
  readonly service: string;
  readonly config?: string;
  readonly isImage?: boolean;
  readonly environment: Readonly<Record<string, string>>;
}

const STARTS: readonly Start[] = JSON.parse(readFileSync(join(FOLDER, 'starts.json'), 'utf8'));

/** Files in a container, where they are here. */
function withLocalFiles(environment: Start['environment']): Record<string, string> {
  const local = (text: string) => text.replace('/etc/winnow/', `${FOLDER}/`);
  return Object.fromEntries(Object.entries(environment).map(([name, text]) => [name, local(text)]));
}

/** Without tokens, an image does not start: nothing says who may ask. */
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
  const first = read({ PORT: '9000', SELECTOR_REQUEST_TIMEOUT_MS: '1500', SELECTOR_CACHE_MAX_BYTES: '0' });
  if (!first.ok) return expect.unreachable();
  expect(first.warnings).toHaveLength(3);
  const told = first.warnings.map((warning) => / set (\w+)=(.*)\.$/.exec(warning)!.slice(1));
  const second = read(Object.fromEntries(told));
  expect(second.ok && [second.values, second.warnings]).toEqual([first.values, []]);
});

test('the files of 0.2 are here', () => {
  expect(
    ['winnow.yaml', 'chart.yaml', 'registry-tokens.yaml'].filter((name) => !existsSync(join(FOLDER, name))),
  ).toEqual([]);
  expect(STARTS.length).toBeGreaterThan(15);
});
