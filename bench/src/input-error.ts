/** An error of the user, shown as one line without a stack. */
export class InputError extends Error {
  override readonly name = 'InputError';
}
