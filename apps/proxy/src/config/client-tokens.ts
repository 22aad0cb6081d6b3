/** A client's token, with its name if the operator has given one. */
export interface ClientToken {
  readonly name: string | undefined;
  readonly token: string;
}

/** Parses the values of `server.tokens`, written as `TOKEN` or `NAME:TOKEN`. */
export function clientTokens(texts: readonly string[]): ClientToken[] {
  return texts.map((text) => {
    const [, name, token] = /^(?:([^:]*):)?(.*)$/.exec(text)!;
    return { name, token: token! };
  });
}
