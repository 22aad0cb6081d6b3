/** The environment of an agent in a trial. */
export interface TrialPlace {
  /** An empty home directory for this agent. */
  readonly home: string;
  /** Its working directory. */
  readonly workspace: string;
  /** The scripted model's address, without a path. */
  readonly modelUrl: string;
  /** The command that starts the front door. */
  readonly door: { readonly command: string; readonly args: readonly string[] };
  /** The user's request. */
  readonly wish: string;
}

/** Instructions to run an agent without a terminal, with the front door as its only MCP server. */
export interface AgentTrial {
  readonly id: string;
  /** Its npm package. */
  readonly package: string;
  /** Its command in `node_modules/.bin`. */
  readonly command: string;
  readonly prepare: (place: TrialPlace) => {
    /** Settings files to write, by path relative to the home directory. */
    readonly files: Readonly<Record<string, string>>;
    readonly env: Readonly<Record<string, string>>;
    readonly args: readonly string[];
  };
}
