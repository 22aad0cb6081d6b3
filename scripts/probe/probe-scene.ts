import type { ProbeTool } from './probe-dialect.ts';

const VERBS = ['count', 'find', 'move', 'reserve', 'release', 'weigh', 'label', 'inspect'] as const;
const THINGS = ['pallet', 'shelf', 'crate', 'truck', 'parcel'] as const;

/** Forty tools of one warehouse: enough to make deferring worthwhile, few enough to be cheap. */
export const PROBE_TOOLS: readonly ProbeTool[] = VERBS.flatMap((verb) =>
  THINGS.map((thing) => ({
    name: `warehouse_${verb}_${thing}`,
    description: `Use it to ${verb} a ${thing} of the warehouse. Takes the number of the order that it is for, the hall in which it stands, and a remark for the people who work there. Gives a receipt.`,
    parameters: {
      type: 'object',
      properties: {
        order: { type: 'integer', description: `Number of the order that the ${thing} is for.` },
        hall: {
          type: 'string',
          description: `Letter of the hall in which the ${thing} stands, from A to H.`,
        },
        remark: { type: 'string', description: 'Anything that the people in the hall should know.' },
      },
      required: ['order', 'hall'],
    },
  })),
);

/** The instructions that the task requires. */
export const WANTED_TOOL = 'warehouse_reserve_pallet';

const RULES = [
  'Be brief and exact, and do what you are asked before you explain it.',
  'Orders have numbers of four digits, halls have letters from A to H, and neither is ever made up.',
  'When something cannot be done, say so in one sentence and name what is missing.',
  'Receipts are quoted as they are, without a comment and without quotation marks.',
  'People are never told what they did not ask about, and nothing is done twice.',
];

/** A system prompt of more than 1,024 tokens, the minimum that providers cache. It names no tool. */
export const SYSTEM = `You work for a warehouse. These are its rules.\n${Array.from(
  { length: 80 },
  (_, number) => `${number + 1}. ${RULES[number % RULES.length]}`,
).join('\n')}`;

export const QUESTION = 'Reserve a pallet in hall C for order 4711.';
export const RECEIPT = 'Receipt 99-C: reserved.';
export const SECOND_QUESTION = 'Thank you. What was the number of the receipt?';
