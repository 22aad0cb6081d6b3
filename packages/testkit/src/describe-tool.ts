import { capitalise, withArticle } from './english.ts';
import type { Random } from './random.ts';
import { FIELDS, PURPOSES, QUALIFIERS, ROLES } from './vocabulary.ts';

/** The subject of a description. */
export interface DescribedTool {
  readonly verb: string;
  readonly noun: string;
  readonly qualifier: string | undefined;
  readonly product: string;
  /** Number of sentences, 1 to 4. */
  readonly sentences: number;
}

/** Writes a description: the tool's action, followed by its result, when to use it, and its conditions. */
export function describeTool(random: Random, tool: DescribedTool): string {
  const further = random.sample([answers, occasion, condition], tool.sentences - 1);
  return [task, ...further].map((sentence) => sentence(random, tool)).join(' ');
}

type Sentence = (random: Random, tool: DescribedTool) => string;

const task: Sentence = (random, { verb, noun, qualifier, product }) => {
  const thing = qualifier === undefined ? noun : `${qualifier} ${noun}`;
  const what = random.pick([`one ${thing}`, `every ${thing}`, withArticle(thing), `any ${thing}`]);
  const [first, second] = random.sample(FIELDS, 2);
  const how = random.pick([
    `by ${first}`,
    `with its ${first} and ${second}`,
    `for a given ${first}`,
    `on behalf of the ${random.pick(ROLES)}`,
    `whose ${first} has changed`,
  ]);
  return `${capitalise(verb)} ${what} in ${product} ${how}.`;
};

const answers: Sentence = (random, { noun }) => {
  const [first, second, third] = random.sample(FIELDS, 3);
  return random.pick([
    `Returns the ${first}, ${second} and ${third} of each ${noun}.`,
    `The answer holds its ${first} and, where known, the ${second} or ${third}.`,
    `Gives back ${random.between(10, 500)} entries at most, ordered by ${first} and then ${second}.`,
    `Responds with a job whose ${first} tells when the ${second} is ready.`,
  ]);
};

const occasion: Sentence = (random, { noun }) => {
  const role = random.pick(ROLES);
  return random.pick([
    `Use it ${random.pick(PURPOSES)}.`,
    `Helps the ${role} ${random.pick(PURPOSES)}.`,
    `Prefer this over browsing when the ${random.pick(FIELDS)} of ${withArticle(random.pick(QUALIFIERS))} ${noun} is unclear.`,
    `Often called by the ${role} ${random.pick(PURPOSES)}.`,
  ]);
};

const condition: Sentence = (random, { noun, product }) =>
  random.pick([
    `Needs the ${noun}:${random.pick(['read', 'write', 'admin'])} scope of ${product}.`,
    `Fails when the ${random.pick(QUALIFIERS)} ${noun} has no ${random.pick(FIELDS)}.`,
    `Cannot be undone without the ${random.pick(ROLES)}.`,
    `Limited to ${random.between(5, 900)} calls a minute for each ${random.pick(FIELDS)}.`,
  ]);
