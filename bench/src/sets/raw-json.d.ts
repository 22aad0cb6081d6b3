declare global {
  /**
   * Features of Node 24 that TypeScript's ES2024 lacks. Source:
   * https://github.com/tc39/proposal-json-parse-with-source
   */
  interface JSON {
    parse(
      text: string,
      reviver: (key: string, value: unknown, context: { source?: string }) => unknown,
    ): unknown;
    /** A value that `stringify` writes as the given text. */
    rawJSON(text: string): object;
    isRawJSON(value: unknown): boolean;
  }
}

export {};
