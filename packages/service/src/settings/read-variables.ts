import { nearestName } from '../nearest-name.ts';
import { serviceLinks } from './service-links.ts';
import { defaultsOf, type Setting, type ValuesOf } from './setting.ts';

/** A setting that is read from one environment variable. */
export interface VariableSetting<Value> extends Setting<Value> {
  readonly variable: string;
}

/** The environment that a process was started with. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** A table of settings, each with its variable. */
export type VariablesTable = Readonly<Record<string, VariableSetting<unknown>>>;

/** Values, and everything that is wrong with the variables: one sentence each, which names the variable and what is allowed. */
export interface ReadValues<Table> {
  readonly values: ValuesOf<Table>;
  readonly problems: readonly string[];
}

/** Says that a setting is read from a variable. */
export function fromVariable<Value>(variable: string, setting: Setting<Value>): VariableSetting<Value> {
  return { ...setting, variable };
}

/** How variables begin, without the underscore. */
export interface Prefixes {
  /** Of the service, such as `SELECTOR`: nobody else's variables begin with it. */
  readonly service: string;
  /** Of the product. Other programs of it have variables too. */
  readonly product: string;
}

/**
 * Reads a table of settings from environment variables.
 *
 * A value that is not allowed is a problem, and its default stands in for it; so is a variable that begins with the service's prefix and does
 * not exist, and a setting's name under the product's prefix. No problem repeats a value: it may be a secret in the wrong place. An empty
 * variable counts as not set, unless the setting says otherwise.
 */
export function readVariables<Table extends VariablesTable>(
  table: Table,
  environment: Environment,
  prefixes: Prefixes,
): ReadValues<Table> {
  const values: Record<string, unknown> = defaultsOf(table);
  const problems = unknownVariables(table, environment, prefixes);
  for (const [key, setting] of Object.entries(table)) {
    const text = environment[setting.variable];
    if (text === undefined || (text === '' && !setting.readsEmpty)) continue;
    const result = setting.schema.safeParse(text);
    if (result.success) values[key] = result.data;
    else problems.push(`${setting.variable} must be ${setting.allowed}.`);
  }
  return { values: values as ValuesOf<Table>, problems };
}

function unknownVariables(
  table: VariablesTable,
  environment: Environment,
  { service, product }: Prefixes,
): string[] {
  const known = Object.values(table).map(({ variable }) => variable);
  const isMisspelt = (name: string) => name.startsWith(`${service}_`) && !known.includes(name);
  const isMisplaced = (name: string) =>
    ['', `${service}_`].some((prefix) => known.includes(name.replace(`${product}_`, prefix))) &&
    name.startsWith(`${product}_`);
  // A service may be called "winnow-selector" as well as "selector".
  const links = serviceLinks(`(${service}|${product})(_\\w+)?`);
  return Object.keys(environment)
    .filter((name) => (isMisspelt(name) || isMisplaced(name)) && !links.test(name))
    .map((name) => `${name} is not a setting; the nearest one is ${nearestName(name, known)}.`);
}
