/** A tool as text: what the rankers see of it. Plain strings, no schema. */
export interface ToolDocument {
  readonly name: string;
  readonly description: string;
  /** Every parameter at any depth, in schema order. */
  readonly parameters: readonly ParameterText[];
}

/** One parameter: its name, and the text of its title, description and `enum`/`const` values. */
export interface ParameterText {
  readonly name: string;
  readonly text: string;
}
