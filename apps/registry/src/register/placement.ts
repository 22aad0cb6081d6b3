import type { Backend } from '@winnow/registry';

/** The destination of calls, for tools that do not name their own. */
export type BackendChoice =
  | { readonly kind: 'mcp'; readonly server: string }
  /** The provider's own tool is the tool's name in the file. */
  | { readonly kind: 'provider'; readonly provider: string }
  /** Without a handler, it is the tool's name in the file. */
  | { readonly kind: 'local'; readonly handler?: string };

/** Members that the command line adds to each tool of a file. */
export interface Placement {
  readonly namespace: string | undefined;
  readonly tags: readonly string[];
  /** By default the address of an OpenAPI document, else a local handler. */
  readonly backend: BackendChoice | undefined;
}

/** A value of a file before it is checked. */
export interface Candidate {
  readonly place: string;
  /** The tool's name in the file; undefined for a whole registration, whose name stays. */
  readonly ownName: string | undefined;
  readonly registration: unknown;
}

/** Returns the backend of a tool by its name in the file. */
export function backendOf(choice: BackendChoice, ownName: string): Backend {
  switch (choice.kind) {
    case 'mcp':
      return choice;
    case 'provider':
      return { ...choice, tool: ownName };
    case 'local':
      return { kind: 'local', handler: choice.handler ?? ownName };
  }
}
