import type { Format, Purpose } from '@winnow/wire';
import type { ClientIdentity } from '../sessions/client-identity.ts';
import type { TracedExchange } from './trace-exchange.ts';

/** A request in a supported format on its way through the proxy. */
export interface FormatExchange extends TracedExchange {
  readonly format: Format;
  readonly purpose: Purpose;
  readonly identity: ClientIdentity;
}

/** The end of an exchange, as fields of its record. */
export interface Ending {
  readonly outcome: 'answered' | 'failed';
  /** The status that the client received. */
  readonly status: number;
}
