import type { Loaded } from '../../config/load-config.ts'
import type { Observer } from '../../core/define/observer.ts'
import type { Clock } from '../../core/time/clock.ts'
import type { Output } from './output.ts'

/**
 * The environment of a command. Reads the configuration only on request, because `sandbox` and `--help` need
 * none.
 */
export interface Context {
  output: Output
  clock: Clock
  signal: AbortSignal
  verbose: boolean
  /** With `quiet`, the first caller must report the warnings itself. */
  loadConfig(options?: { quiet: boolean }): Promise<Loaded>
  /** Logs to stderr. If the first call is `quiet`, logs nothing, unless `--verbose` is set. */
  observer(quiet?: boolean): Promise<Observer>
}
