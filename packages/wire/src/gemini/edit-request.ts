import { type Edit, setMember } from '@winnow/core';
import { createRequestEditor } from '../bridge/bridge-history.ts';
import { appendDefinitions, type TextStyle, textForms } from '../bridge/found-definitions.ts';
import type { AddedTool } from '../format/capabilities.ts';
import type { RequestView, ToolSection } from '../format/view.ts';
import { isJsonObject, type JsonObject } from '../json/json-value.ts';
import { rememberBy } from '../remember-by.ts';
import { appendToHistory } from '../request/write-request.ts';
import { hidesCalls } from '../tools/hidden-names.ts';
import { swapTools } from '../tools/swap-tools.ts';
import { bridgeDialect } from './bridge-dialect.ts';
import { keyOf } from './read-request.ts';
import { contentsOfRound, restoreTurns, signCalls, turns } from './turns.ts';

const TEXT: TextStyle = { member: 'parts', writeText: (text) => `{"text":${text}}` };

/** Returns the forms in which a request can bring preloaded tools. */
export const preloadForms = textForms(TEXT);

/** Returns the request to send upstream; `view.bytes.whole` itself when there is nothing to edit. */
export const editRequest = createRequestEditor(
  { dialect: bridgeDialect, turns },
  ({ view, plan, past, declared }) => {
    const { dropsThinking: replaces = false } = past;
    const { edits: restoring, restored } = restoreTurns(view, past.hiddenTurns, declared);
    return [
      ...swapTools(view, plan, writeDeclaration),
      ...appendDefinitions(view, plan, bridgeDialect, TEXT),
      ...restoring,
      ...(!hidesCalls(plan) && !replaces ? [] : signCalls(view, { restored, replaces })),
      ...appendToHistory(
        view,
        'contents',
        past.rounds.flatMap((round) => contentsOfRound(round, declared)),
      ),
      ...(plan.forbidsCalls ? [forbidCalls(view)] : []),
    ];
  },
);

/** Replaces the client's choice as a whole: the API refuses allowed names without a call. */
function forbidCalls({ text, body, spans }: RequestView): Edit {
  const key = keyOf(body, 'toolConfig');
  const config = body[key];
  const span = spans.members.get(key);
  if (!isJsonObject(config) || span === undefined)
    return setMember(text, spans.root, key, `{"functionCallingConfig":${NO_CALLS}}`);
  return setMember(text, span, keyOf(config, 'functionCallingConfig'), NO_CALLS);
}

const NO_CALLS = '{"mode":"NONE"}';

/**
 * Returns a tool as the JSON of a declaration. Its parameters use the key and the schema dialect of the
 * client's own tools, because a model reads only one dialect per request; the provider's own when the client
 * declares none.
 */
function writeDeclaration(
  { name, description, parameters }: AddedTool,
  section: ToolSection | undefined,
): string {
  const key = section === undefined ? 'parameters' : schemaKeyOf(section);
  return JSON.stringify({
    name,
    description,
    [key]: key === 'parameters' ? toOpenApi(parameters) : parameters,
  });
}

const JSON_SCHEMA_KEYS = ['parametersJsonSchema', 'parameters_json_schema'];

const schemaKeyOf = rememberBy(({ entries }: ToolSection): string => {
  for (const { definition } of entries) {
    if (!isJsonObject(definition)) continue;
    const key = [...JSON_SCHEMA_KEYS, 'parameters'].find((one) => definition[one] !== undefined);
    if (key !== undefined) return key;
  }
  return 'parameters';
});

/**
 * Converts a schema to the provider's own dialect, which has upper-case types; some servers do not support
 * `additionalProperties`. An object without properties is refused, so a string of JSON replaces it.
 */
function toOpenApi(schema: JsonObject): JsonObject {
  const { additionalProperties, type, properties, items, ...rest } = schema;
  if (type === 'object' && properties === undefined) return { type: 'STRING', ...rest };
  const written = isJsonObject(properties) && {
    properties: Object.fromEntries(
      Object.entries(properties).map(([name, property]) => [name, toOpenApi(property as JsonObject)]),
    ),
  };
  return {
    type: String(type).toUpperCase(),
    ...rest,
    ...written,
    ...(isJsonObject(items) && { items: toOpenApi(items) }),
  };
}
