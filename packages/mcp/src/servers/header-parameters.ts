import { keptMember, keptText } from '@winnow/core';
import { isJsonObject, type JsonObject } from '@winnow/registry';

/** A parameter that is sent as a header, too. */
export interface HeaderParameter {
  readonly path: readonly string[];
  readonly header: string;
}

export type HeaderParameters =
  | { readonly ok: true; readonly parameters: readonly HeaderParameter[] }
  /** A rule is broken: the tool must not be used. */
  | { readonly ok: false; readonly reason: string };

const KEY = 'x-mcp-header';
/** https://www.rfc-editor.org/rfc/rfc9110#section-5.6.2 */
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const TYPES: readonly unknown[] = ['string', 'integer', 'boolean'];

/**
 * The parameters of a schema that say `x-mcp-header`, or the first rule that one of them breaks: the value is a
 * token, no other one is equal to it but for case, the parameter is a text, a whole number or a boolean, and is
 * reached only through `properties`.
 *
 * Source: https://modelcontextprotocol.io/specification/2026-07-28/basic/transports (SEP-2243).
 */
export function readHeaderParameters(schema: JsonObject): HeaderParameters {
  const parameters: HeaderParameter[] = [];
  const known = new Set<string>();
  const visit = (node: unknown, path: readonly string[], isReached: boolean): string | undefined => {
    if (Array.isArray(node)) return firstOf(node, (member) => visit(member, path, false));
    if (!isJsonObject(node)) return undefined;
    if (Object.hasOwn(node, KEY)) {
      const fault = faultOf(node, known, isReached && path.length > 0);
      if (fault !== undefined) return fault;
      const header = node[KEY] as string;
      known.add(header.toLowerCase());
      parameters.push({ path, header });
    }
    return firstOf(Object.entries(node), ([key, member]) => {
      if (key !== 'properties' || !isJsonObject(member))
        return isData(key) ? undefined : visit(member, path, false);
      return firstOf(Object.entries(member), ([name, child]) => visit(child, [...path, name], isReached));
    });
  };
  const reason = visit(schema, [], true);
  return reason === undefined ? { ok: true, parameters } : { ok: false, reason };
}

/** Values of keywords that hold data, not schemas. */
function isData(key: string): boolean {
  return ['default', 'const', 'enum', 'examples', KEY].includes(key);
}

function faultOf(node: JsonObject, known: ReadonlySet<string>, isReached: boolean): string | undefined {
  const { [KEY]: header, type } = node;
  if (!isReached) return 'x-mcp-header stands where no parameter is reached by properties alone.';
  if (typeof header !== 'string' || !TOKEN.test(header)) return 'x-mcp-header is not the name of a header.';
  if (!TYPES.includes(type))
    return 'x-mcp-header stands at a parameter that is no string, integer or boolean.';
  if (known.has(header.toLowerCase())) return 'x-mcp-header names the same header twice.';
  return undefined;
}

function firstOf<Item, Found>(
  items: Iterable<Item>,
  find: (item: Item) => Found | undefined,
): Found | undefined {
  for (const item of items) {
    const found = find(item);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The headers of a call: what is missing, null or of another type is not sent. */
export function writeHeaderParameters(
  parameters: readonly HeaderParameter[],
  args: Readonly<Record<string, unknown>>,
): Readonly<Record<string, string>> {
  const headers: Record<string, string> = {};
  for (const { path, header } of parameters) {
    const parent = path
      .slice(0, -1)
      .reduce<unknown>((node, key) => (isJsonObject(node) ? keptMember(node, key) : undefined), args);
    const value = isJsonObject(parent) ? parent[path.at(-1)!] : undefined;
    const isLarge = typeof value === 'number' && !Number.isSafeInteger(value);
    const text = isLarge ? keptText(parent as object, path.at(-1)!)! : String(value);
    const isSent = isLarge ? /^-?\d+$/.test(text) : ['string', 'boolean', 'number'].includes(typeof value);
    if (isSent) headers[`Mcp-Param-${header}`] = encodeHeader(text);
  }
  return headers;
}

/** A value that a header cannot carry unchanged is encoded in Base64. */
function encodeHeader(value: string): string {
  const isPlain = /^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(value) && !value.startsWith('=?base64?');
  return isPlain ? value : `=?base64?${Buffer.from(value).toString('base64')}?=`;
}
