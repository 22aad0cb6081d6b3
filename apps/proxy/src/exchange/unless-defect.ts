/** Returns what `make` does; undefined if it throws, and the error goes to `onDefect`. */
export function unlessDefect<Value>(
  make: () => Value,
  onDefect: (error: unknown) => void,
): Value | undefined {
  try {
    return make();
  } catch (error) {
    onDefect(error);
    return undefined;
  }
}
