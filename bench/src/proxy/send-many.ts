import { Connection } from './connection.ts';
import { nextOf, type Requests } from './measure-window.ts';

/** Size of the load. */
export interface SendingEffort {
  readonly connections: number;
  readonly exchanges: number;
}

/** Sends a total number of requests over busy connections. */
export async function sendMany(
  url: string,
  requests: Requests,
  { connections: count, exchanges }: SendingEffort,
): Promise<void> {
  const connections = await Connection.openAll(url, count);
  let sent = 0;
  const send = async (connection: Connection): Promise<void> => {
    while (sent < exchanges) {
      sent += 1;
      await connection.exchange(nextOf(requests));
    }
  };
  try {
    await Promise.all(connections.map(send));
  } finally {
    for (const connection of connections) connection.close();
  }
}
