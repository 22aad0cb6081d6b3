import { abbreviations } from './abbreviations.ts';
import { arabic } from './arabic.ts';
import { chinese } from './chinese.ts';
import { czech } from './czech.ts';
import { french } from './french.ts';
import { german } from './german.ts';
import { greek } from './greek.ts';
import { hebrew } from './hebrew.ts';
import { hindi } from './hindi.ts';
import { identifiers } from './identifiers.ts';
import { japanese } from './japanese.ts';
import { korean } from './korean.ts';
import { mixedScript } from './mixed-script.ts';
import { portuguese } from './portuguese.ts';
import type { RelevanceSet } from './relevance-set.ts';
import { russian } from './russian.ts';
import { spanish } from './spanish.ts';
import { thai } from './thai.ts';
import { turkish } from './turkish.ts';
import { ukrainian } from './ukrainian.ts';
import { vietnamese } from './vietnamese.ts';

/** Every relevance set: one line and one file for each. */
export const RELEVANCE_SETS: readonly RelevanceSet[] = [
  chinese,
  japanese,
  korean,
  russian,
  ukrainian,
  french,
  german,
  spanish,
  portuguese,
  czech,
  turkish,
  vietnamese,
  greek,
  arabic,
  hebrew,
  thai,
  hindi,
  mixedScript,
  identifiers,
  abbreviations,
];
