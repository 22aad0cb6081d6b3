/** The client left before its response, so there is no one to respond to and no work to finish. */
export class ClientGone extends Error {
  override readonly name = 'ClientGone';

  constructor(options?: ErrorOptions) {
    super('the client closed the connection', options);
  }
}
