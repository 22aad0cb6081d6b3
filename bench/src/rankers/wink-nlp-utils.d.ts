declare module 'wink-nlp-utils' {
  const nlp: {
    readonly string: {
      lowerCase(text: string): string;
      tokenize0(text: string): string[];
    };
    readonly tokens: {
      removeWords(tokens: string[]): string[];
      stem(tokens: string[]): string[];
      propagateNegations(tokens: string[]): string[];
    };
  };
  export default nlp;
}
