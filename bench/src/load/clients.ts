import { Agent } from 'node:http';
import { createRandom } from '@winnow/testkit';
import { makeCatalogues } from './catalogues.ts';
import { runLanes } from './run-lanes.ts';
import type { Tally } from './tally.ts';

/** How much load. */
export interface Effort {
  /** No conversation begins after so long. */
  readonly seconds: number;
  /** At most so many conversations begin; undefined for as many as there is time for. */
  readonly dialogues?: number | undefined;
}

/** The clients of a load. */
export interface ClientsOptions {
  readonly seed: number;
  /** Clients that run side by side. */
  readonly conversations: number;
  readonly nextUrl: () => string;
  /** Divides the time that users and tools take. */
  readonly haste: number;
}

/** The clients of a load, which may come back after they have gone. */
export interface Clients {
  /** Come, lead conversations, and are gone when the last one is at its end, connections and all. What happens is added to the tally. */
  run(effort: Effort, tally: Tally): Promise<void>;
}

/** What a client waits for at most; a model's answer takes about a second. */
export const PATIENCE_MS = 30_000;

/** How long users take before they say something, and tools before they answer, in milliseconds. */
const PAUSES = { user: { least: 1_000, most: 5_000 }, tool: { least: 50, most: 1_500 } } as const;
/** After so long a client closes a connection that it does not need, as Node's own does. */
const IDLE_MS = 4_000;
/** The clients come one by one within so long. */
const ARRIVAL_MS = 3_000;

/** Makes clients, every conversation of a number of its own. */
export function createClients({ seed, conversations, nextUrl, haste }: ClientsOptions): Clients {
  const catalogues = makeCatalogues(seed);
  const random = createRandom(seed);
  const wait = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms / haste));
  let number = 0;
  return {
    async run({ seconds, dialogues = Number.POSITIVE_INFINITY }, tally) {
      const agent = new Agent({ keepAlive: true, timeout: IDLE_MS });
      const endsAt = performance.now() + seconds * 1_000;
      const last = number + dialogues;
      try {
        await runLanes({
          lanes: conversations,
          seed,
          catalogues,
          nextNumber: () => (performance.now() < endsAt && number < last ? ++number : undefined),
          arrive: (lane) => wait((ARRIVAL_MS * lane) / conversations),
          context: {
            tally,
            reach: { nextUrl, agent, deadline: () => AbortSignal.timeout(PATIENCE_MS) },
            isOver: () => performance.now() >= endsAt,
            pause: (who) => wait(random.between(PAUSES[who].least, PAUSES[who].most)),
          },
        });
      } finally {
        agent.destroy();
      }
    },
  };
}
