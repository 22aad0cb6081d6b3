import { printable } from '@winnow/core';
import type { HarmSection } from '@winnow/learning';
import { rateOf } from '../counting/rate.ts';
import type { Sections } from '../sections.ts';
import { formatCount, formatRate, formatShare } from '../text/format.ts';
import type { Part, Table } from './part.ts';

/** Returns the effect of deferring on conversations; nothing without suitable conversations. */
export function harmPart({ harm }: Sections): Part | undefined {
  const { agents, shadow } = harm;
  if (agents.length === 0 && shadow.whole === 0) return undefined;
  return {
    id: 'harm',
    title: 'Harm',
    sentences: [...agents.map(agentSentence), ...shadowSentences(shadow)],
    tables: [agentsTable(agents)],
  };
}

type Agent = HarmSection['agents'][number];

function agentSentence({ agent: name, isHarmed, tools, bound }: Agent): string {
  const agent = printable(name);
  const atMost = `Deferring affects at most ${formatShare(bound)} of the conversations of ${agent}, at 95 %.`;
  const named = tools.length > 0 ? ` Keep visible: ${tools.map(printable).join(', ')}.` : '';
  return isHarmed ? `Deferring harms ${agent}: see the table. ${atMost}${named}` : `${atMost}${named}`;
}

function shadowSentences({ bound, part, whole }: HarmSection['shadow']): string[] {
  if (bound === undefined) return [];
  return [
    `In ${formatRate(rateOf(part, whole))} of the watched conversations a tool would have been missed at first: at most ${formatShare(bound)}, at 95 % confidence, however often you look.`,
  ];
}

function agentsTable(agents: readonly Agent[]): Table {
  return {
    title: 'Conversations that repeat a request or call a tool that is not visible',
    columns: [
      'Agent · upstream · model',
      'Deferred',
      'Affected',
      'Gave up a search',
      'Extra rounds',
      'Not deferred',
      'Affected',
      'At most',
      'Harm',
    ],
    rows: agents.map(({ agent, inside, outside, bound, sureAfter, givenUp, extraRounds }) => [
      printable(agent),
      formatCount(inside.conversations),
      formatCount(inside.affected),
      formatCount(givenUp),
      extraRounds.toFixed(2),
      formatCount(outside.conversations),
      formatCount(outside.affected),
      formatShare(bound),
      sureAfter === undefined ? 'none shown' : `sure after ${formatCount(sureAfter)}`,
    ]),
    note: 'At most: the share of conversations affected beyond those without deferring, at 95 % confidence, however often you look.',
  };
}
