import { Agent } from 'node:http';
import { createRandom } from '@winnow/testkit';
import { makeCatalogues } from './catalogues.ts';
import { runLanes } from './run-lanes.ts';
import type { Tally } from './tally.ts';

/** Size of the load. */
export interface Effort {
  /** Time after which no conversation begins. */
  readonly seconds: number;
  /** Maximum number of conversations; undefined for no limit but time. */
  readonly dialogues?: number | undefined;
}

export interface ClientsOptions {
  readonly seed: number;
  /** Number of concurrent clients. */
  readonly conversations: number;
  readonly nextUrl: () => string;
  /** Factor that shortens the pauses of users and tools. */
  readonly haste: number;
}

/** The clients of a load. They can run several times. */
export interface Clients {
  /**
   * Starts the clients, which hold conversations and disconnect after the last one. Adds all results to the
   * tally.
   */
  run(effort: Effort, tally: Tally): Promise<void>;
}

/** A client's maximum patience; a model's response takes about a second. */
export const PATIENCE_MS = 30_000;

/** Time that users take before each message and tools before each result, in milliseconds. */
const PAUSES = { user: { least: 1_000, most: 5_000 }, tool: { least: 50, most: 1_500 } } as const;
/** Time after which a client closes an idle connection, as Node's own client does. */
const IDLE_MS = 4_000;
/** Period over which the clients start one by one. */
const ARRIVAL_MS = 3_000;

/** Creates clients whose conversations all have different numbers. */
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
