import { agentText, type Learned, type LearnedAgent } from '@winnow/learning';
import type { LearnedWords } from '../search/own-words.ts';
import { programName } from '../strategies/agent-id.ts';

/** The parts of a request by which learning distinguishes agents. */
export interface LearningRequest {
  readonly userAgent: string | undefined;
  /** The upstream's name. */
  readonly upstream: string;
  readonly model: string | undefined;
}

const NO_WORDS: LearnedWords = {};

/** The state of learning, as requests use it. */
export class AppliedLearning {
  #agents: ReadonlyMap<string, LearnedAgent> = new Map();

  /** Takes over another state, for new conversations. */
  use({ agents }: Learned): void {
    this.#agents = new Map(agents.map((agent) => [agentText(agent), agent]));
  }

  /** Returns the names of the tools to keep in a conversation that begins now. */
  namesFor(request: LearningRequest): readonly string[] {
    return this.#agentOf(request)?.keep.map(({ name }) => name) ?? [];
  }

  /** Returns the words of tools. They are not part of the head, so the newest ones apply. */
  wordsFor(request: LearningRequest): LearnedWords {
    return this.#agentOf(request)?.words ?? NO_WORDS;
  }

  #agentOf({ userAgent, upstream, model = 'unknown' }: LearningRequest): LearnedAgent | undefined {
    const agent = programName(userAgent);
    if (agent === undefined || this.#agents.size === 0) return undefined;
    return this.#agents.get(agentText({ agent, upstream, model }));
  }
}
