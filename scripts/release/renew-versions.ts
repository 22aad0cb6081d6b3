/**
 * Paths of the files that contain Winnow's version, in addition to the packages' manifests, relative to the
 * repository's root.
 */
export const FILES_WITH_VERSION = [
  'clients/python/pyproject.toml',
  'deploy/helm/winnow/Chart.yaml',
  'deploy/kubernetes/attach.yaml',
  'deploy/kubernetes/winnow.yaml',
  'docker-compose.yml',
  'docs/operations/deploying.md',
  'plugins/claude-code/.claude-plugin/plugin.json',
  'server.json',
] as const;

/** `major.minor.patch` with optional suffixes, as [Semantic Versioning](https://semver.org) defines it. */
const VERSION = /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(?:-[0-9A-Za-z.-]+)?$/;

/** Returns why `next` cannot follow `current`, as a sentence; undefined if it can. */
export function faultOfVersion(next: string, current: string): string | undefined {
  const [to, from] = [VERSION.exec(next), VERSION.exec(current)];
  if (to === null) return `${next} is not a version; use the form 1.2.3`;
  if (from === null) return `the current version, ${current}, is not a valid version`;
  for (const part of [1, 2, 3]) {
    const step = Number(to[part]) - Number(from[part]);
    if (step > 0) return undefined;
    if (step < 0) return `${next} is before ${current}`;
  }
  return next === current ? `${next} is the current version` : undefined;
}

/**
 * Returns a file's text with one version replaced by the other. Throws if the file does not contain the
 * version.
 */
export function renewVersion(text: string, from: string, to: string): string {
  const renewed = text.replaceAll(
    new RegExp(`(?<![\\d.])${from.replaceAll('.', '\\.')}(?![\\d.]*\\d)`, 'g'),
    to,
  );
  if (renewed === text) throw new Error(`it does not contain version ${from}`);
  return renewed;
}

const HEADING = /^## (?:Unreleased|(\d\S*), first release)\n/m;

/**
 * Returns the changelog with the unreleased changes under a new heading. Throws if there is nothing to
 * release.
 */
export function releaseChanges(changelog: string, version: string, date: string): string {
  const heading = HEADING.exec(changelog);
  const changes = heading && changelog.slice(heading.index + heading[0].length).split(/^## /m)[0]!;
  if (!changes?.trim()) throw new Error('there is nothing under "Unreleased"');
  if (heading![1] !== undefined && heading![1] !== version)
    throw new Error(`the first release is ${heading![1]}`);
  return changelog.replace(HEADING, () => `## Unreleased\n\n## ${version}, ${date}\n`);
}

/** Returns the changes of a version, without its heading. Throws if the changelog does not have it. */
export function notesOf(changelog: string, version: string): string {
  const [, ...sections] = changelog.split(/^## /m);
  const section = sections.find((one) => one.startsWith(`${version},`));
  if (section === undefined) throw new Error(`the changelog has no version ${version}`);
  return section.slice(section.indexOf('\n')).trim().concat('\n');
}

/** The age of the price table, in days, from which on a release needs a new look at its pages. */
const MOST_DAYS = 60;

/** Returns why a table of prices is too old for a release on a day; undefined if it is not. */
export function faultOfPrices(
  { models }: { readonly models: Readonly<Record<string, { readonly date: string }>> },
  today: string,
): string | undefined {
  const newest = Object.values(models).reduce((latest, { date }) => (date > latest ? date : latest), '');
  const days = (Date.parse(today) - Date.parse(newest)) / 86_400_000;
  return days <= MOST_DAYS
    ? undefined
    : `The newest price is of ${newest}: look the prices up again, and write their dates into packages/core/src/prices/prices.json.`;
}
