/** The ways to the upstream: to it directly, through the bare pipe, through the proxy. Every measurement takes all of them in turn. */
export const ROUTE_NAMES = ['direct', 'pipe', 'proxy'] as const;

/** One of {@link ROUTE_NAMES}. */
export type RouteName = (typeof ROUTE_NAMES)[number];

/** Something for each way. */
export type ByRoute<Value> = Readonly<Record<RouteName, Value>>;

/** Makes something for each way, one after the other. */
export async function forEachRoute<Value>(
  make: (name: RouteName) => Promise<Value>,
): Promise<ByRoute<Value>> {
  return { direct: await make('direct'), pipe: await make('pipe'), proxy: await make('proxy') };
}
