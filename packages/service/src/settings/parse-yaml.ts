import { createRequire } from 'node:module';

/**
 * Parses YAML. Returns all problems, one sentence each with its line. An unknown tag, such as `!env NAME`, is
 * a problem, because its value would be taken literally. No problem quotes the text, which may hold secrets.
 */
export function parseYaml(text: string) {
  // The parser takes 15 ms to load, and a service without a file need not wait for it.
  const yaml = createRequire(import.meta.url)('yaml') as typeof import('yaml');
  const lines = new yaml.LineCounter();
  const document = yaml.parseDocument(text, { lineCounter: lines, uniqueKeys: true });
  const lineAt = (offset: number) => lines.linePos(offset).line;
  const problems = [...document.errors, ...document.warnings].map(
    ({ message, pos }) => `Line ${lineAt(pos[0])}: ${reason(message)}`,
  );
  return { yaml, document, lineAt, problems };
}

/** Returns the reason in a parser's message, which also has the place and an excerpt. */
function reason(message: string): string {
  const [first = message] = message.split(/ at line |\n/);
  return `${first.replace(/:? ".*$/, '').replace(/\.?$/, '')}.`;
}
