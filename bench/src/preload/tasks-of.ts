import { hashedOrder } from '../hashed-order.ts';
import type { RetrievalSet, SetQuery } from '../retrieval/read-sets.ts';

/** A task of a user. */
export interface Task {
  /** The first message. */
  readonly first: string;
  /** In order; a model searches for the tools of a step in its words. */
  readonly steps: readonly { readonly text: string; readonly tools: readonly string[] }[];
}

/** Sets with tasks of several steps, or of one. */
export const TASK_SETS = ['bfcl-mt', 'nestful', 'restbench', 'toollinkos'];

/** Sets of dialogues: the id of a query ends with the number of its turn. */
const DIALOGUES = ['bfcl-mt'];

/** Maximum number of tasks of a set; hashes draw them. */
const MAX_TASKS = 500;

/**
 * Returns the tasks of a set. In a dialogue, each turn of the user is a step. Otherwise each needed tool is one,
 * in its order, and its words are the clause of the message at its place: of two clauses and four tools, the
 * first clause is for the first two.
 */
export function tasksOf({ name, tools, queries }: RetrievalSet): Task[] {
  const known = new Set(tools.map((tool) => tool.name));
  const usable = queries.filter(({ gold }) => [...gold].every((tool) => known.has(tool)));
  if (DIALOGUES.includes(name)) return dialoguesOf(usable);
  const drawn = hashedOrder(usable.map((query) => ({ name: query.id, query }))).slice(0, MAX_TASKS);
  return drawn.map(({ query: { text, gold } }) => {
    const clauses = splitClauses(text);
    const clauseAt = (place: number) => clauses[Math.floor((place * clauses.length) / gold.size)]!;
    return { first: text, steps: [...gold].map((tool, place) => ({ text: clauseAt(place), tools: [tool] })) };
  });
}

function dialoguesOf(queries: readonly SetQuery[]): Task[] {
  const turns = queries.map((query) => ({ query, turn: Number(/-(\d+)$/.exec(query.id)?.[1]) }));
  const dialogues = Map.groupBy(turns, ({ query }) => query.id.replace(/-\d+$/, ''));
  return [...dialogues.values()].flatMap((dialogue) => {
    const inOrder = dialogue.toSorted((left, right) => left.turn - right.turn);
    // Without its first turn, nothing is preloaded for the right message.
    if (inOrder[0]!.turn !== 0) return [];
    return {
      first: inOrder[0]!.query.text,
      steps: inOrder.map(({ query: { text, gold } }) => ({ text, tools: [...gold] })),
    };
  });
}

/** Ends of sentences, commas, and words between two requests. */
const CLAUSE_END =
  /(?<=[.!?;])\s+|[\n。！？；]+|,?\s+(?:and then|and also|and|then|also|after that|afterwards|before|while)\s+|,\s+/i;

const MIN_CLAUSE_WORDS = 3;

/** Splits a message into clauses; those of one or two words join the next one. */
export function splitClauses(text: string): string[] {
  const clauses: string[] = [];
  let begun = '';
  for (const part of text.split(CLAUSE_END)) {
    const words = `${begun} ${part}`.trim();
    const isShort = words.split(/\s+/).length < MIN_CLAUSE_WORDS;
    if (!isShort) clauses.push(words);
    begun = isShort ? words : '';
  }
  if (begun !== '') clauses.push([clauses.pop() ?? '', begun].join(' ').trim());
  return clauses;
}
