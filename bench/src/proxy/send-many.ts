import { Connection } from './connection.ts';

/** Size of the load. */
export interface SendingEffort {
  readonly connections: number;
  readonly exchanges: number;
}

/** Sends a total number of requests, in turn, over busy connections. */
export async function sendMany(
  url: string,
  requests: readonly Buffer[],
  { connections: count, exchanges }: SendingEffort,
): Promise<void> {
  const connections = await Connection.openAll(url, count);
  let next = 0;
  const send = async (connection: Connection): Promise<void> => {
    while (next < exchanges) {
      const request = requests[next % requests.length]!;
      next += 1;
      await connection.exchange(request);
    }
  };
  try {
    await Promise.all(connections.map(send));
  } finally {
    for (const connection of connections) connection.close();
  }
}
