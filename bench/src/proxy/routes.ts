/**
 * The ways to the upstream: directly, through the bare pipe, through the proxy. Every measurement alternates
 * between all of them.
 */
export const ROUTE_NAMES = ['direct', 'pipe', 'proxy'] as const;

/** One of {@link ROUTE_NAMES}. */
export type RouteName = (typeof ROUTE_NAMES)[number];

/** A value for each way. */
export type ByRoute<Value> = Readonly<Record<RouteName, Value>>;

/** Makes a value for each way, one after another. */
export async function forEachRoute<Value>(
  make: (name: RouteName) => Promise<Value>,
): Promise<ByRoute<Value>> {
  return { direct: await make('direct'), pipe: await make('pipe'), proxy: await make('proxy') };
}
