/** Words of PromQL that can stand in the place of a metric. */
const KEYWORDS = new Set([
  'by',
  'without',
  'on',
  'ignoring',
  'group_left',
  'group_right',
  'and',
  'or',
  'unless',
  'bool',
  'offset',
  'inf',
  'nan',
]);

/**
 * The metrics that a PromQL expression reads, each once.
 *
 * Every name counts except keywords, functions, aggregations, lists of labels, and the content of selectors,
 * ranges and strings.
 */
export function metricsOf(expression: string): readonly string[] {
  const bare = expression
    .replace(/"(?:[^"\\]|\\.)*"/g, '')
    .replace(/\{[^}]*\}|\[[^\]]*\]/g, ' ')
    .replace(/\b(by|without|on|ignoring|group_left|group_right)\s*\([^)]*\)/g, ' ');
  const names = [...bare.matchAll(/\b([a-zA-Z_:][\w:]*)\b(?!\s*\()/g)].map((match) => match[1]!);
  return [...new Set(names)].filter((name) => !KEYWORDS.has(name.toLowerCase()));
}
