import type { ConformanceCase } from '../conformance-case.ts';
import { BODIES } from './bodies.ts';
import { CANCELLATION } from './cancellation.ts';
import { CONTENTS } from './contents.ts';
import { DEFERRAL } from './deferral.ts';
import { ERRORS } from './errors.ts';
import { HEADERS } from './headers.ts';
import { LATER_ROUNDS } from './later-rounds.ts';
import { LIMITS } from './limits.ts';
import { STORED } from './stored.ts';
import { STREAMS } from './streams.ts';
import { THINKING_CASES } from './thinking.ts';
import { TOOLS_CASES } from './tools.ts';
import { TRANSFERS } from './transfers.ts';
import { USAGE_CASES } from './usage.ts';

/** Every case of the kit, in the order of its groups. */
export const CASES: readonly ConformanceCase[] = [
  ...BODIES,
  ...CONTENTS,
  ...TRANSFERS,
  ...HEADERS,
  ...STREAMS,
  ...ERRORS,
  ...CANCELLATION,
  ...LIMITS,
  ...TOOLS_CASES,
  ...THINKING_CASES,
  ...USAGE_CASES,
  ...STORED,
  ...DEFERRAL,
  ...LATER_ROUNDS,
];
