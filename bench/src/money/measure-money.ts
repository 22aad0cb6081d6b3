import type { ConversationLine } from '../sets/set-source.ts';
import { type BillParts, billOf, partsOf, ratesOf } from './bill.ts';
import type { Arm, MoneyCell } from './cell.ts';
import { makeCatalogue, type Recordings } from './read-recordings.ts';
import { type Replay, type ReplayedConversation, replay } from './replay.ts';

/** The bills of an arm, as shares of the direct ones. */
export interface ArmBills {
  /** Over all counted conversations together. */
  readonly bill: number;
  /** Shares of conversations that cost over 2 % and over 10 % more than direct. */
  readonly dearer: number;
  readonly muchDearer: number;
}

/** The composition of an arm's bill: its parts as shares of the direct bill. */
export interface ArmParts extends BillParts {
  /** Mean requests of a conversation, searches included. */
  readonly requests: number;
}

export interface CellMeasurement {
  /** The name of the recordings. */
  readonly recordings: string;
  /** Mean calls of a recorded conversation. */
  readonly calls: number;
  readonly cell: MoneyCell;
  readonly defer: ArmBills;
  readonly auto: ArmBills;
  /** The bill of `auto` over the conversations that are not counted. */
  readonly autoFirst: number;
  /** Whether `auto` deferred in the end. */
  readonly autoDefers: boolean;
  /** The proxy's estimate of `defer`. */
  readonly estimated: number | undefined;
  readonly directParts: ArmParts;
  readonly deferParts: ArmParts;
}

/** Conversations at the start of an agent that are printed and not counted; of no more than that, half. */
export const FIRST = 20;

/** Measures cells one by one; replays that do not depend on a cell's prices are reused. */
export class MoneyBench {
  readonly #recordings: Recordings;
  readonly #conversations: readonly ConversationLine[];
  readonly #first: number;
  readonly #replays = new Map<string, Promise<Replay>>();

  /** Replays the first `count` conversations. */
  constructor(recordings: Recordings, count: number) {
    this.#recordings = recordings;
    this.#conversations = recordings.conversations.slice(0, count);
    const { length } = this.#conversations;
    this.#first = length > FIRST ? FIRST : length >> 1;
  }

  /** @throws InputError if no catalogue has the cell's number of tools. */
  async measure(cell: MoneyCell): Promise<CellMeasurement> {
    const rates = ratesOf(cell.mode, cell.cachedInput);
    const conversations = async (arm: Arm) => (await this.#replay(cell, arm)).conversations;
    const bills = (all: readonly ReplayedConversation[]) => all.map((one) => billOf(one, rates));
    const [passed, deferred] = [await conversations('pass'), await conversations('defer')];
    const [pass, defer, auto] = [bills(passed), bills(deferred), bills(await conversations('auto'))];
    const { deferred: lastDeferred, estimated } = await this.#replay(cell, 'auto');
    const first = this.#first;
    const direct = sumOf(pass.slice(first));
    const parts = (all: readonly ReplayedConversation[]): ArmParts => {
      const counted = all.slice(first);
      const each = counted.map((one) => partsOf(one, rates));
      const share = (part: keyof BillParts) => sumOf(each.map((one) => one[part])) / direct;
      const requests = sumOf(counted.map(({ usages }) => usages.length)) / counted.length;
      return { requests, read: share('read'), fresh: share('fresh'), output: share('output') };
    };
    return {
      recordings: this.#recordings.name,
      calls: sumOf(this.#conversations.map(callsIn)) / this.#conversations.length,
      cell,
      defer: compare(defer.slice(first), pass.slice(first)),
      auto: compare(auto.slice(first), pass.slice(first)),
      autoFirst: compare(auto.slice(0, first), pass.slice(0, first)).bill,
      autoDefers: lastDeferred > 0.5,
      estimated,
      directParts: parts(passed),
      deferParts: parts(deferred),
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

const callsIn = ({ turns }: ConversationLine) =>
  sumOf(turns.flatMap(({ steps }) => steps.map((step) => step.length)));

const sumOf = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);

function compare(bills: readonly number[], direct: readonly number[]): ArmBills {
  const above = (share: number) =>
    bills.filter((bill, at) => bill > (1 + share) * direct[at]!).length / bills.length;
  return { bill: sumOf(bills) / sumOf(direct), dearer: above(0.02), muchDearer: above(0.1) };
}
