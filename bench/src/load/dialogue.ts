import {
  createRandom,
  type ModelPlan,
  type PlannedCall,
  type PlannedStep,
  type Random,
} from '@winnow/testkit';
import { type Catalogue, HOSTED_SEARCH, type Wire } from './catalogues.ts';

/** One conversation of a load: the user's messages, the model's behaviour, and the kind of client. */
export interface Dialogue {
  readonly number: number;
  readonly wire: Wire;
  readonly model: string;
  /** Undefined if the model does not think. */
  readonly thinking: Readonly<Record<string, unknown>> | undefined;
  /** The client's credential. */
  readonly credential: string;
  /** Whether the client names its conversation; otherwise the first message identifies it. */
  readonly isNamed: boolean;
  readonly isStream: boolean;
  /** Whether the client uses HTTP/2 with prior knowledge. */
  readonly isHttp2: boolean;
  readonly catalogue: Catalogue;
  /** The user's messages, one for each turn of the plan. */
  readonly messages: readonly string[];
  readonly plan: ModelPlan;
}

/** Models by their special behaviour; all of them are played by the same code. */
interface Kind {
  readonly wire: Wire;
  readonly model: string;
  readonly thinking?: Readonly<Record<string, unknown>>;
}

const BUDGET = { type: 'enabled', budget_tokens: 1_024 };
const ADAPTIVE = { type: 'adaptive' };

const KINDS: readonly Kind[] = [
  { wire: 'chat', model: 'gpt-5.4' },
  // A compatible server that returns its reasoning.
  { wire: 'chat', model: 'deepseek-reasoner', thinking: {} },
  { wire: 'chat', model: 'gpt-4.1' },
  // Found tools arrive with the results of searches, or appear in `tools`.
  { wire: 'responses', model: 'gpt-5.4' },
  { wire: 'responses', model: 'gpt-5.5', thinking: { effort: 'low' } },
  { wire: 'responses', model: 'gpt-5-mini', thinking: { effort: 'low' } },
  // Found tools appear in `tools`.
  { wire: 'messages', model: 'claude-haiku-4-5' },
  { wire: 'messages', model: 'claude-haiku-4-5', thinking: BUDGET },
  // Found tools are referenced.
  { wire: 'messages', model: 'claude-sonnet-4-5' },
  { wire: 'messages', model: 'claude-opus-4-6', thinking: BUDGET },
  // Binds its thinking to everything before it.
  { wire: 'messages', model: 'claude-opus-5-5', thinking: ADAPTIVE },
  // A client that leaves its searches to the provider, in front of a server without deferral.
  { wire: 'hosted', model: 'claude-haiku-4-5' },
  { wire: 'hosted', model: 'claude-opus-4-6', thinking: BUDGET },
  // Does not require signatures; requires them.
  { wire: 'gemini', model: 'gemini-2.5-pro' },
  { wire: 'gemini', model: 'gemini-3-pro-preview', thinking: {} },
  { wire: 'interactions', model: 'gemini-2.5-pro' },
  { wire: 'interactions', model: 'gemini-3-pro-preview', thinking: {} },
  { wire: 'ollama', model: 'llama3.3' },
  { wire: 'ollama', model: 'qwen3', thinking: {} },
  { wire: 'converse', model: 'amazon.nova-pro-v1:0' },
  { wire: 'converse', model: 'anthropic.claude-sonnet-4-20250514-v1:0', thinking: BUDGET },
  // Found tools are referenced.
  { wire: 'invoke', model: 'eu.anthropic.claude-sonnet-4-5-20250929-v1:0' },
  { wire: 'invoke', model: 'eu.anthropic.claude-opus-5-5', thinking: ADAPTIVE },
];

const TENANTS = 8;
const MOST_TURNS = 5;

/**
 * Generates the conversation of a number. The same seed, number and catalogues give the same one in every
 * process.
 */
export function makeDialogue(seed: number, number: number, catalogues: readonly Catalogue[]): Dialogue {
  const random = createRandom(seed * 1_000_003 + number);
  const { thinking, ...kind } = random.pick(KINDS);
  const catalogue = random.pick(catalogues);
  const turns = random.between(2, MOST_TURNS);
  const steps = Array.from({ length: turns }, () => makeSteps(random, catalogue));
  return {
    number,
    ...kind,
    thinking,
    catalogue,
    credential: `tenant-${random.below(TENANTS)}`,
    isNamed: random.chance(0.5),
    isStream: random.chance(0.9),
    // The AWS SDK's prefix.
    isHttp2: ['converse', 'invoke'].includes(kind.wire) && random.chance(0.5),
    messages: steps.map((_, turn) => writeMessage(random, number, turn)),
    plan: {
      thinks: thinking !== undefined,
      searchesAgain: true,
      ...(kind.wire === 'hosted' && { searchToolName: HOSTED_SEARCH }),
      turns: steps.map((some) => (some.length > 0 ? { steps: some } : { answer: writeProse(random) })),
    },
  };
}

/** Returns the number that {@link makeDialogue} put into a user's first message. */
export function dialogueNumber(firstMessage: string): number {
  return Number(firstMessage.match(/^Ticket (\d+):/)?.[1]);
}

type MakeSteps = (random: Random, tools: readonly string[]) => PlannedStep[];

/** All ways in which a model uses a search tool; duplicates set their frequency. */
const COURSES: readonly MakeSteps[] = [
  () => [],
  findOne,
  findOne,
  (random, [one]) => [
    { searchFor: [`zzqx ${random.below(1_000_000)}`, one!], thenCall: [makeCall(random, one!)] },
  ],
  (random, [one, other]) => [
    { searchFor: [[one!, other!]], thenCall: [makeCall(random, one!), makeCall(random, other!)] },
  ],
  (random, [one, other]) => [
    {
      searchFor: [one!],
      searchBeside: [other!],
      besidePosition: random.pick(['before', 'behind']),
      say: writeProse(random),
      thenCall: [makeCall(random, one!)],
    },
    { searchFor: [other!], thenCall: [makeCall(random, other!)] },
  ],
  (random, [one, other]) => [
    ...findOne(random, [one!]),
    { searchFor: [other!], thenCall: [makeCall(random, one!), makeCall(random, other!)] },
    { thenCall: [makeCall(random, one!)] },
  ],
];

/** Probability that a model searches until nothing is left to find. */
const INSATIABLE = 0.01;

function makeSteps(random: Random, { names }: Catalogue): PlannedStep[] {
  const tools = random.sample(names, 2);
  if (random.chance(INSATIABLE)) {
    const [step] = findOne(random, tools);
    return [{ ...step!, keepsSearching: 'until-all-is-loaded' }];
  }
  return random.pick(COURSES)(random, tools);
}

/** Half of the models first try words of the tool's name, which may find it or not. */
function findOne(random: Random, [tool]: readonly string[]): PlannedStep[] {
  const words = random.chance(0.5) ? [tool!.replaceAll('_', ' ')] : [];
  const say = random.chance(0.5) ? { say: writeProse(random) } : {};
  return [{ searchFor: [...words, tool!], thenCall: [makeCall(random, tool!)], ...say }];
}

function makeCall(random: Random, name: string): PlannedCall {
  return { name, input: { reference: random.below(1_000_000), text: writeProse(random) } };
}

function writeMessage(random: Random, number: number, turn: number): string {
  return `${turn === 0 ? `Ticket ${number}: ` : ''}${writeProse(random)}`;
}

const WORDS =
  'please look at the older entry again and move it — “straße”, naïve 🙂 — before noon ünïcödé 東京 of two or three\nweeks "quoted" \\ ago'.split(
    ' ',
  );

function writeProse(random: Random): string {
  return Array.from({ length: random.between(6, 40) }, () => random.pick(WORDS)).join(' ');
}
