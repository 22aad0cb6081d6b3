import { hash } from 'node:crypto';
import { type RequestView, rememberBy, type ToolSection } from '@winnow/wire';

/** The parts of a request that identify the agent behind it. */
export interface AgentSigns {
  readonly view: Pick<RequestView, 'model' | 'systemTexts'>;
  readonly section: ToolSection;
  readonly format: string;
  /** The key of the client's credential at an upstream. */
  readonly tenant: string;
  readonly userAgent: string | undefined;
}

/** Length of an id, in characters. */
const ID_CHARS = 16;

/** Ratio of system prompt lengths that count as different: agents write dates and paths into theirs. */
const LENGTH_STEP = 1.25;

/**
 * Returns the id of the agent that sent a request: a hash of the names of its tools, its model, its credential,
 * its user agent, and the rough length of its system prompt.
 */
export function agentIdOf({ view, section, format, tenant, userAgent }: AgentSigns): string {
  const chars = view.systemTexts.reduce((sum, text) => sum + text.length, 0);
  const length = Math.round(Math.log(chars + 1) / Math.log(LENGTH_STEP));
  return idOf(section, tenant, format, view.model, userAgent, length);
}

/** Most requests with a list come from the same agent as the one before. */
const idOf = rememberBy(
  (
    section: ToolSection,
    tenant: string,
    format: string,
    model: string | undefined,
    userAgent: string | undefined,
    length: number,
  ): string => {
    const signs = [tenant, format, model ?? null, userAgent ?? null, length, namesIn(section)];
    return hash('sha256', JSON.stringify(signs), 'base64url').slice(0, ID_CHARS);
  },
);

const namesIn = rememberBy(({ entries }: ToolSection) =>
  hash('sha256', JSON.stringify(entries.map(({ name }) => name ?? null).sort()), 'base64url'),
);

/** The start of a user agent: the program's name, which may contain a slash, without its version. */
const PROGRAM = /^[A-Za-z][\w.-]{0,39}(\/[A-Za-z][\w.-]{0,39})?/;

/** Returns the program that a user agent names, such as `claude-cli` or `OpenAI/Python`; undefined if it names none. */
export function programName(userAgent: string | undefined): string | undefined {
  return PROGRAM.exec(userAgent ?? '')?.[0];
}
