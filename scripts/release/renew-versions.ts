/** Files beside the packages' manifests that say which version of Winnow they are of, from the root of the repository. */
export const FILES_WITH_VERSION = [
  'clients/python/pyproject.toml',
  'deploy/helm/winnow/Chart.yaml',
  'deploy/kubernetes/attach.yaml',
  'deploy/kubernetes/winnow.yaml',
  'docker-compose.yml',
  'docs/operations/deploying.md',
] as const;

/** `major.minor.patch`, with what may stand behind it, as [Semantic Versioning](https://semver.org) writes it. */
const VERSION = /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(?:-[0-9A-Za-z.-]+)?$/;

/** What makes `next` no successor of `current`, in a sentence; undefined when it is one. */
export function faultOfVersion(next: string, current: string): string | undefined {
  const [to, from] = [VERSION.exec(next), VERSION.exec(current)];
  if (to === null) return `${next} is no version; one looks like 1.2.3`;
  if (from === null) return `the current version, ${current}, is none`;
  for (const part of [1, 2, 3]) {
    const step = Number(to[part]) - Number(from[part]);
    if (step > 0) return undefined;
    if (step < 0) return `${next} is before ${current}`;
  }
  return next === current ? `${next} is the current version` : undefined;
}

/** A file's text with one version in place of the other. Throws when the file does not say the version. */
export function renewVersion(text: string, from: string, to: string): string {
  const renewed = text.replaceAll(
    new RegExp(`(?<![\\d.])${from.replaceAll('.', '\\.')}(?![\\d.]*\\d)`, 'g'),
    to,
  );
  if (renewed === text) throw new Error(`it does not say version ${from}`);
  return renewed;
}

const HEADING = '## Unreleased\n';

/** The changelog with what was unreleased under a heading of its own. Throws when there is nothing to release. */
export function releaseChanges(changelog: string, version: string, date: string): string {
  const start = changelog.indexOf(HEADING);
  const changes = changelog.slice(start + HEADING.length).split(/^## /m)[0]!;
  if (start < 0 || changes.trim() === '') throw new Error('there is nothing under "Unreleased"');
  return changelog.replace(HEADING, () => `${HEADING}\n## ${version}, ${date}\n`);
}
