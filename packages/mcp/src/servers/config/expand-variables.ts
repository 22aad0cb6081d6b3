import { readSecretFile } from '@winnow/service';

/** A text with expanded variables, or the problem of one of them. */
export type Expansion =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly problem: string };

const REFERENCE = /\$\{([^}]*)\}/g;
const FILE = /^file:(.+)$/;
const VARIABLE = /^(?:env:)?([A-Za-z_][A-Za-z0-9_]*)(?::-([\s\S]*))?$/;

/**
 * Expands environment variables like agents: `${NAME}`, `${NAME:-default}`, and `${env:NAME}` as editors write
 * it; and files, `${file:PATH}`, as in settings. The default replaces a missing or empty variable. A missing
 * variable without a default is a problem, and so are variables that only an editor knows, such as
 * `${input:key}`.
 *
 * Sources: https://code.claude.com/docs/en/mcp#environment-variable-expansion-in-mcp-json,
 * https://code.visualstudio.com/docs/reference/variables-reference
 */
export function expandVariables(
  text: string,
  environment: Readonly<Record<string, string | undefined>>,
): Expansion {
  let problem: string | undefined;
  const expanded = text.replace(REFERENCE, (reference, inside: string) => {
    const [, path] = FILE.exec(inside) ?? [];
    if (path !== undefined) {
      const read = readSecretFile(path);
      if (read.ok) return read.text;
      problem ??= `the file ${path} ${read.reason}`;
      return '';
    }
    const [, name, fallback] = VARIABLE.exec(inside) ?? [];
    if (name === undefined) {
      problem ??= `${reference} is not known here: there are \${NAME}, \${NAME:-default}, \${env:NAME} and \${file:PATH}`;
      return '';
    }
    const value = environment[name];
    if (value !== undefined && (value !== '' || fallback === undefined)) return value;
    if (fallback === undefined)
      problem ??= `the environment variable ${name} is not set; \${${name}:-default} gives it a default`;
    return fallback ?? '';
  });
  return problem === undefined ? { ok: true, text: expanded } : { ok: false, problem };
}

/** Names of the variables that a text refers to. */
export function variablesIn(text: string): readonly string[] {
  return [...text.matchAll(REFERENCE)].flatMap(([, inside]) => VARIABLE.exec(inside!)?.[1] ?? []);
}

/** Paths of the files that a text refers to. */
export function filesIn(text: string): readonly string[] {
  return [...text.matchAll(REFERENCE)].flatMap(([, inside]) => FILE.exec(inside!)?.[1] ?? []);
}
