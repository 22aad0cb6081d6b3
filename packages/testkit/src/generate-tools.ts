import { describeTool } from './describe-tool.ts';
import { type GeneratedParameter, generateParameter, toObjectSchema } from './generate-schema.ts';
import { generateServer, type ToolServer } from './generate-server.ts';
import { createRandom, type Random } from './random.ts';
import { type GeneratedTool, toSearchTool } from './tool-shapes.ts';
import { QUALIFIERS, VERBS } from './vocabulary.ts';

/** Options of the catalogue. */
export interface GenerateToolsOptions {
  readonly count: number;
  /** Any integer. Catalogues of different seeds have different texts throughout, as far as English allows. */
  readonly seed: number;
  /**
   * Mean size in bytes of a tool as an entry of a search request: its name and description, and the
   * provider's object, which repeats both. Default: 750, like real servers; 20,000 such tools stay under 16
   * MiB.
   */
  readonly meanBytes?: number;
}

const DEFAULT_MEAN_BYTES = 750;
const MOST_PARAMETERS = 12;
/** Sizes relative to the mean: many small tools and a few large ones, as in real catalogues. */
const SIZE_SPREAD = [0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.1, 1.3, 1.5, 2.2];

/**
 * Generates a realistic catalogue: tools of many servers, each with its own product and field of work.
 *
 * Names are unique and follow `verb_noun` or `verb_qualifier_noun`, most with their server's prefix.
 * Descriptions have one to four sentences; schemas have up to 12 parameters with enumerations, arrays and
 * nested objects. The same options always give the same catalogue. Takes some 50 µs per tool.
 */
export function generateTools(options: GenerateToolsOptions): GeneratedTool[] {
  const random = createRandom(options.seed);
  const meanBytes = options.meanBytes ?? DEFAULT_MEAN_BYTES;
  const names = new Set<string>();
  const tools: GeneratedTool[] = [];
  while (tools.length < options.count) {
    const server = generateServer(random);
    const size = Math.min(random.between(4, 24), options.count - tools.length);
    for (let made = 0; made < size; made += 1) tools.push(generateTool(random, { server, names, meanBytes }));
  }
  return tools;
}

interface Surroundings {
  readonly server: ToolServer;
  /** Names in use; the function adds the new one. */
  readonly names: Set<string>;
  readonly meanBytes: number;
}

function generateTool(random: Random, { server, names, meanBytes }: Surroundings): GeneratedTool {
  const { name, verb, noun, qualifier } = generateName(random, server, names);
  const targetBytes = meanBytes * random.pick(SIZE_SPREAD);
  const description = describeTool(random, {
    verb,
    noun,
    qualifier,
    product: server.product,
    sentences: Math.min(4, Math.max(1, Math.round(targetBytes / 450) + random.between(-1, 1))),
  });
  return addParameters(random, { name, description, noun, targetBytes });
}

interface ToolName {
  readonly name: string;
  readonly verb: string;
  readonly noun: string;
  readonly qualifier: string | undefined;
}

/** Draws until the name is new: servers have their own prefixes, so clashes are rare. */
function generateName(random: Random, server: ToolServer, names: Set<string>): ToolName {
  for (;;) {
    const [verb] = random.pick(VERBS);
    const noun = random.pick(server.nouns);
    const qualifier = random.chance(0.6) ? random.pick(QUALIFIERS) : undefined;
    const name = server.toName([verb, ...(qualifier === undefined ? [] : [qualifier]), noun]);
    if (names.has(name)) continue;
    names.add(name);
    return { name, verb, noun, qualifier };
  }
}

interface ToolDraft {
  readonly name: string;
  readonly description: string;
  readonly noun: string;
  readonly targetBytes: number;
}

/**
 * Adds parameters until the tool reaches its size. Keeps the last one if that is closer than leaving it out.
 */
function addParameters(random: Random, draft: ToolDraft): GeneratedTool {
  const { name, description, noun, targetBytes } = draft;
  let missingBytes = targetBytes - sizeOf({ name, description, parameters: toObjectSchema([]) });
  const parameters = new Map<string, GeneratedParameter>();
  while (parameters.size < MOST_PARAMETERS && missingBytes > 0) {
    const parameter = generateParameter(random, noun);
    if (parameters.has(parameter.name)) continue;
    const stillMissingBytes = missingBytes - growthBy(parameter, [...parameters.values()]);
    if (Math.abs(stillMissingBytes) > missingBytes) break;
    parameters.set(parameter.name, parameter);
    missingBytes = stillMissingBytes;
  }
  return { name, description, parameters: toObjectSchema([...parameters.values()]) };
}

/** Size of the tool in a request, in bytes. Generated text is ASCII, so characters are bytes. */
function sizeOf(tool: GeneratedTool): number {
  return JSON.stringify(toSearchTool(tool, 'mcp')).length;
}

/** Returns the number of bytes that one more parameter adds to a schema. */
function growthBy({ name, schema, isRequired }: GeneratedParameter, others: readonly GeneratedParameter[]) {
  const member = `,"${name}":${JSON.stringify(schema)}`.length - (others.length === 0 ? 1 : 0);
  if (!isRequired) return member;
  return (
    member + (others.some((other) => other.isRequired) ? ',""' : ',"required":[""]').length + name.length
  );
}
