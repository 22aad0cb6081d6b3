/**
 * A module loaded into a process before its own code: answers the question `delay` with the longest delay of
 * its event loop since the last question.
 */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { answerQuestions } from './answer-questions.ts';

const NS_PER_MS = 1_000_000;

/** Samples every millisecond; an idle event loop shows about that delay. */
const histogram = monitorEventLoopDelay({ resolution: 1 });
histogram.enable();

answerQuestions({
  delay: (): number => {
    const longestMs = histogram.max / NS_PER_MS;
    histogram.reset();
    return longestMs;
  },
});
