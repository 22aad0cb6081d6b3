import { isJsonObject, type JsonObject, objectsOf } from '../upstream/json-object.ts';
import { badRequest, type Rejection } from '../upstream/rejection.ts';

/** The members of each object of a request, by its name. All other members are refused. */
const MEMBERS = {
  '': [
    'messages',
    'system',
    'toolConfig',
    'inferenceConfig',
    'additionalModelRequestFields',
    'additionalModelResponseFieldPaths',
    'guardrailConfig',
    'promptVariables',
    'requestMetadata',
    'performanceConfig',
    'serviceTier',
    'outputConfig',
  ],
  toolConfig: ['tools', 'toolChoice'],
  inferenceConfig: ['maxTokens', 'temperature', 'topP', 'stopSequences'],
  tool: ['toolSpec', 'systemTool', 'cachePoint'],
  toolSpec: ['name', 'description', 'inputSchema', 'strict'],
  message: ['role', 'content'],
  block: [
    'text',
    'image',
    'document',
    'video',
    'audio',
    'toolUse',
    'toolResult',
    'guardContent',
    'cachePoint',
    'reasoningContent',
    'citationsContent',
    'searchResult',
    'toolAddition',
    'toolRemoval',
  ],
  toolUse: ['toolUseId', 'name', 'input', 'type'],
  toolResult: ['toolUseId', 'content', 'status', 'type'],
  cachePoint: ['type', 'ttl'],
} as const;

const NAME = /^[A-Za-z0-9_-]{1,64}$/;
const MOST_CACHE_POINTS = 4;

/**
 * Finds the formal faults for which Bedrock refuses a Converse request. The wording for unknown members is
 * from memory; the rest follows the published reference.
 */
export function* findConverseFaults(body: JsonObject): Generator<Rejection> {
  yield* unknownMembers(body, '');
  yield* unknownMembers(body.inferenceConfig, 'inferenceConfig');
  yield* findMessageFaults(body);
  yield* findToolFaults(body);
  const points = JSON.stringify(body).match(/"cachePoint":\{/g)?.length ?? 0;
  if (points > MOST_CACHE_POINTS)
    yield badRequest(`You invoked a model with ${points} cache points; at most 4 are allowed.`);
}

function* unknownMembers(value: unknown, kind: keyof typeof MEMBERS): Generator<Rejection> {
  if (!isJsonObject(value)) return;
  const known: readonly string[] = MEMBERS[kind];
  for (const key of Object.keys(value)) {
    if (!known.includes(key))
      yield badRequest(
        `Malformed input request: #: extraneous key [${key}] is not permitted, please reformat your input and try again.`,
      );
  }
}

function* findMessageFaults({ messages }: JsonObject): Generator<Rejection> {
  if (!Array.isArray(messages)) {
    yield badRequest(
      "1 validation error detected: Value at 'messages' failed to satisfy constraint: Member must not be null",
    );
    return;
  }
  const list = objectsOf(messages);
  if (list[0]?.role !== 'user')
    yield badRequest(
      'A conversation must start with a user message. Try again with a conversation that starts with a user message.',
    );
  for (const [at, message] of list.entries()) {
    yield* unknownMembers(message, 'message');
    if (!['user', 'assistant', 'system'].includes(String(message.role)))
      yield badRequest(
        `Value at 'messages.${at + 1}.member.role' failed to satisfy constraint: Member must satisfy enum value set: [user, assistant, system]`,
      );
    if (message.role === list[at - 1]?.role)
      yield badRequest(
        'A conversation must alternate between user and assistant roles. Make sure the conversation alternates between user and assistant roles and try again.',
      );
    const blocks = Array.isArray(message.content) ? objectsOf(message.content) : [];
    if (blocks.length === 0)
      yield badRequest(
        `The content field in the Message object at messages.${at} is empty. Add a ContentBlock object to the content field and try again.`,
      );
    for (const [place, block] of blocks.entries())
      yield* findBlockFaults(block, `messages.${at}.content.${place}`);
    yield* findCachePlaces(blocks, `messages.${at}.content`);
  }
}

function* findBlockFaults(block: JsonObject, place: string): Generator<Rejection> {
  yield* unknownMembers(block, 'block');
  const { text, toolUse, toolResult } = block;
  if (Object.keys(block).length !== 1)
    yield badRequest(
      `The ContentBlock object at ${place} must set one of the following keys: text, image, toolUse, toolResult, document, video, cachePoint, reasoningContent.`,
    );
  if (typeof text === 'string' && text.trim() === '')
    yield badRequest(
      `The text field in the ContentBlock object at ${place} is blank. Add text to the text field, and try again.`,
    );
  yield* unknownMembers(toolUse, 'toolUse');
  yield* unknownMembers(toolResult, 'toolResult');
  if (isJsonObject(toolUse) && !isJsonObject(toolUse.input))
    yield badRequest(
      `The format of the value at ${place}.toolUse.input is invalid. Provide a json object for the field and try again.`,
    );
  if (isJsonObject(toolUse) && !NAME.test(String(toolUse.name)))
    yield badRequest(nameFault(`${place}.toolUse.name`, toolUse.name));
  if (isJsonObject(toolResult) && !Array.isArray(toolResult.content))
    yield badRequest(`The content field at ${place}.toolResult is missing.`);
}

function* findToolFaults({ toolConfig, messages }: JsonObject): Generator<Rejection> {
  const blocks = objectsOf(messages).flatMap(({ content }) => objectsOf(content));
  const hasToolBlocks = blocks.some(
    ({ toolUse, toolResult }) => toolUse !== undefined || toolResult !== undefined,
  );
  if (toolConfig === undefined) {
    if (hasToolBlocks)
      yield badRequest(
        'The toolConfig field must be defined when using toolUse and toolResult content blocks.',
      );
    return;
  }
  yield* unknownMembers(toolConfig, 'toolConfig');
  const tools = isJsonObject(toolConfig) ? objectsOf(toolConfig.tools) : [];
  const names: string[] = [];
  for (const [at, tool] of tools.entries()) {
    yield* unknownMembers(tool, 'tool');
    yield* unknownMembers(tool.toolSpec, 'toolSpec');
    yield* unknownMembers(tool.cachePoint, 'cachePoint');
    if (!isJsonObject(tool.toolSpec)) continue;
    const { name, inputSchema, description } = tool.toolSpec;
    if (!NAME.test(String(name)))
      yield badRequest(nameFault(`toolConfig.tools.${at}.member.toolSpec.name`, name));
    if (description === '')
      yield badRequest(
        `Value at 'toolConfig.tools.${at}.member.toolSpec.description' failed to satisfy constraint: Member must have length greater than or equal to 1`,
      );
    const schema = isJsonObject(inputSchema) ? inputSchema.json : undefined;
    if (!isJsonObject(schema) || schema.type !== 'object')
      yield badRequest(
        `The value at toolConfig.tools.${at}.toolSpec.inputSchema.json.type must be one of the following: object.`,
      );
    if (names.includes(String(name)))
      yield badRequest(`The toolConfig contains the duplicate tool name: ${name}.`);
    names.push(String(name));
  }
  if (names.length === 0 && !tools.some(({ systemTool }) => systemTool !== undefined))
    yield badRequest(
      "Value at 'toolConfig.tools' failed to satisfy constraint: Member must have length greater than or equal to 1",
    );
  yield* findCachePlaces(tools, 'toolConfig.tools');
  const choice =
    isJsonObject(toolConfig) && isJsonObject(toolConfig.toolChoice) ? toolConfig.toolChoice.tool : undefined;
  if (isJsonObject(choice) && !names.includes(String(choice.name)))
    yield badRequest(`The toolChoice names ${choice.name}, which is none of the tools.`);
}

/** Checks that a cache point has content before it to cache. */
function* findCachePlaces(parts: readonly JsonObject[], place: string): Generator<Rejection> {
  for (const [at, part] of parts.entries()) {
    if (part.cachePoint === undefined) continue;
    if (at === 0 || parts[at - 1]!.cachePoint !== undefined)
      yield badRequest(`The cachePoint at ${place}.${at} has nothing to cache in front of it.`);
  }
}

function nameFault(place: string, name: unknown): string {
  return `1 validation error detected: Value '${name}' at '${place}' failed to satisfy constraint: Member must satisfy regular expression pattern: [a-zA-Z0-9_-]+`;
}
