import type { Support } from '../evidence/support.ts';
import type { KeepSuggestion, Suggestions } from './suggest.ts';

/**
 * Returns a file of profiles for `tools.profiles_file`, with the evidence next to each line. A profile replaces
 * `always_keep`, so it lists what is kept today, too. Agents whose kept tools would not change have none.
 *
 * Records are hostile: names with characters that mean something in patterns, YAML or settings are left out.
 */
export function writeProfiles(suggestions: readonly Suggestions[]): string {
  const profiles = suggestions.filter(
    (one) => NAME.test(one.upstream) && keptNow(one).join() !== keptThen(one).join(),
  );
  const text = profiles.map((one, at) => profileOf(one, `suggested-${at + 1}`)).join('');
  return `${HEADER}profiles:${text === '' ? ' []\n' : `\n${text}`}`;
}

const HEADER = `# Suggested from records. Read each line before you use it as tools.profiles_file:
# the first profile that matches a request applies, and those of the configuration come first.
`;

function profileOf(one: Suggestions, name: string): string {
  const { agent, upstream, model, conversations, clients } = one;
  const kept = keptThen(one).map((pattern) => {
    const reason = one.keep.find(({ tool }) => tool === pattern);
    return `      - ${quote(pattern)}${reason === undefined ? '' : ` # ${needOf(reason)}`}\n`;
  });
  const released = keptNow(one).filter((pattern) => !keptThen(one).includes(pattern));
  return [
    `  - name: ${name}\n`,
    `    # ${conversations} conversations of ${clientsOf(clients)}\n`,
    '    match:\n',
    `      upstream: [${quote(upstream)}]\n`,
    ...(isPlainName(model) ? [`      model: [${quote(model)}]\n`] : []),
    ...(isPlainName(agent) ? [`      agent: [${quote(`${agent}*`)}]\n`] : []),
    ...released.map((pattern) => `    # No longer kept, as no conversation called it: ${quote(pattern)}\n`),
    `    always_keep:${kept.length === 0 ? ' []\n' : `\n${kept.join('')}`}`,
  ].join('');
}

/** Returns the reasons for keeping a tool. */
export function needOf({ called, searchedFirst }: Pick<KeepSuggestion, 'called' | 'searchedFirst'>): string {
  const first =
    searchedFirst.conversations > 0 ? `, searched for first in ${searchedFirst.conversations}` : '';
  return `called in ${supportText(called)}${first}`;
}

function supportText({ conversations, of, clients }: Support): string {
  return `${conversations} of ${of} conversations, by ${clientsOf(clients)}`;
}

function clientsOf(clients: number): string {
  return clients === 0 ? 'clients that cannot be told apart' : `${clients} client${clients === 1 ? '' : 's'}`;
}

function keptNow({ keptPatterns }: Suggestions): readonly string[] {
  return keptPatterns.filter((pattern) => PATTERN.test(pattern));
}

function keptThen(one: Suggestions): readonly string[] {
  const { keep, release } = one;
  const released = new Set(release.map(({ tool }) => tool));
  const added = keep.map(({ tool }) => tool).filter(isPlainName);
  return [...new Set([...keptNow(one).filter((pattern) => !released.has(pattern)), ...added])];
}

const NAME = /^[\w.:/@-]{1,128}$/;
const PATTERN = /^[\w.:/@*?-]{1,128}$/;

/** Whether a name is known, and matches only itself. */
export function isPlainName(name: string): boolean {
  return NAME.test(name) && name !== 'unknown';
}

/** Quotes a name or a pattern for YAML. */
function quote(text: string): string {
  return `"${text}"`;
}
