import type { ExchangeRecord, Observation, PlanReason, RolloutArm } from '@winnow/core';
import type { TraceHeaders } from '@winnow/service';
import type { Purpose, RequestAddress } from '@winnow/wire';
import type { ProfiledRequest } from '../config/profiles.ts';
import type { ListedTools } from '../records/listed-tools.ts';
import type { TenantIdentity } from '../sessions/session-identity.ts';
import type { CopiedResponse } from './read-called-names.ts';

/** A finished exchange as plain data that can be sent to another thread. */
export interface ObservationOrder {
  readonly requestId: string;
  /** Links to the trace of the exchange. */
  readonly trace: TraceHeaders;
  readonly arm: RolloutArm;
  /** The format's name. */
  readonly format: string;
  readonly purpose: Purpose;
  readonly address: RequestAddress;
  readonly origin: TenantIdentity;
  /** The parts of its head that profiles match. */
  readonly profiled: ProfiledRequest;
  readonly request: {
    /** The body as sent, possibly encoded; to be joined. */
    readonly pieces: readonly Uint8Array[];
    readonly contentEncoding: string | undefined;
  };
  /** Undefined if there was no successful response or it is not needed. */
  readonly response: CopiedResponse | undefined;
}

/** The findings about an exchange: fields of its record, and its tools. */
export type Observed = Partial<
  Pick<
    ExchangeRecord,
    | 'model'
    | 'profile'
    | 'session'
    | 'isStream'
    | 'loadMode'
    | 'tools'
    | 'toolBytes'
    | 'toolList'
    | 'usage'
    | 'alwaysKeep'
    | 'called'
    | 'unseen'
    | 'repeats'
  >
> & {
  readonly planReason: PlanReason;
  readonly observation: Observation;
  readonly list?: ListedTools | undefined;
};
