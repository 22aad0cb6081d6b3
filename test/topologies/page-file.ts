import { readText } from '../deploy/compose-file.ts';

/**
 * Returns a file that a page of the operations guide shows under a heading: the block whose first line is a comment
 * with its name.
 */
export function pageFile(page: string, heading: string, name: string): string {
  const chapter = readText(`docs/operations/${page}.md`)
    .split(/^## /m)
    .find((part) => part.startsWith(`${heading}\n`));
  const block = [...(chapter ?? '').matchAll(/^```yaml\n(# (.+)\n[\s\S]*?)^```$/gm)].find(
    ([, , file]) => file === name,
  );
  if (block === undefined) throw new Error(`docs/operations/${page}.md shows no ${name} under "${heading}".`);
  return block[1]!;
}
