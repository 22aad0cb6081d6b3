import { editDistance } from '@winnow/core';
import { parseObject } from '../json/json-members.ts';
import { squeezed } from '../tools/bare-name.ts';
import type { Bridge } from './bridge.ts';
import { checkArguments } from './check-arguments.ts';

/** The text for a call whose tool is not known. */
export const MALFORMED = 'Give the name of the tool as "name" and its arguments, an object, as "arguments".';

/** A reason why a bridge call cannot work. */
export interface CallProblem {
  /** The text for the model. */
  readonly text: string;
  /** The declared tool that it meant; undefined when there is none of its name. */
  readonly name: string | undefined;
}

/**
 * Returns what is wrong with a call of a tool whose definition the model may not have read; undefined for a
 * call that the client may accept. `name` is undefined when the model gave none.
 */
export function judgeCall(bridge: Bridge, name: string | undefined, given: string): CallProblem | undefined {
  if (name === undefined) {
    return {
      name,
      text: MALFORMED,
    };
  }
  if (bridge.isOwn(name)) return undefined;
  const tool = bridge.callable.get(name);
  if (tool === undefined) return { name: undefined, text: unknownText(bridge, name) };
  const parsed = parseObject(given);
  if (parsed === undefined) return { name, text: `The arguments of ${name} must be an object.` };
  const errors = checkArguments(tool.parameters, parsed);
  if (errors.length === 0) return undefined;
  const told = errors.slice(0, MOST_ERRORS).map(({ path, message }) => `${path || 'They'} ${message}`);
  return { name, text: `The arguments of ${name} do not fit its definition: ${told.join('; ')}.` };
}

const MOST_ERRORS = 5;
const MOST_NEAR = 3;

/** The longest part of a name that is repeated, in characters. */
const NAME_CHARS = 128;

function unknownText({ callable, searchToolName }: Bridge, name: string): string {
  const near = nearestNames(name, [...callable.keys()]);
  const similar = near.length > 0 ? ` Similar names: ${near.join(', ')}.` : '';
  const search = searchToolName === undefined ? '' : ` Search for it with ${searchToolName}.`;
  return `There is no tool named ${JSON.stringify(name.slice(0, NAME_CHARS))}.${similar}${search}`;
}

/** Returns the names that are spelt like this one, the nearest first. */
function nearestNames(name: string, names: readonly string[]): string[] {
  const written = squeezed(name);
  const limit = Math.max(2, Math.floor(written.length / 3));
  return names
    .map((one) => ({ one, distance: distanceOf(written, squeezed(one), limit) }))
    .filter(({ distance }) => distance <= limit)
    .sort((left, right) => left.distance - right.distance)
    .slice(0, MOST_NEAR)
    .map(({ one }) => one);
}

/** A name that contains the other is nearer than any misspelt one. */
function distanceOf(written: string, name: string, limit: number): number {
  if (written === name) return 0;
  const isPart = written.length > 2 && (name.includes(written) || written.includes(name));
  return isPart ? 1 : editDistance(written, name, limit);
}
