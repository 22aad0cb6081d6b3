import { join } from 'node:path';
import * as attach from '@winnow/attach';
import { DECLARATION as PROXY, readConfig } from '@winnow/proxy';
import * as registry from '@winnow/registry-app';
import * as selector from '@winnow/selector';
import type { AnyDeclaration, Environment } from '@winnow/service';

/** Settings as any service reads them. */
export type AnyOutcome =
  | {
      readonly ok: true;
      readonly values: unknown;
      readonly warnings?: readonly string[];
      readonly print: () => string;
    }
  | { readonly ok: false; readonly problems: readonly string[] };

/** One service with its settings. */
export interface ServiceUnderTest {
  readonly name: string;
  readonly declaration: AnyDeclaration;
  /** The page that lists its settings. */
  readonly page: string;
  readonly read: (environment: Environment, file?: string) => AnyOutcome;
}

type OwnOutcome = ReturnType<typeof selector.readSettings | typeof registry.readSettings>;

const withValues = (outcome: OwnOutcome | ReturnType<typeof attach.readSettings>): AnyOutcome =>
  outcome.ok ? { ...outcome, values: outcome.settings } : outcome;

/** Every service. */
export const SERVICES: readonly ServiceUnderTest[] = [
  {
    name: 'proxy',
    declaration: PROXY,
    page: 'docs/reference/proxy-settings.md',
    read: (environment, file) => {
      const outcome = readConfig({ file, environment });
      return outcome.ok ? { ...outcome, values: outcome.config } : outcome;
    },
  },
  {
    name: 'selector',
    declaration: selector.DECLARATION,
    page: 'docs/reference/selector.md',
    read: (...sources) => withValues(selector.readSettings(...sources)),
  },
  {
    name: 'registry',
    declaration: registry.DECLARATION,
    page: 'docs/reference/registry-settings.md',
    read: (...sources) => withValues(registry.readSettings(...sources)),
  },
  {
    name: 'attach',
    declaration: attach.DECLARATION,
    page: 'docs/reference/attach.md',
    read: (...sources) => withValues(attach.readSettings(...sources)),
  },
];

/** The repository's root. */
export const ROOT = join(import.meta.dirname, '../..');
