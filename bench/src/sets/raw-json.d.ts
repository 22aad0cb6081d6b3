declare global {
  /** What Node 24 has and TypeScript's ES2024 has not. Source: https://github.com/tc39/proposal-json-parse-with-source */
  interface JSON {
    parse(
      text: string,
      reviver: (key: string, value: unknown, context: { source?: string }) => unknown,
    ): unknown;
    /** A value that `stringify` writes as the text given. */
    rawJSON(text: string): object;
    isRawJSON(value: unknown): boolean;
  }
}

export {};
