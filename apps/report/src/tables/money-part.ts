import type { ArmCost, Money } from '../sections/money.ts';
import type { Sections } from '../sections.ts';
import { formatCount, formatMoney, formatShare, formatSigned } from '../text/format.ts';
import type { Part, Table } from './cells.ts';
import { namesTable } from './cells.ts';

/** Returns the money saved: measured if sessions were drawn at random, estimated otherwise. */
export function moneyPart({ money }: Sections): Part {
  const { measured, estimated, decided, pricedModels, unknownModels } = money;
  const isEmpty = pricedModels.total + unknownModels.total === 0;
  return {
    id: 'money',
    title: 'Money',
    sentences: isEmpty ? ['No response reported its tokens.'] : sentencesOn(money),
    tables: [
      ...(measured ? [measuredTable(measured, money.currency)] : []),
      ...(estimated.exchanges > 0 ? [estimatedTable(money)] : []),
      ...(decided.deferred.exchanges + decided.leftAlone.exchanges > 0 ? [decidedTable(decided)] : []),
      leftOutTable(money),
      unknownTable(unknownModels),
    ],
  };
}

/**
 * The one sentence that a reader of `partial` looks for: how much cheaper deferring makes an exchange, measured between the arms. Undefined
 * where there is nothing to compare.
 */
export function moneyHeadline({ measured, currency }: Money): string | undefined {
  if (measured === undefined) return undefined;
  const { difference, interval, shadow, isFair, full } = measured;
  const warmth = measured.isEquallyWarm ? ' at equal warmth of the cache' : '';
  const amounts = `${formatMoney(full.mean, currency)} with deferring, ${formatMoney(shadow.mean, currency)} without${warmth}`;
  if (!isFair) {
    return `The arms cannot be compared in money: ${pricedShare(full)} of the exchanges with deferring could be priced, ${pricedShare(shadow)} of those without.`;
  }
  if (interval === undefined) {
    return `Too few conversations to compare the cost of exchanges (${amounts}, on average): an interval needs 30 in each arm.`;
  }
  const likely = `95%: ${formatSigned(interval.low, currency)} to ${formatSigned(interval.high, currency)}`;
  if (interval.low <= 0 && interval.high >= 0) {
    return `Measured: no significant difference in the cost of an exchange (${amounts}; difference ${formatSigned(difference, currency)}, ${likely}).`;
  }
  const share = shadow.mean > 0 ? ` (${formatShare(Math.abs(difference) / shadow.mean)})` : '';
  const size = formatMoney(Math.abs(difference), currency);
  return `Measured: deferring makes an exchange ${size} ${difference < 0 ? 'cheaper' : 'more expensive'}${share}: ${amounts}; ${likely}.`;
}

function sentencesOn(money: Money): string[] {
  const { estimated } = money;
  const headline = moneyHeadline(money);
  if (estimated.exchanges === 0) return [headline ?? 'No exchange with deferred tools could be priced.'];
  // Where both arms were measured, an estimate could only contradict.
  if (headline !== undefined && money.measured?.interval !== undefined && money.measured.isFair) {
    return [headline];
  }
  const { exchanges } = estimated;
  return [
    ...(headline === undefined ? [] : [headline]),
    `Estimate: ${savedWords(money)} in ${formatCount(exchanges)} ${exchanges === 1 ? 'exchange' : 'exchanges'}.`,
  ];
}

/** `a saving of $1.20 to $4.39`, `a loss of $8.04`, `between a loss of $8.04 and a saving of $4.39`. */
export function savedWords({ estimated: { low, high }, currency }: Money): string {
  const [least, most] = [low, high].map(({ saved }) => formatMoney(Math.abs(saved), currency)) as [
    string,
    string,
  ];
  if (low.saved < 0 && high.saved > 0) return `between a loss of ${least} and a saving of ${most}`;
  if (low.saved < 0) return `a loss of ${least === most ? most : `${most} to ${least}`}`;
  return `a saving of ${least === most ? most : `${least} to ${most}`}`;
}

function measuredTable({ full, shadow }: NonNullable<Money['measured']>, currency: string): Table {
  return {
    title: 'Cost of an exchange, measured',
    columns: ['Arm', 'Exchanges', 'Priced', 'Sessions', 'Mean'],
    rows: [armRow('with deferring (full)', full, currency), armRow('without (shadow)', shadow, currency)],
    note: 'Only exchanges in partial, whose arm was chosen at random by session. All requests of an exchange together, by list prices of the tokens that upstreams counted. The interval treats sessions, not exchanges, as independent. Exchanges within five minutes after another of the same agent and arm are weighted separately from others, equally in both arms, because the smaller arm keeps its prompts in the cache less often.',
  };
}

function armRow(label: string, arm: ArmCost, currency: string): string[] {
  return [
    label,
    formatCount(arm.exchanges),
    pricedShare(arm),
    formatCount(arm.sessions),
    formatMoney(arm.mean, currency),
  ];
}

function pricedShare({ priced, exchanges }: ArmCost): string {
  return formatShare(priced / exchanges);
}

function estimatedTable({ estimated, currency }: Money): Table {
  const { low, high, exchanges } = estimated;
  const row = (label: string, amountOf: (savings: typeof low) => number) => [
    label,
    ...[low, high].map((savings) => formatSigned(amountOf(savings), currency)),
    ...[low, high].map((savings) => formatSigned(amountOf(savings) / exchanges, currency)),
  ];
  return {
    title: 'Money by deferring, estimated',
    columns: ['Amount', 'Low', 'High', 'Low, per exchange', 'High, per exchange'],
    rows: [
      row('Tools that were not sent', ({ notSent }) => notSent),
      row('Rounds for searches', ({ extraRounds }) => -extraRounds),
      row('Caches lost', ({ cacheLost }) => -cacheLost),
      row('Saved (+) or lost (−)', ({ saved }) => saved),
      row('Spent, for comparison', ({ spent }) => -spent),
    ],
    note: `An estimate over ${formatCount(exchanges)} exchanges of arm full that deferred and succeeded. Low: the cache held all of the direct prompt except its new part. High: it held the same part of the direct prompt as of the prompt that was sent. Not sent: bytes left out of the first request, at this request's own tokens per byte. Rounds: the cost of everything except the first prompt and the last output. Caches lost: the extra cost of the first prompt over the same part of the direct one.`,
  };
}

function decidedTable({ deferred, leftAlone }: Money['decided']): Table {
  const row = (label: string, { exchanges, freedTokens, bill }: Money['decided']['deferred']) => [
    label,
    formatCount(exchanges),
    formatCount(freedTokens / Math.max(1, exchanges)),
    exchanges > 0 ? formatShare(bill / exchanges) : '–',
  ];
  return {
    title: 'Whether to defer, as estimated beforehand',
    columns: ['Tools', 'Exchanges', 'Tokens freed', 'Expected bill'],
    rows: [row('deferred', deferred), row('left alone (few_savings)', leftAlone)],
    note: 'Means over exchanges: tokens of tools that deferring keeps out of each request, and the expected bill of a conversation with deferred tools as a share of the bill with all tools.',
  };
}

function unknownTable(models: Money['unknownModels']): Table {
  const table = namesTable('Models without a price', 'Model', models);
  const note = 'No amount includes their exchanges. --prices FILE adds your own prices.';
  return { ...table, note: table.note === undefined ? note : `${note} ${table.note}` };
}

const LEFT_OUT_WORDS: Readonly<Record<keyof Money['estimated']['leftOut'], string>> = {
  unknown_model: 'the price of the model is unknown',
  no_usage: 'not every response reported its tokens',
  cache_unknown: 'the response did not report cached tokens',
  rate_unknown: 'the price does not cover such a call',
  size_unknown: 'recorded by an earlier version',
};

function leftOutTable({ estimated: { leftOut } }: Money): Table {
  return {
    title: 'Not estimated',
    columns: ['Because', 'Exchanges'],
    rows: Object.entries(leftOut).map(([reason, count]) => [
      LEFT_OUT_WORDS[reason as keyof typeof LEFT_OUT_WORDS],
      formatCount(count),
    ]),
  };
}
