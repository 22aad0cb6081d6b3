/** What the person at the keyboard got wrong: shown as one line, without a stack. */
export class InputError extends Error {
  override readonly name = 'InputError';
}
