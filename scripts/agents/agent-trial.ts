/** Where a trial's agent finds what it needs. */
export interface TrialPlace {
  /** An empty home directory of its own. */
  readonly home: string;
  /** The folder that it works in. */
  readonly workspace: string;
  /** The scripted model's address, without a path. */
  readonly modelUrl: string;
  /** How the front door is started. */
  readonly door: { readonly command: string; readonly args: readonly string[] };
  /** What the user asks for. */
  readonly wish: string;
}

/** How an agent is run without a terminal, with the front door as its only MCP server. */
export interface AgentTrial {
  readonly id: string;
  /** As npm installs it. */
  readonly package: string;
  /** Its command in `node_modules/.bin`. */
  readonly command: string;
  readonly prepare: (place: TrialPlace) => {
    /** Settings to write, by their paths under the home directory. */
    readonly files: Readonly<Record<string, string>>;
    readonly env: Readonly<Record<string, string>>;
    readonly args: readonly string[];
  };
}
