import type { Format } from './format.ts';

/** Every format that Winnow reads. No two of them match one route. */
export const FORMATS: readonly Format[] = [];
