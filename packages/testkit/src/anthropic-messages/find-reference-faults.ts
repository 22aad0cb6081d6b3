import { type JsonObject, objectsOf } from '../upstream/json-object.ts';
import { badRequest, type Rejection } from '../upstream/rejection.ts';
import { referencesIn } from './references-in.ts';

/** Finds references to tools that are not declared (the status 400 is an assumption). */
export function* findReferenceFaults(body: JsonObject): Generator<Rejection> {
  const declared = new Set(objectsOf(body.tools).map(({ name }) => name));
  for (const { name, place } of referencesIn(body.messages)) {
    if (!declared.has(name))
      yield badRequest(`${place}: Tool reference '${name}' not found in available tools`);
  }
}
