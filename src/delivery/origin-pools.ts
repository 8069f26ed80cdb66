import { type Dispatcher, Pool } from "undici";

export type OriginPools = ReturnType<typeof createOriginPools>;

/**
 * Keeps a connection pool for each origin, as long as it has connections. undici's Agent does the
 * same, but compares all origins whenever a connection closes.
 */
export function createOriginPools(options: Pool.Options) {
  const pools = new Map<string, Pool>();

  function openPool(origin: string): Pool {
    const pool = new Pool(origin, options);
    const removeIfUnused = (): void => {
      const { connected, pending } = pool.stats;
      if (connected > 0 || pending > 0 || pools.get(origin) !== pool) return;
      pools.delete(origin);
      void pool.close();
    };
    pool.on("disconnect", removeIfUnused).on("connectionError", removeIfUnused);
    pools.set(origin, pool);
    return pool;
  }

  return {
    dispatch: (
      { origin, ...request }: Dispatcher.DispatchOptions & { origin: string },
      handler: Dispatcher.DispatchHandler,
    ): void => void (pools.get(origin) ?? openPool(origin)).dispatch(request, handler),
    count: (): number => pools.size,
    async destroy(): Promise<void> {
      const open = [...pools.values()];
      // A pool that is being destroyed must not be closed when its connections end.
      pools.clear();
      await Promise.all(open.map((pool) => pool.destroy()));
    },
  };
}
