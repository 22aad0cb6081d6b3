/** The namespaces that some models put before names of functions. */
const PREFIXES = ['function', 'functions', 'tool', 'tools', 'default_api'];
const PREFIX = new RegExp(`^(?:to=)?(?:(?:${PREFIXES.join('|')})[.:/]+)+`, 'i');

/** A token of a chat template that some servers leave behind a name. */
const TEMPLATE_TOKEN = /<\|.*/s;

/** The longest part of a name that is compared, in characters. */
const NAME_CHARS = 128;

/** Returns the name of a function as its tool is declared, without what models and servers put around it. */
export function bareName(name: string): string {
  return name.slice(0, NAME_CHARS).replace(TEMPLATE_TOKEN, '').trim().replace(PREFIX, '');
}

/** Whether a name that begins like this may have a prefix. */
export function mayBeginPrefix(start: string): boolean {
  const begun = start.trim().toLowerCase();
  return PREFIXES.some((prefix) => prefix.startsWith(begun));
}

/** Returns a name's letters and digits in lower case. */
export function squeezed(name: string): string {
  return name
    .slice(0, NAME_CHARS)
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '');
}
