import {
  type ConvertedSet,
  mergeQueries,
  type ObjectSchema,
  type ReadText,
  type SetSource,
  type ToolLine,
} from './set-source.ts';

const SERVICES = ['tmdb', 'spotify'];
const METHODS = new Set(['get', 'post', 'put', 'delete', 'patch']);

/** RestBench: the HTTP operations of two services, and requests that need several calls. */
export const restbench: SetSource = {
  name: 'restbench',
  repository: 'Yifan-Song793/RestGPT',
  commit: 'd99012860cb45323975bf5780152d7aa44f390f5',
  licence: 'MIT',
  files: SERVICES.flatMap((service) => [specification(service), requests(service)]),
  licenceFile: 'LICENSE',
  faults: [
    'The gold is a chain of calls whose first is often implied, not asked for.',
    'Calls that the source writes with a stray space, or that no specification has, are not in the gold.',
    'Every parameter of Spotify counts as required.',
  ],
  sha256: {
    tools: '702ecabf5a6b03bfe961b6261e7d80fb1e8c666cdb12e045c1c7929035efd95b',
    queries: 'a4bc26021abce6fda6d3b0a94ed644314cadb013737fa32d4bb1f1ae1e2b14fb',
  },
  convert,
};

function specification(service: string): string {
  return `specs/${service}_oas.json`;
}

function requests(service: string): string {
  return `datasets/${service}.json`;
}

/** The parts of an OpenAPI 3 document that are read. */
interface Specification {
  readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

interface Operation {
  readonly summary?: string;
  readonly description?: string;
  readonly parameters?: readonly object[];
  readonly requestBody?: object;
}

interface Parameter {
  readonly name: string;
  readonly description?: string;
  /** Spotify's document has a string here, so "false" counts as true. */
  readonly required?: boolean | string;
  readonly schema?: Readonly<Record<string, unknown>>;
}

interface RequestBody {
  readonly content?: Readonly<Record<string, { readonly schema?: object }>>;
}

function convert(read: ReadText): ConvertedSet {
  const tools = SERVICES.flatMap((service) =>
    toolsOf(service, JSON.parse(read(specification(service))) as Specification),
  );
  const known = new Map(tools.map(({ call, name }) => [call, name]));
  return {
    tools: tools.map(({ call, ...tool }) => tool),
    queries: mergeQueries(
      SERVICES.flatMap((service) =>
        (JSON.parse(read(requests(service))) as { query: string; solution: string[] }[]).map(
          ({ query, solution }, number) => ({
            id: `${service}-${number}`,
            query,
            gold: [
              ...new Set(solution.flatMap((call) => known.get(`${service} ${withoutNames(call)}`) ?? [])),
            ],
            kind: 'request-multi' as const,
          }),
        ),
      ),
    ),
  };
}

/**
 * Returns `GET /person/{}` for `GET /person/{person_id}`: solutions do not always use the parameter names of
 * the specification.
 */
function withoutNames(call: string): string {
  return call.replace(/\{[^}]*\}/g, '{}');
}

function toolName(service: string, method: string, path: string): string {
  return `${service}__${method}_${path.slice(1).replaceAll('/', '_').replace(/[{}]/g, '')}`;
}

/** Returns the tools of a service, each with the call by which solutions name it. */
function toolsOf(service: string, document: Specification): (ToolLine & { readonly call: string })[] {
  return Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item)
      .filter(([method]) => METHODS.has(method))
      .map(([method, value]) => {
        const operation = value as Operation;
        const { summary, description } = operation;
        return {
          call: `${service} ${method.toUpperCase()} ${withoutNames(path)}`,
          name: toolName(service, method, path),
          description: [summary, description].filter((text) => text).join(' '),
          parameters: parametersOf(document, operation, (item.parameters ?? []) as object[]),
          group: service,
        };
      }),
  );
}

function parametersOf(
  document: Specification,
  operation: Operation,
  ofPath: readonly object[],
): ObjectSchema {
  const parameters = [...ofPath, ...(operation.parameters ?? [])].map(
    (parameter) => resolve(document, parameter) as Parameter,
  );
  const body = resolve(document, operation.requestBody ?? {}) as RequestBody;
  const schema = resolve(document, body.content?.['application/json']?.schema ?? {}) as {
    properties?: Record<string, Record<string, unknown>>;
  };
  return {
    type: 'object',
    properties: {
      ...Object.fromEntries(
        parameters.map(({ name, description, schema: type = {} }) => [
          name,
          { ...pick(type, OF_PARAMETERS), ...(description !== undefined && { description }) },
        ]),
      ),
      ...Object.fromEntries(
        Object.entries(schema.properties ?? {}).map(([name, type]) => [name, pick(type, OF_BODIES)]),
      ),
    },
    required: parameters.filter(({ required }) => required).map(({ name }) => name),
  };
}

/** The members of a schema that are kept, for a parameter or a body's property. */
const OF_PARAMETERS = ['type', 'description', 'title', 'enum', 'default', 'items'];
const OF_BODIES = ['type', 'description', 'enum'];

function pick(from: Readonly<Record<string, unknown>>, keys: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(Object.entries(from).filter(([key]) => keys.includes(key)));
}

/** Resolves a `$ref` into the same document. */
function resolve(document: object, value: object): object {
  if (!('$ref' in value)) return value;
  const keys = String(value.$ref).replace('#/', '').split('/');
  const found = keys.reduce<unknown>(
    (at, key) => (at as Record<string, unknown> | undefined)?.[key],
    document,
  );
  if (typeof found !== 'object' || found === null) throw new Error(`nothing at ${value.$ref}`);
  return resolve(document, found);
}
