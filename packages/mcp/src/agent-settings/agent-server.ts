/** An MCP server as an agent has it in its settings, in one form for all of them. */
export type AgentServer = {
  readonly name: string;
  readonly isEnabled: boolean;
  /** The server's own names of tools that may be used; undefined for all. */
  readonly include: readonly string[] | undefined;
  readonly exclude: readonly string[] | undefined;
} & (
  | {
      readonly type: 'stdio';
      readonly command: string;
      readonly args: readonly string[];
      readonly env: Readonly<Record<string, string>>;
      readonly cwd: string | undefined;
    }
  | { readonly type: 'http'; readonly url: string; readonly headers: Readonly<Record<string, string>> }
);

/** The servers in an agent's settings. `${NAME}` in strings is an environment variable. */
export interface ReadServers {
  readonly servers: readonly AgentServer[];
  /** Skipped servers, with reasons. Holds no value of the settings. */
  readonly leftOut: readonly { readonly name: string; readonly reason: string }[];
  /** Keys that were not taken over, such as `github.envFile`, each with a remedy. */
  readonly dropped: readonly { readonly key: string; readonly remedy: string }[];
}
