import type { ConversationLine } from '../sets/set-source.ts';
import { billOf, ratesOf } from './bill.ts';
import type { Arm, MoneyCell } from './cell.ts';
import { makeCatalogue, type Recordings } from './read-recordings.ts';
import { type Replay, replay } from './replay.ts';

/** The bills of an arm, as shares of the direct ones. */
export interface ArmBills {
  /** Over all counted conversations together. */
  readonly bill: number;
  /** Shares of conversations that cost over 2 % and over 10 % more than direct. */
  readonly dearer: number;
  readonly muchDearer: number;
}

/** The measurement of one cell. */
export interface CellMeasurement {
  readonly cell: MoneyCell;
  readonly defer: ArmBills;
  readonly auto: ArmBills;
  /** The bill of `auto` over the conversations that are not counted. */
  readonly autoFirst: number;
  /** Whether `auto` deferred in the end. */
  readonly autoDefers: boolean;
  /** The proxy's estimate of `defer`. */
  readonly estimated: number | undefined;
}

/** Conversations at the start of an agent that are printed and not counted. */
export const FIRST = 20;

/** Measures cells one by one; replays that do not depend on a cell's prices are reused. */
export class MoneyBench {
  readonly #recordings: Recordings;
  readonly #conversations: readonly ConversationLine[];
  readonly #replays = new Map<string, Promise<Replay>>();

  /** Replays the first `count` conversations, of which the first {@link FIRST} are not counted. */
  constructor(recordings: Recordings, count: number) {
    this.#recordings = recordings;
    this.#conversations = recordings.conversations.slice(0, count);
  }

  async measure(cell: MoneyCell): Promise<CellMeasurement> {
    const bills = async (arm: Arm) => {
      const rates = ratesOf(cell.mode, cell.cachedInput);
      const { conversations } = await this.#replay(cell, arm);
      return conversations.map((one) => billOf(one, rates));
    };
    const [pass, defer, auto] = [await bills('pass'), await bills('defer'), await bills('auto')];
    const { deferred, estimated } = await this.#replay(cell, 'auto');
    return {
      cell,
      defer: compare(defer.slice(FIRST), pass.slice(FIRST)),
      auto: compare(auto.slice(FIRST), pass.slice(FIRST)),
      autoFirst: compare(auto.slice(0, FIRST), pass.slice(0, FIRST)).bill,
      autoDefers: deferred > 0.5,
      estimated,
    };
  }

  #replay(cell: MoneyCell, arm: Arm): Promise<Replay> {
    const { mode, tools, system, isWarm, cachedInput } = cell;
    const way = arm === 'pass' ? mode.client : mode.name;
    const key = JSON.stringify([arm, way, tools, system, isWarm, arm === 'auto' ? cachedInput : null]);
    const known = this.#replays.get(key);
    if (known !== undefined) return known;
    const catalogue = makeCatalogue(this.#recordings, tools);
    const made = replay({ cell, arm, catalogue, conversations: this.#conversations });
    this.#replays.set(key, made);
    return made;
  }
}

function compare(bills: readonly number[], direct: readonly number[]): ArmBills {
  const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
  const above = (share: number) =>
    bills.filter((bill, at) => bill > (1 + share) * direct[at]!).length / bills.length;
  return { bill: sum(bills) / sum(direct), dearer: above(0.02), muchDearer: above(0.1) };
}
