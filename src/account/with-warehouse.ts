import type { Config } from '../config/schema.ts'
import type { Observer } from '../core/define/observer.ts'
import type { Clock } from '../core/time/clock.ts'
import type { MigrateMode, OpenWarehouse } from './wire.ts'

/** The parts that open a database, before the configuration is read. */
interface WiringSource {
  clock: Clock
  loadConfig(): Promise<{ config: Config }>
  observer(): Promise<Observer>
}

/**
 * Opens the configured database while `work` runs. Loads its modules only then: the definition of a command
 * needs none of them.
 */
export async function withWarehouse<T>(
  source: WiringSource,
  { migrate: mode }: { migrate: MigrateMode },
  work: (opened: OpenWarehouse) => Promise<T>,
): Promise<T> {
  const { openWarehouse } = await import('./wire.ts')
  const { config } = await source.loadConfig()
  const wiring = { config, clock: source.clock, observer: await source.observer() }
  const opened = await openWarehouse(wiring, mode)
  try {
    return await work(opened)
  } finally {
    await opened.close()
  }
}
