import { systemClock } from '../../core/time/clock.ts'

export interface Stopping {
  signal: AbortSignal
  /** Returns 130 or 143 after a signal; undefined before. */
  exitCode(): number | undefined
}

/** Ends a command after a stop signal, or because the input of a prompt ended. */
export class StoppedError extends Error {}

/**
 * Handles signals. The first SIGINT or SIGTERM requests a stop at the next clean point. A second one, or
 * `GRACE_MS`, ends the process at once. Nothing is lost then: committed data stays, and the next run
 * continues from it. With `interactive`, SIGINT is left to the program that shares the terminal.
 */
export function listenForSignals(say: (line: string) => void, interactive = false): Stopping {
  const controller = new AbortController()
  let code: number | undefined
  const stop = (name: 'SIGINT' | 'SIGTERM'): void => {
    const wanted = name === 'SIGINT' ? 130 : 143
    if (code !== undefined) process.exit(code)
    code = wanted
    say(`${name}: stopping safely; repeat it to stop at once`)
    controller.abort(new StoppedError(`stopped by ${name}`))
    void systemClock.sleep(GRACE_MS).then(() => process.exit(wanted))
  }
  process.on('SIGINT', () => void (interactive || stop('SIGINT')))
  process.on('SIGTERM', () => stop('SIGTERM'))
  return { signal: controller.signal, exitCode: () => code }
}

const GRACE_MS = 9_500
