/** The client left before its request was answered: there is nobody to answer, and nothing to do for it any more. */
export class ClientGone extends Error {
  override readonly name = 'ClientGone';

  constructor(options?: ErrorOptions) {
    super('the client closed the connection', options);
  }
}
