import { REGISTRY_LIMITS } from '../limits.ts';

export interface ToolIdParts {
  /** Empty when there is none. */
  readonly namespace: string;
  readonly name: string;
}

const NAME = /^[A-Za-z0-9_.-]+$/;
const NAMESPACE = /^[a-z0-9][a-z0-9._-]*$/;

/** Whether a text is a valid tool name. */
export function isToolName(text: string): boolean {
  return text.length <= REGISTRY_LIMITS.nameChars && NAME.test(text);
}

/** Whether a text is a valid namespace; the empty text is not. */
export function isNamespace(text: string): boolean {
  return text.length <= REGISTRY_LIMITS.namespaceChars && NAMESPACE.test(text);
}

/** Returns `namespace:name`, or only the name when the namespace is empty. */
export function formatToolId({ namespace, name }: ToolIdParts): string {
  return namespace === '' ? name : `${namespace}:${name}`;
}

/**
 * Parses an id; undefined for an invalid one: more than one colon, an empty part, white space, or invalid characters.
 * `formatToolId` restores the text.
 */
export function parseToolId(text: string): ToolIdParts | undefined {
  const colon = text.indexOf(':');
  if (colon < 0) return isToolName(text) ? { namespace: '', name: text } : undefined;
  const [namespace, name] = [text.slice(0, colon), text.slice(colon + 1)];
  return isNamespace(namespace) && isToolName(name) ? { namespace, name } : undefined;
}

/** Returns the namespace of an id; empty when there is none. */
export function namespaceOf(id: string): string {
  const colon = id.indexOf(':');
  return colon < 0 ? '' : id.slice(0, colon);
}
