import type { Loaded } from '../../config/load-config.ts'
import type { Observer } from '../../core/define/observer.ts'
import type { Clock } from '../../core/time/clock.ts'
import type { Output } from './output.ts'

/**
 * What a command works with. The configuration is read when it is asked for: `sandbox` and `--help` need
 * none.
 */
export interface Context {
  output: Output
  clock: Clock
  signal: AbortSignal
  verbose: boolean
  /** `quiet`: the first to ask says the warnings itself. */
  loadConfig(options?: { quiet: boolean }): Promise<Loaded>
  /** Logs to stderr; `quiet` leaves the saying to the command, unless every request is to be seen. */
  observer(quiet?: boolean): Promise<Observer>
}
