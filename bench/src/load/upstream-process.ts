/**
 * The upstream of a load, as a process: two strict servers, a vendor's and one without deferral, which play
 * the dialogues of the seed (the first argument). The second argument divides the delays of the model.
 *
 * Answers the question `count` with an {@link UpstreamCount} of both, and `plainUrl` with the address of the
 * second server.
 */
import { type ReceivedRequest, startUpstream } from '@winnow/testkit';
import { answerQuestions } from '../answer-questions.ts';
import { makeCatalogues } from './catalogues.ts';
import { dialogueModel } from './dialogue-model.ts';

/** The upstream's counts so far. */
export interface UpstreamCount {
  readonly requests: number;
  readonly complaints: number;
  /** Number of complaints about thinking in a different position from its creation. */
  readonly thinkingComplaints: number;
  /** The first complaints, each with its request. */
  readonly examples: readonly string[];
}

const MOST_EXAMPLES = 5;
const EXAMPLE_CHARS = 4_000;
/** The member that holds the history in each format. */
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
// A signature is valid wherever its call is: only Anthropic's thinking is bound to a history.
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
  // Complaints about thinking are expected if hidden turns were lost; all others are kept for a look.
  if (count.examples.length >= (isOfThinking ? 1 : MOST_EXAMPLES)) return;
  const { model, ...said } = json as { model?: string } & Partial<
    Record<(typeof HISTORIES)[number], unknown>
  >;
  const asked = JSON.stringify(HISTORIES.map((name) => said[name]).find(Boolean))?.slice(-EXAMPLE_CHARS);
  count.examples.push(`${route}, ${model}: ${rejection.message} Asked: …${asked}`);
}
