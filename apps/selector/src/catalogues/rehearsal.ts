/** A body to rehearse with; see `BuildInput`. */
export interface RehearsalBody {
  readonly bytes: Buffer;
  readonly toolsStart: number;
}

/**
 * How often a worker rehearses: more bring little. At a hundred tools each that takes some .4 s of processor time once, and the first large catalogue then a third of what it takes without.
 */
export const REHEARSALS = 30;

/** From a worker's start to its first rehearsal. */
export const BEFORE_REHEARSALS_MS = 500;

const TOOLS = 100;

/**
 * A search with made-up tools of the usual shapes and lengths. V8 compiles what reads and indexes tools once that has run for a while; the first large
 * catalogue would wait for it. Every round has other tools.
 */
export function rehearsalBody(round: number): RehearsalBody {
  const head = '{"pattern":"rehearsal","tools":';
  const tools = Array.from({ length: TOOLS }, (_, tool) => madeUpTool(round * TOOLS + tool));
  return { bytes: Buffer.from(`${head}${JSON.stringify(tools)}}`), toolsStart: head.length };
}

const VERBS = 'get list create update delete search send archive restore schedule'.split(' ');
const NOUNS =
  'invoice message calendar_event customer repository pull_request comment file folder payment ticket'.split(
    ' ',
  );
const DETAILS = ['by its id', 'of a customer', 'that match a query', 'before a date'];

function madeUpTool(number: number): object {
  const verb = pick(VERBS, number);
  const noun = pick(NOUNS, number);
  const thing = noun.replace('_', ' ');
  const name = `${verb}_${noun}_${number.toString(36)}`;
  const description = `${verb} a ${thing} ${pick(DETAILS, number)}.\nGives “${thing}” number ${number}, or an error.`;
  const properties = {
    [`${noun}_id`]: { type: 'string', description: `Id of the ${thing}.` },
    [`${pick(NOUNS, number * 7)}_filter`]: {
      type: 'object',
      properties: {
        sort_by: { type: 'string', enum: ['created', 'name', 'size'], description: 'What comes first.' },
        limit: { type: 'integer', minimum: 1, default: 20, description: 'Most results, at most 100.' },
        tags: { type: 'array', items: { type: 'string' }, description: `Tags that the ${thing} must have.` },
      },
      required: ['limit'],
    },
  };
  const parameters = { type: 'object', properties, required: [`${noun}_id`] };
  return number % 2 === 0
    ? { name, description, definition: { type: 'function', function: { name, description, parameters } } }
    : { name, description, input_schema: parameters };
}

function pick(words: readonly string[], number: number): string {
  return words[number % words.length]!;
}
