import { systemClock } from '../../core/time/clock.ts'

export interface Stopping {
  signal: AbortSignal
  /** 130 or 143 once a signal came. */
  exitCode(): number | undefined
}

/** The end that a signal asked for, at a clean point: nothing to report, and no error of ours. */
export class StoppedError extends Error {}

/**
 * The first SIGINT or SIGTERM asks for an end at the next clean point; the second one, or ten seconds, end
 * the process as it stands, which loses nothing: what was committed stays, and the next run goes on with
 * the rest. SIGINT is ignored if `interactive`: it is for a program that shares the terminal with us.
 */
export function listenForSignals(say: (line: string) => void, interactive = false): Stopping {
  const controller = new AbortController()
  let code: number | undefined
  const stop = (name: 'SIGINT' | 'SIGTERM'): void => {
    const wanted = name === 'SIGINT' ? 130 : 143
    if (code !== undefined) process.exit(code)
    code = wanted
    say(`${name}: stopping at the next clean point (once more to stop at once)`)
    controller.abort(new StoppedError(`stopped by ${name}`))
    void systemClock.sleep(GRACE_MS).then(() => process.exit(wanted))
  }
  process.on('SIGINT', () => void (interactive || stop('SIGINT')))
  process.on('SIGTERM', () => stop('SIGTERM'))
  return { signal: controller.signal, exitCode: () => code }
}

const GRACE_MS = 9_500
