/** Loaded into a process before its own code: answers the question `delay` with how long its event loop was held up since the last time. */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { answerQuestions } from '../answer-questions.ts';

const NS_PER_MS = 1_000_000;

/** Looks every millisecond: an event loop with nothing to do shows about that. */
const histogram = monitorEventLoopDelay({ resolution: 1 });
histogram.enable();

answerQuestions({
  delay: (): number => {
    const longestMs = histogram.max / NS_PER_MS;
    histogram.reset();
    return longestMs;
  },
});
