import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { writeManifest } from '../distribution/src/write-manifest.ts';

const ROOT = join(import.meta.dirname, '..');
const readText = (path: string) => readFileSync(join(ROOT, path), 'utf8');
const readJson = (path: string): unknown => JSON.parse(readText(path));

const { version } = z.object({ version: z.string() }).parse(readJson('package.json'));
const CONFIG_ARGUMENTS = ['mcp', '--config'];

/** Source: https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json */
const ServerEntry = z.strictObject({
  $schema: z.literal('https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json'),
  name: z.string().regex(/^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/),
  title: z.string().min(1).max(100),
  description: z.string().min(1).max(100),
  version: z.literal(version),
  packages: z.tuple([
    z.strictObject({
      registryType: z.literal('npm'),
      identifier: z.literal('winnow-tools'),
      version: z.literal(version),
      runtimeHint: z.literal('npx'),
      transport: z.strictObject({ type: z.literal('stdio') }),
      packageArguments: z.array(
        z.discriminatedUnion('type', [
          z.strictObject({ type: z.literal('positional'), value: z.string() }),
          z.strictObject({
            type: z.literal('named'),
            name: z.string().startsWith('--'),
            description: z.string(),
            isRequired: z.boolean(),
            format: z.enum(['string', 'number', 'boolean', 'filepath']),
          }),
        ]),
      ),
    }),
  ]),
});

test('the entry for the registry of MCP is valid, starts the front door, and is named by the package', () => {
  const { name, packages } = ServerEntry.parse(readJson('server.json'));
  const words = packages[0].packageArguments.map((one) => ('value' in one ? one.value : one.name));
  expect(words).toEqual(CONFIG_ARGUMENTS);
  const manifest = writeManifest({ name: 'winnow-tools', version, imports: new Set(), manifests: [] });
  expect(JSON.parse(manifest)).toMatchObject({ mcpName: name });
});

const Entry = z.object({ command: z.literal('npx'), args: z.array(z.string()) });

function expectFrontDoor(entry: unknown): void {
  const { args } = Entry.parse(entry);
  expect(args.map((word) => word.replace(`@${version}`, '')).slice(0, -1)).toEqual([
    '--yes',
    'winnow-tools',
    ...CONFIG_ARGUMENTS,
  ]);
  expect(args.at(-1)).toMatch(/^\$\{(?:HOME|userHome)\}\/\.config\/winnow\/mcp\.json$/);
}

test('the marketplace leads to the plugin of Claude Code, which starts the front door', () => {
  const { plugins } = z
    .object({ plugins: z.tuple([z.object({ name: z.string(), source: z.string() })]) })
    .parse(readJson('.claude-plugin/marketplace.json'));
  const [{ name, source }] = plugins;
  const plugin = z
    .object({
      name: z.literal(name),
      version: z.literal(version),
      mcpServers: z.object({ winnow: z.unknown() }),
    })
    .parse(readJson(join(source, '.claude-plugin/plugin.json')));
  expectFrontDoor(plugin.mcpServers.winnow);
  expect(readText(join(source, 'commands/import.md'))).toMatch(/^---\ndescription: .+\n/);
});

test('the links that install the entry hold what starts the front door', () => {
  const links = [...readText('docs/clients/mcp.md').matchAll(/\]\((https:[^)]*install[^)]*)\)/g)].map(
    ([, link]) => new URL(link!),
  );
  expect(links.map(({ hostname }) => hostname)).toEqual(['vscode.dev', 'cursor.com']);
  for (const { hostname, searchParams } of links) {
    const config = searchParams.get('config')!;
    expectFrontDoor(JSON.parse(hostname === 'cursor.com' ? atob(config) : config));
  }
});
