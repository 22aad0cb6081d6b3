import type { Registry } from '@winnow/registry';
import { overloaded } from '@winnow/service';
import type { Caller } from './http/callers.ts';

/** The registries of all tenants, once they are open. */
export class Registries {
  #byTenant: ReadonlyMap<string, Registry> | undefined;
  /** A caller is one object for as long as its token is accepted. */
  readonly #views = new WeakMap<Caller, Registry>();

  get isOpen(): boolean {
    return this.#byTenant !== undefined;
  }

  get all(): readonly Registry[] {
    return [...(this.#byTenant?.values() ?? [])];
  }

  open(byTenant: ReadonlyMap<string, Registry>): void {
    this.#byTenant = byTenant;
  }

  /** The registry as a caller sees it. Throws `overloaded` while the service starts. */
  of(caller: Caller): Registry {
    const known = this.#views.get(caller);
    if (known !== undefined) return known;
    const registry = this.#byTenant?.get(caller.tenant);
    if (registry === undefined) throw overloaded('The registry is starting.');
    const view = caller.sight === undefined ? registry : registry.within(caller.sight);
    this.#views.set(caller, view);
    return view;
  }
}
