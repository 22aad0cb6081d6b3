import type { DatabaseRequest } from './registry-database.ts';

export interface Question {
  readonly number: number;
  readonly request: DatabaseRequest;
}

/** Reasons of a failed request. A full disk changes nothing else. */
export type DatabaseFailure = 'full' | 'failed';

export type Answer =
  | { readonly number: number; readonly ok: true; readonly value: unknown }
  | {
      readonly number: number;
      readonly ok: false;
      readonly failure: DatabaseFailure;
      readonly message: string;
    };

/** The thread's first message: the database is open, or the reason that it is not. */
export type Greeting =
  | { readonly opened: true }
  | {
      readonly opened: false;
      readonly code: 'damaged' | 'in_use' | 'too_new' | 'unreachable';
      readonly message: string;
    };
