import { REGISTRY_LIMITS } from '../limits.ts';

/** An id taken apart. */
export interface ToolIdParts {
  /** Empty when there is none. */
  readonly namespace: string;
  readonly name: string;
}

const NAME = /^[A-Za-z0-9_.-]+$/;
const NAMESPACE = /^[a-z0-9][a-z0-9._-]*$/;

/** Whether a text can be a tool's name. */
export function isToolName(text: string): boolean {
  return text.length <= REGISTRY_LIMITS.nameChars && NAME.test(text);
}

/** Whether a text can be a namespace; the empty text, which stands for none, is not one. */
export function isNamespace(text: string): boolean {
  return text.length <= REGISTRY_LIMITS.namespaceChars && NAMESPACE.test(text);
}

/** `namespace:name`, or the name alone when the namespace is empty. */
export function formatToolId({ namespace, name }: ToolIdParts): string {
  return namespace === '' ? name : `${namespace}:${name}`;
}

/**
 * The parts of an id, or undefined when it is none: more than one colon, an empty half, white space, or characters that
 * neither a namespace nor a name has. `formatToolId` gives the same text back.
 */
export function parseToolId(text: string): ToolIdParts | undefined {
  const colon = text.indexOf(':');
  if (colon < 0) return isToolName(text) ? { namespace: '', name: text } : undefined;
  const [namespace, name] = [text.slice(0, colon), text.slice(colon + 1)];
  return isNamespace(namespace) && isToolName(name) ? { namespace, name } : undefined;
}

/** The namespace of an id; empty when there is none. */
export function namespaceOf(id: string): string {
  const colon = id.indexOf(':');
  return colon < 0 ? '' : id.slice(0, colon);
}
