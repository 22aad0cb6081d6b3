/** Words of PromQL that stand where a metric could. */
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
 * Every name is one but for keywords, functions and aggregations, lists of labels, and what stands in selectors, ranges and texts.
 */
export function metricsOf(expression: string): readonly string[] {
  const bare = expression
    .replace(/"(?:[^"\\]|\\.)*"/g, '')
    .replace(/\{[^}]*\}|\[[^\]]*\]/g, ' ')
    .replace(/\b(by|without|on|ignoring|group_left|group_right)\s*\([^)]*\)/g, ' ');
  const names = [...bare.matchAll(/\b([a-zA-Z_:][\w:]*)\b(?!\s*\()/g)].map((match) => match[1]!);
  return [...new Set(names)].filter((name) => !KEYWORDS.has(name.toLowerCase()));
}
