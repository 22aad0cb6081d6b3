import { typesOf } from './emit-types.ts';
import { LIBRARIES, OPTIONAL } from './entries.ts';

/** The name in `server.json`, by which the registry of MCP lists the front door. */
const MCP_NAME = 'io.github.winnow-tools/winnow';

/** The input for a manifest. */
export interface ManifestSource {
  readonly name: string;
  readonly version: string;
  /** Third-party packages that the compiled code imports. */
  readonly imports: ReadonlySet<string>;
  /** The manifests of the workspaces, which give the versions. */
  readonly manifests: readonly { readonly dependencies?: Readonly<Record<string, string>> }[];
}

/**
 * Returns the package's `package.json`. Throws if the code imports a package that no workspace depends on.
 */
export function writeManifest({ name, version, imports, manifests }: ManifestSource): string {
  const versions = Object.assign({}, ...manifests.map(({ dependencies }) => dependencies)) as Record<
    string,
    string
  >;
  const pinned = (isWanted: (name: string) => boolean) =>
    Object.fromEntries(
      [...imports]
        .filter(isWanted)
        .sort()
        .map((one) => [one, versionOf(one)]),
    );
  const versionOf = (one: string) => {
    const found = versions[one];
    if (found === undefined) throw new Error(`no workspace declares a version of ${one}`);
    return found;
  };
  return `${JSON.stringify(
    {
      name,
      version,
      // The registry of MCP takes an entry only from the package that names it.
      mcpName: MCP_NAME,
      description:
        'Shows a language model only the tools it needs: a streaming LLM proxy, a tool selector, a tool registry',
      keywords: ['llm', 'tools', 'tool-search', 'mcp', 'proxy', 'gateway', 'openai', 'anthropic', 'bm25'],
      license: 'Apache-2.0',
      // npm compares it with the repository that the provenance names.
      repository: { type: 'git', url: 'git+https://github.com/winnow-tools/winnow.git' },
      type: 'module',
      engines: { node: '>=24' },
      // npx runs the first by the package's name; the second is the short one.
      bin: { [name]: 'winnow-tools.cjs', winnow: 'winnow-tools.cjs' },
      exports: {
        ...Object.fromEntries(
          LIBRARIES.map((library) => [
            `./${library}`,
            { types: `./types/${typesOf(library)}`, default: `./dist/library-${library}.js` },
          ]),
        ),
        './package.json': './package.json',
      },
      dependencies: pinned((one) => !OPTIONAL.includes(one)),
      peerDependencies: pinned((one) => OPTIONAL.includes(one)),
      peerDependenciesMeta: Object.fromEntries(OPTIONAL.map((one) => [one, { optional: true }])),
    },
    null,
    2,
  )}\n`;
}
