/**
 * Makes an official client wait no time before it retries, where the response does not say how long. The clients
 * of OpenAI and Anthropic are generated alike, and have no option for it.
 */
export function retryAtOnce<Client extends object>(client: Client): Client {
  if (!('calculateDefaultRetryTimeoutMillis' in client)) throw new Error('This client waits in another way.');
  return Object.assign(client, { calculateDefaultRetryTimeoutMillis: () => 1 });
}
