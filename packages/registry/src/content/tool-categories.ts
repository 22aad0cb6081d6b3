import type { StoredTool } from '../model/tool.ts';

/** First words of names that name an action, not a subject. */
const VERBS: ReadonlySet<string> = new Set(
  'add append apply archive assign batch build call cancel check clear clone close compare connect convert copy count create delete describe disable download edit enable execute export fetch find generate get import insert invite is list load lookup mark merge move open post publish pull push put query read remove rename replace reset resolve restart retrieve run save schedule search select send set share show start stop submit subscribe sync test track trigger update upload validate verify view write'.split(
    ' ',
  ),
);

/**
 * Returns the categories of a tool: its tags; without tags, its namespace; without either, the first word of a name of
 * several words, unless it is a verb. Otherwise none.
 */
export function categoriesOf({ tags, namespace, name }: StoredTool): readonly string[] {
  if (tags.length > 0) return tags;
  if (namespace !== '') return [namespace];
  const [first = '', ...rest] = name.split(/[_.-]+/).filter(Boolean);
  const prefix = first.toLowerCase();
  return rest.length === 0 || VERBS.has(prefix) ? [] : [prefix];
}
