import {
  type DoorRest,
  doorBlock,
  doorNoMatchText,
  doorResultText,
  doorWeakText,
  readableJson,
  readQueries,
  usualFound,
} from '@winnow/core';
import { MOST_NEXT, splitPage } from '@winnow/ranking';
import type { FoundTool, JsonObject, Registry, SearchPage } from '@winnow/registry';
import type { CallResult, McpServers } from '../servers/mcp-servers.ts';
import { absentNotes, displayLine, type ReadArguments, textResult } from './call-outcome.ts';
import { describeParameters } from './describe-tools.ts';
import { MAX_FOUND } from './dispatch.ts';
import type { NamedOffer } from './offers/offer-directory.ts';
import { type OfferDoor, toDoorOffer } from './offers/offer-door.ts';

/** The arguments of `search_tools`. */
export interface SearchArguments {
  readonly queries: readonly string[];
  readonly limit: number;
  readonly namespace: string | undefined;
  readonly tags: readonly string[] | undefined;
}

/** Dependencies of a search. */
export interface SearchParts {
  /** As the caller sees it. */
  readonly registry: Registry;
  readonly servers: McpServers;
  readonly offers: OfferDoor;
  /** Returns the tool that calls a found tool, or gets a prompt or resource. */
  readonly calledBy: {
    readonly tool: (tool: FoundTool) => string;
    readonly offer: (offer: NamedOffer) => string;
  };
  /** Receives the found page. */
  readonly onPage?: (page: SearchPage) => void;
}

/** Maximum length of the text, in characters; it contains tools completely or not at all. */
const MAX_TEXT_CHARS = 8_000;
/** Found tools whose definitions programs get along, and the longest one that they get, in characters. */
const DEFINED = 3;
const MAX_DEFINITION_CHARS = 8_000;
const MAX_SUMMARY_CHARS = 240;
/** Most prompts and resources of one search, and servers whose instructions come along. */
const MAX_OFFERS = 5;
const MAX_INSTRUCTIONS = 2;
/** Most groups that are named where nothing clearly matches. */
const MAX_GROUPS = 20;

/** Reads a model's arguments: a limit out of range is clamped. */
export function readSearchArguments(written: JsonObject): ReadArguments<SearchArguments> {
  const queries = readQueries(written, ['limit', 'namespace', 'tags']);
  // A blank query lists the tools.
  if (queries.length === 0 && written.query !== '')
    return { ok: false, message: '"queries" must be a list of phrases.' };
  const { limit = usualFound(queries.length), namespace, tags } = written;
  const most = Number(limit);
  if (Number.isNaN(most)) return { ok: false, message: '"limit" must be a whole number.' };
  if (namespace !== undefined && namespace !== null && typeof namespace !== 'string') {
    return { ok: false, message: '"namespace" must be a text.' };
  }
  const list = typeof tags === 'string' ? [tags] : (tags ?? undefined);
  if (list !== undefined && !isTexts(list)) return { ok: false, message: '"tags" must be a list of texts.' };
  return {
    ok: true,
    read: {
      queries,
      limit: Math.min(Math.max(Math.trunc(most), 1), MAX_FOUND),
      namespace: namespace || undefined,
      tags: list?.length ? list : undefined,
    },
  };
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((one) => typeof one === 'string');
}

/** Searches tools, prompts and resources; returns Markdown for the model, and data with the first three definitions for programs. */
export async function searchTools(
  { queries, limit, namespace, tags }: SearchArguments,
  { registry, servers, offers, calledBy, onPage }: SearchParts,
  signal?: AbortSignal,
): Promise<CallResult> {
  const most = limit + MOST_NEXT;
  const options = { pageSize: most, limit: most, ...(tags && { filter: { tags } }) };
  const isKnown = namespace !== undefined && (await hasNamespace(registry, namespace));
  const found = await registry.search(
    queries,
    isKnown ? { ...options, filter: { ...options.filter, namespaces: [namespace] } } : options,
    signal,
  );
  if (!found.ok) return { ...textResult(`${found.code}: ${found.problems[0]!.message}`), isError: true };
  const { page, next } = splitPage(found, limit);
  onPage?.(page);
  const isFound = page.certainty === 'found';
  const definitions = isFound ? await define(registry, page.tools) : new Map();
  const foundOffers =
    tags === undefined ? await findOffers(offers, queries, isKnown ? namespace : undefined) : [];
  const notes = [
    ...(namespace !== undefined && !isKnown
      ? [`There is no namespace ${JSON.stringify(displayLine(namespace, 64))}: all were searched.`]
      : []),
    ...staleNotes(page.tools),
    ...absentNotes(registry, servers),
  ];
  const rest: DoorRest = {
    offers: foundOffers.map((offer) => toDoorOffer(offer, calledBy.offer(offer))),
    instructions: isFound ? instructionsFor(page.tools, offers) : [],
    notes,
    doubts: doubtsOf(page, queries),
    next: next.map(({ modelName }) => modelName),
  };
  const groups = isFound || page.nearestNamespaces.length > 0 ? [] : await groupsOf(registry);
  return textResult(
    toText(page, definitions, { rest, groups, calledBy: calledBy.tool }),
    toStructured(page, definitions, rest),
  );
}

/** Returns the queries of several that found nothing certain, with the tools that come nearest. */
function doubtsOf(
  { byQuery = [], certainty, tools }: SearchPage,
  queries: readonly string[],
): DoorRest['doubts'] {
  if (certainty !== 'found') return [];
  const shown = new Set(tools.map(({ id }) => id));
  return byQuery.flatMap((one, place) =>
    one.certainty === 'found'
      ? []
      : {
          query: queries[place]!,
          tools: one.tools
            .filter(({ id }) => !shown.has(id))
            .map((tool) => ({ name: tool.modelName, description: summaryOf(tool) })),
          unknownWords: one.unknownWords,
        },
  );
}

async function findOffers(
  { visible }: OfferDoor,
  queries: readonly string[],
  namespace: string | undefined,
): Promise<readonly NamedOffer[]> {
  const found = await visible.search.find(queries, MAX_FOUND);
  return found
    .filter(({ server }) => namespace === undefined || server.namespace === namespace)
    .slice(0, MAX_OFFERS);
}

/** Returns the instructions of the servers with the best tools. */
function instructionsFor(tools: readonly FoundTool[], offers: OfferDoor): DoorRest['instructions'] {
  const servers = new Set(tools.map(({ server }) => server));
  return [...servers]
    .flatMap((server) => {
      const text = server === undefined ? undefined : offers.instructionsOf(server);
      return server === undefined || text === undefined ? [] : [{ server: displayLine(server, 64), text }];
    })
    .slice(0, MAX_INSTRUCTIONS);
}

/** Returns the first namespaces in sight. */
async function groupsOf(registry: Registry): Promise<readonly string[]> {
  const page = await registry.namespaces({ pageSize: MAX_GROUPS });
  return page.ok ? page.rows.map(({ name }) => displayLine(name, 64)).filter((name) => name !== '') : [];
}

async function hasNamespace(registry: Registry, namespace: string): Promise<boolean> {
  const page = await registry.list({ namespaces: [namespace] }, { pageSize: 1 });
  return page.ok && page.rows.length > 0;
}

/** Definitions of the found tools, by id. */
async function define(
  registry: Registry,
  tools: readonly FoundTool[],
): Promise<ReadonlyMap<string, JsonObject>> {
  const expansion = await registry.expand(tools.map(({ id }) => id));
  if (!expansion.ok) return new Map();
  return new Map(
    expansion.tools.map(({ id, modelName, definition }) => [
      id,
      readableJson({
        name: modelName,
        ...(definition.description !== undefined && { description: definition.description }),
        inputSchema: definition.inputSchema,
      }),
    ]),
  );
}

/** Returns warnings about found tools of servers that do not respond, which may be outdated. */
function staleNotes(tools: readonly FoundTool[]): readonly string[] {
  const stale = new Map(tools.map(({ server, staleSince }) => [server, staleSince]));
  return [...stale].flatMap(([server, since]) =>
    since === undefined
      ? []
      : [
          `The server ${server} has not answered since ${new Date(since).toISOString()}: its tools may have changed.`,
        ],
  );
}

interface TextParts {
  readonly rest: DoorRest;
  readonly groups: readonly string[];
  readonly calledBy: (tool: FoundTool) => string;
}

function toText(
  page: SearchPage,
  definitions: ReadonlyMap<string, JsonObject>,
  { rest, groups, calledBy }: TextParts,
): string {
  const doubt = { ...page, groups };
  if (page.tools.length === 0) return doorNoMatchText(doubt, rest);
  if (page.certainty !== 'found') {
    return doorWeakText(
      page.tools.map((tool) => ({ name: tool.modelName, description: summaryOf(tool) })),
      doubt,
      rest,
    );
  }
  const blocks: string[] = [];
  let chars = 400 + doorResultText([], 0, rest).length;
  for (const tool of page.tools) {
    const schema = definitions.get(tool.id)?.inputSchema as JsonObject | undefined;
    const whole = toBlock(tool, calledBy(tool), schema === undefined ? [] : describeParameters(schema));
    const room = MAX_TEXT_CHARS - chars;
    const block =
      whole.length < room ? whole : toBlock(tool, calledBy(tool), ['Its parameters: ask describe_tools.']);
    if (block.length >= room) break;
    chars += block.length + 2;
    blocks.push(block);
  }
  const left = page.tools.slice(blocks.length).map(({ modelName }) => modelName);
  const next = [...left, ...rest.next].slice(0, MOST_NEXT);
  return doorResultText(blocks, page.totalMatches, { ...rest, next });
}

function summaryOf(tool: FoundTool): string {
  return displayLine(tool.summary || tool.title || tool.name, MAX_SUMMARY_CHARS);
}

function toBlock(tool: FoundTool, caller: string, lines: readonly string[]): string {
  return doorBlock({ name: tool.modelName, summary: summaryOf(tool), caller, lines });
}

function toStructured(
  page: SearchPage,
  definitions: ReadonlyMap<string, JsonObject>,
  { offers, notes }: DoorRest,
): Readonly<Record<string, unknown>> {
  return {
    tool_references: page.tools.map((tool, place) => {
      const definition = place < DEFINED ? definitions.get(tool.id) : undefined;
      const isShort = definition !== undefined && JSON.stringify(definition).length <= MAX_DEFINITION_CHARS;
      return {
        tool_name: tool.modelName,
        id: tool.id,
        ...(tool.namespace !== '' && { namespace: tool.namespace }),
        relevance_score: tool.relevanceScore,
        summary: displayLine(tool.summary, MAX_SUMMARY_CHARS),
        matched_on: tool.matchedOn,
        ...(tool.server !== undefined && { server: tool.server }),
        ...(isShort && { definition }),
      };
    }),
    total_matches: page.totalMatches,
    ...(page.noMatch && { no_match: true }),
    ...(page.certainty !== 'found' && {
      certainty: page.certainty,
      unknown_words: page.unknownWords,
      nearest_namespaces: page.nearestNamespaces,
    }),
    ...(offers.length > 0 && {
      prompts_and_resources: offers.map(({ kind, name, description }) => ({ kind, name, description })),
    }),
    ...(notes.length > 0 && { notes }),
  };
}
