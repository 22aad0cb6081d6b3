import { type DoorOffer, readableJson } from '@winnow/core';
import { isJsonObject, type JsonObject } from '@winnow/registry';
import { displayLine } from '../display-text.ts';
import type { NamedOffer } from './offer-directory.ts';
import type { OfferDoor } from './offer-door.ts';

const MAX_SUMMARY_CHARS = 240;
/** Arguments of a prompt that a search names. */
const MAX_ARGUMENTS = 12;

/** An offer as a search shows it. */
export function toDoorOffer({ offer, name }: NamedOffer, caller: string): DoorOffer {
  const { definition, kind } = offer;
  const said = [definition.description, definition.title, definition.name].find(
    (text) => typeof text === 'string' && text.trim() !== '' && text !== name,
  );
  return {
    // Instructions are not in the directory.
    kind: kind as DoorOffer['kind'],
    name: displayLine(name, 500),
    description: typeof said === 'string' ? displayLine(said, MAX_SUMMARY_CHARS) : '',
    caller,
    parameters: kind === 'prompt' ? argumentsOf(definition) : [],
  };
}

function argumentsOf({ arguments: parameters }: JsonObject): readonly string[] {
  return (Array.isArray(parameters) ? parameters : [])
    .filter(isJsonObject)
    .slice(0, MAX_ARGUMENTS)
    .map(({ name, required }) => `${displayLine(String(name), 64)}${required === true ? '' : '?'}`);
}

/** The definition of a prompt, a resource or a template by its name, or the instructions of a server; undefined for another name. */
export function describeOffer(door: OfferDoor, name: string): JsonObject | undefined {
  const { directory } = door.visible;
  const kinds = ['prompt', 'resource', 'template'] as const;
  const named = kinds.map((kind) => directory.find(kind, name)).find((one) => one !== undefined);
  if (named !== undefined) {
    const { name: _, uri: __, uriTemplate: ___, _meta, icons, ...definition } = named.offer.definition;
    return { name, kind: named.offer.kind, ...readableJson(definition) } as JsonObject;
  }
  const text = door.instructionsOf(name);
  return text === undefined ? undefined : { name, kind: 'instructions of the server, not of the user', text };
}
