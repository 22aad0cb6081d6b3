import { hash } from 'node:crypto';
import type { Category } from '@winnow/core';
import { categoriesOf } from '../content/tool-categories.ts';
import type { StoredTool } from '../model/tool.ts';

/** Number of tool names in a category's line, and its maximum length. */
const NAMED_TOOLS = 3;
const MAX_LINE_CHARS = 80;

/** Finds the categories of tools, given in order of id: the largest first, then by name. */
export function findCategories(tools: Iterable<StoredTool>): readonly Category[] {
  const found = new Map<string, { count: number; names: string[] }>();
  for (const tool of tools) {
    for (const name of categoriesOf(tool)) {
      const category = found.get(name) ?? { count: 0, names: [] };
      category.count++;
      if (category.names.length < NAMED_TOOLS) category.names.push(words(tool, name));
      found.set(name, category);
    }
  }
  return [...found]
    .sort(([a, { count }], [b, { count: other }]) => other - count || (a < b ? -1 : 1))
    .map(([name, { names }]) => ({ name, line: cut(names) }));
}

/** Returns a key of a set of categories, regardless of their sizes and lines. */
export function categorySetKey(categories: readonly Category[]): string {
  const names = categories.map(({ name }) => name).sort();
  return hash('sha256', JSON.stringify(names)).slice(0, 16);
}

/** Returns a tool's name as words, without its category at the start. */
function words({ name }: StoredTool, category: string): string {
  const text = name.replace(/[_.-]+/g, ' ').trim();
  const prefix = `${category.replace(/[_.-]+/g, ' ')} `;
  return text.startsWith(prefix) ? text.slice(prefix.length) : text;
}

/** Joins as many whole names as fit. */
function cut(names: readonly string[]): string {
  let line = '';
  for (const name of names) {
    const longer = line === '' ? name : `${line}, ${name}`;
    if (longer.length > MAX_LINE_CHARS) break;
    line = longer;
  }
  return line;
}
