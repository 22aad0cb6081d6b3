import type { VendorName } from '@winnow/wire';

/** The variables of a process. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** An address that a command reads, to be redirected to the proxy. */
export interface Redirect {
  /** The variable or setting that holds the address. */
  readonly name: string;
  /** The address that the command would use otherwise. */
  readonly home: URL;
  readonly format: VendorName;
  /** The path that some clients leave out, because they expect it at the end of the address. */
  readonly version?: string;
  /** The signature that the proxy must renew, because clients' signatures are valid for one host only. */
  readonly signing?: Signing | undefined;
}

/** The region and the service of a signature. */
export interface Signing {
  readonly region: string;
  readonly service: string;
}

/** Facts about a command and its place. */
export interface CommandContext {
  /** The arguments of the program. */
  readonly args: readonly string[];
  readonly environment: Environment;
  /** The user's home directory. */
  readonly home: string;
  readonly workingDirectory: string;
  /** Returns a file's text; undefined if it cannot be read. */
  readonly readText: (path: string) => string | undefined;
}

/** Functions for the last step of a plan, when the proxy listens. */
export interface Completion {
  /** Returns the proxy's address for a redirect of this name. */
  readonly addressOf: (name: string) => string;
  /** Whether Winnow defers whatever the bill, so that an agent's own tool search has nothing to do. */
  readonly replacesToolSearch: boolean;
  /** Writes a file that only this user can read and that is deleted at the end; returns its path. */
  readonly writeFile: (name: string, text: string) => string;
}

/** A command's own part of the plan. */
export interface CommandPlan {
  readonly redirects: readonly Redirect[];
  /** Returns flags to put right after the program, and variables to set, or to remove if undefined. */
  readonly complete: (completion: Completion) => {
    readonly flags?: readonly string[];
    readonly variables?: Environment;
  };
}

/** Returns the address in a text; undefined unless it is an HTTP address. */
export function httpAddress(text: string | undefined): URL | undefined {
  const url = URL.parse(text ?? '');
  return url !== null && /^https?:$/.test(url.protocol) ? url : undefined;
}
