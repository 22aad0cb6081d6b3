import { printable } from '@winnow/core';
import { HASHED } from '../suggestions/suggest.ts';
import type { TextPart } from '../text-part.ts';
import type { Learned, LearnedAgent, LearnedTool } from './learned.ts';

/** Describes the changes of applied learning, and the reasons. Contains learned words only with content. */
export function learnedText(
  { appliedAt, agents, refused }: Learned,
  { file, withContent }: { readonly file: string; readonly withContent: boolean },
): TextPart {
  const applied =
    appliedAt === 0
      ? 'Nothing has been learned yet.'
      : `Applied for the last time at ${new Date(appliedAt).toISOString().slice(0, 16).replace('T', ' ')} UTC, and at most once a day. Running conversations keep their tools.`;
  const takenBack =
    refused.length === 0
      ? ''
      : ` Removed, and not learned again: ${refused.length} ${refused.length === 1 ? 'tool' : 'tools'}.`;
  return {
    title: 'Applied learning',
    sentences: [
      `${applied}${takenBack}`,
      ...(agents.length === 0 ? [] : [`\`npm run report -- --forget ${file}\` undoes everything.`]),
    ],
    tables: [
      {
        title: 'Kept visible in new conversations',
        columns: [AGENT, 'Tool', 'Why'],
        textColumns: 3,
        rows: agents.flatMap((agent) => agent.keep.map((tool) => cells(agent, tool.name, reasonOf(tool)))),
      },
      {
        title: 'Found by words of models',
        columns: [AGENT, 'Tool', 'Words'],
        textColumns: 3,
        rows: agents.flatMap((agent) =>
          Object.entries(agent.words).map(([tool, words]) =>
            cells(agent, tool, withContent ? readableWords(words) : countOf(words.length)),
          ),
        ),
      },
    ].filter(({ rows }) => rows.length > 0),
  };
}

const AGENT = 'Agent · upstream · model';

function cells({ agent, upstream, model }: LearnedAgent, ...texts: readonly string[]): string[] {
  return [[agent, upstream, model].join(' · '), ...texts].map(printable);
}

function reasonOf({ because, evidence }: LearnedTool): string {
  return because === 'harm' ? `for harm: ${evidence}` : `needed: ${evidence}`;
}

/** Returns words in plain text, and the number of hashed ones. */
function readableWords(words: readonly string[]): string {
  const readable = words.filter((word) => !word.startsWith(HASHED));
  const hidden = words.length - readable.length;
  return [...readable, ...(hidden > 0 ? [`${countOf(hidden)}, hashed`] : [])].join(', ');
}

function countOf(words: number): string {
  return `${words} ${words === 1 ? 'word' : 'words'}`;
}
