import { parseJson } from '@winnow/core';
import { isJsonObject, type JsonObject } from '@winnow/registry';

/** The arguments of a tool that calls another one. */
export interface CallArguments {
  readonly name: string;
  readonly arguments: JsonObject;
  readonly isDryRun: boolean;
}

/** Arguments read from a model's call, or a sentence that says how to correct them. */
export type ReadArguments<Read> =
  | { readonly ok: true; readonly read: Read }
  | { readonly ok: false; readonly message: string };

/**
 * Reads the arguments of `call_tool` and its like. Models also write the inner arguments as a JSON string,
 * which is accepted.
 */
export function readCallArguments(written: JsonObject): ReadArguments<CallArguments> {
  const { name, dry_run: dryRun = false, ...rest } = written;
  if (typeof name !== 'string' || name.trim() === '') {
    return refuse('"name" must be the name of a tool, as search_tools gives it.');
  }
  if (typeof dryRun !== 'boolean') return refuse('"dry_run" must be true or false.');
  const { arguments: given } = rest;
  const inner = typeof given === 'string' ? (parseJson(given) ?? given) : given;
  if (inner !== undefined && inner !== null && !isJsonObject(inner)) {
    return refuse('"arguments" must be an object with the arguments of the tool.');
  }
  const unknown = Object.keys(rest).filter((key) => key !== 'arguments');
  if (unknown.length > 0) {
    const names = unknown
      .slice(0, 5)
      .map((key) => JSON.stringify(key.slice(0, 64)))
      .join(', ');
    return refuse(`The arguments of the tool belong in "arguments"; move ${names} into it.`);
  }
  return { ok: true, read: { name: name.trim(), arguments: inner ?? {}, isDryRun: dryRun } };
}

function refuse(message: string): { readonly ok: false; readonly message: string } {
  return { ok: false, message };
}
