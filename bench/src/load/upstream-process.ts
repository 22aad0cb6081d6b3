/**
 * The upstream of a load, a process of its own: strict, once as a vendor's and once as a server that knows nothing of deferral, and playing the dialogues of the seed that is its first argument. The second one
 * divides the time that a model takes.
 *
 * Answers the question `count` with an {@link UpstreamCount} of both, and `plainUrl` with where the second one is.
 */
import { type ReceivedRequest, startUpstream } from '@winnow/testkit';
import { answerQuestions } from '../answer-questions.ts';
import { makeCatalogues } from './catalogues.ts';
import { dialogueModel } from './dialogue-model.ts';

/** What the upstream has seen so far. */
export interface UpstreamCount {
  readonly requests: number;
  readonly complaints: number;
  /** Of these, those about thinking that does not stand where it was thought. */
  readonly thinkingComplaints: number;
  /** The first complaints, each with what was asked. */
  readonly examples: readonly string[];
}

const MOST_EXAMPLES = 5;
const EXAMPLE_CHARS = 4_000;
/** Where the formats have their histories. */
const HISTORIES = ['messages', 'contents', 'input'] as const;

const [seed, haste] = [Number(process.argv[2]), Number(process.argv[3])];
const count = { requests: 0, complaints: 0, thinkingComplaints: 0, examples: [] as string[] };

const options = {
  model: dialogueModel({
    seed,
    catalogues: makeCatalogues(seed),
    pause: (ms: number, callBack: () => void) => void setTimeout(callBack, ms / haste),
  }),
  keeps: (request: ReceivedRequest) => {
    note(request);
    return false;
  },
};
// A signature counts wherever its call stands: what is bound to a history is Anthropic's thinking.
const upstream = await startUpstream({ ...options, rules: { bindsSignatures: () => false } });
const plain = await startUpstream({ ...options, rules: { isPlain: true } });
answerQuestions({ count: (): UpstreamCount => count, plainUrl: () => plain.url });
process.stderr.write(`load upstream listens on ${upstream.url}\n`);

function note({ rejection, json, route }: ReceivedRequest): void {
  count.requests += 1;
  if (!rejection) return;
  count.complaints += 1;
  const isOfThinking = /thinking|thought signature/i.test(rejection.message);
  if (isOfThinking) count.thinkingComplaints += 1;
  // Complaints about thinking are to be expected where what was hidden is lost: of others each is worth a look.
  if (count.examples.length >= (isOfThinking ? 1 : MOST_EXAMPLES)) return;
  const { model, ...said } = json as { model?: string } & Partial<
    Record<(typeof HISTORIES)[number], unknown>
  >;
  const asked = JSON.stringify(HISTORIES.map((name) => said[name]).find(Boolean))?.slice(-EXAMPLE_CHARS);
  count.examples.push(`${route}, ${model}: ${rejection.message} Asked: …${asked}`);
}
