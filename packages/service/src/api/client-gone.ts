/** The client left before the response: there is nobody to respond to, and nothing to do for it any more. */
export class ClientGone extends Error {
  override readonly name = 'ClientGone';

  constructor(options?: ErrorOptions) {
    super('the client closed the connection', options);
  }
}
