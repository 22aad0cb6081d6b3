import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { entriesOf, printSettings, readSettings, type Setting } from '@winnow/service';
import { describe, expect, test } from 'vitest';
import { SERVICES } from './services.ts';

function fileOf(text: string): string {
  const file = join(mkdtempSync(join(tmpdir(), 'winnow-printed-')), 'printed.yaml');
  writeFileSync(file, text);
  return file;
}

/** Values of all kinds; every setting accepts one of them that is not its default. */
const CANDIDATES = [
  ...['0.25', '2', '3', '1500ms', '90s', '3MiB', 'true', 'false', 'auto:3', 'header:api-key', 'provider,mcp'],
  ...[
    'rediss://:password@127.0.0.1:6379',
    'postgres://127.0.0.1/a',
    'http://127.0.0.1:9/v1#model',
    'http://127.0.0.1:9/v1',
  ],
  ...['a-text', 'some-token,other-token', 'a,b'],
];

/** A text for a setting that gives another value than its default. */
function otherText(key: string, { schema, allowed, default: fallback, print }: Setting<unknown>): string {
  const words = /^one of (.*)$/.exec(allowed)?.[1]?.split(', ') ?? [];
  const found = [...words, ...CANDIDATES].find((text) => {
    const read = schema.safeParse(text);
    return read.success && (fallback === undefined || print(read.data) !== print(fallback));
  });
  if (found === undefined) throw new Error(`No candidate is a value of ${key}, which must be ${allowed}.`);
  return found;
}

describe.each(SERVICES)('the settings that the $name prints', ({ declaration, read }) => {
  const variables = Object.fromEntries(
    entriesOf(declaration).map(({ key, variable, setting }) => [variable, otherText(key, setting)]),
  );
  const secrets = Object.fromEntries(
    entriesOf(declaration)
      .filter(({ setting }) => setting.spentBy !== undefined)
      .map(({ variable }) => [variable, variables[variable]]),
  );

  test('are read again as they were when none is set', () => {
    const first = read({});
    if (!first.ok) return expect.unreachable();
    const second = read({}, fileOf(first.print()));
    expect(second.ok ? [second.values, second.warnings ?? []] : second.problems).toEqual([first.values, []]);
    expect(second.ok && second.print()).toBe(first.print());
  });

  test('are read again as they were when all are set, each to another value than its default', () => {
    const first = readSettings(declaration, { environment: variables });
    expect(first.problems).toEqual([]);
    const unset = readSettings(declaration, { environment: {} });
    for (const { name, key, setting } of entriesOf({ ...declaration, families: {} })) {
      expect({ key, value: first.values[name] }).not.toEqual({ key, value: unset.values[name] });
      expect(first.originOf(key), setting.allowed).toBeDefined();
    }
    const second = readSettings(declaration, {
      file: fileOf(printSettings(declaration, first)),
      environment: secrets,
    });
    expect(second.problems).toEqual([]);
    expect([second.values, second.members]).toEqual([first.values, first.members]);
  });

  test('hold no secret, and name the variable that each must come from', () => {
    const printed = printSettings(declaration, readSettings(declaration, { environment: variables }));
    for (const [variable, secret] of Object.entries(secrets)) {
      const line = printed.split('\n').find((one) => one.includes(`\${${variable}}`));
      expect(line, variable).toMatch(/^[a-z._]+: \$\{[A-Z_]+\}$/);
      expect(line).not.toContain(secret);
    }
  });

  test('have a variable each that no other has', () => {
    const names = entriesOf(declaration).map(({ variable }) => variable);
    expect(new Set(names).size).toBe(names.length);
  });
});

test('the proxy says the same again of upstreams and selectors that are set in part', () => {
  const { read } = SERVICES.find(({ name }) => name === 'proxy')!;
  for (const yaml of [
    'server: { host: 0.0.0.0 }\nupstreams: { mine: { base_url: "http://x/v1", format: openai, retry: { attempts: 0 } } }',
    'tools: { api: { endpoint: "http://127.0.0.1:1/search" } }',
    'tools: { api: { timeout: 3s } }',
    'upstreams: { bedrock: { auth: sigv4 } }',
  ]) {
    const environment = {
      AWS_ACCESS_KEY_ID: 'AK',
      AWS_SECRET_ACCESS_KEY: 'secret-of-aws',
      AWS_REGION: 'eu-west-1',
    };
    const first = read(environment, fileOf(yaml));
    if (!first.ok) throw new Error(first.problems.join());
    const second = read(environment, fileOf(first.print()));
    expect(second.ok ? second.values : second.problems).toEqual(first.values);
    expect(first.print()).not.toContain('secret-of-aws');
  }
});
