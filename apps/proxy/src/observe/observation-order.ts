import type { ExchangeRecord, Observation, PlanReason, RolloutArm } from '@winnow/contract';
import type { TraceHeaders } from '@winnow/tracing';
import type { Purpose, RequestAddress } from '@winnow/wire';
import type { TenantIdentity } from '../sessions/session-identity.ts';
import type { CopiedResponse } from './read-called-names.ts';

/** An exchange that has passed by, as plain data that another thread can be given. */
export interface ObservationOrder {
  readonly requestId: string;
  /** Where the trace of the exchange goes on. */
  readonly trace: TraceHeaders;
  readonly arm: RolloutArm;
  /** By its name. */
  readonly format: string;
  readonly purpose: Purpose;
  readonly address: RequestAddress;
  readonly origin: TenantIdentity;
  readonly request: {
    /** As sent, encoded or not; to be joined. */
    readonly pieces: readonly Uint8Array[];
    readonly contentEncoding: string | undefined;
  };
  /** Undefined when there was no good one, or when nobody needs it. */
  readonly response: CopiedResponse | undefined;
}

/** What was found out about an exchange: fields of its record. */
export type Observed = Partial<
  Pick<
    ExchangeRecord,
    'model' | 'session' | 'isStream' | 'loadMode' | 'tools' | 'toolBytes' | 'usage' | 'alwaysKeep'
  >
> & {
  readonly planReason: PlanReason;
  readonly observation: Observation;
};
