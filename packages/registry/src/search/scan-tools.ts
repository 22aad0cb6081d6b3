import type { Pause, Reading } from '@winnow/ranking';
import type { StoredTool } from '../model/tool.ts';
import type { EngineHit } from './search-engine.ts';

/** Input of a scan. */
export interface Scan {
  readonly ids: readonly string[];
  readonly toolOf: (id: string) => StoredTool | undefined;
  readonly allows: (tool: StoredTool) => boolean;
  readonly pause: Pause;
}

/** Work between two pauses, in characters: some milliseconds. */
const SLICE_CHARS = 200_000;
/** Fixed cost of a test, in characters. */
const TEST_CHARS = 20;
/** Most work of one scan, in characters; a plain expression over half a million large tools takes less. */
const MOST_CHARS = 2_000_000_000;

/**
 * Finds tools whose names match a pattern, then tools that match in title, namespace, tags or description; each in order
 * of id. A glob matches names only. Returns nothing for an expression that would take many seconds.
 */
export async function scanTools(
  { kind, regex }: Exclude<Reading, { kind: 'keyword' }>,
  { ids, toolOf, allows, pause }: Scan,
): Promise<readonly EngineHit[]> {
  const [byName, byText]: [string[], string[]] = [[], []];
  let [cost, left] = [0, MOST_CHARS];
  for (const id of ids) {
    const tool = toolOf(id);
    if (tool === undefined || !allows(tool)) continue;
    cost += TEST_CHARS + tool.name.length * regex.costPerChar;
    if (regex.test(tool.name)) byName.push(id);
    else if (kind === 'regex') {
      cost += tool.description.length * regex.costPerChar;
      if (regex.test(tool.description) || regex.test(labelsOf(tool))) byText.push(id);
    }
    if (cost < SLICE_CHARS) continue;
    left -= cost;
    if (left < 0) return [];
    cost = 0;
    await pause();
  }
  return [...byName.sort().map((id) => hit(id, 'name', 2)), ...byText.sort().map((id) => hit(id, 'lead', 1))];
}

function labelsOf({ namespace, title, tags }: StoredTool): string {
  return [namespace, title, ...tags].filter((label) => label !== '').join('\n');
}

function hit(id: string, place: 'name' | 'lead', score: number): EngineHit {
  return { id, score, isNamed: false, place };
}
