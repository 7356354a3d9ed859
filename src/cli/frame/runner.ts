import type { CommonOptions, Runner } from './command.ts'
import { createContext } from './create-context.ts'
import { createOutput } from './output.ts'
import { describeError, errorLines, exitCodeOf } from './print-error.ts'
import { listenForSignals } from './signals.ts'

/** The frame around every command: output, signals, errors, and an exit that leaves nothing behind. */
export const runCommand: Runner = async (options, work) => {
  const output = createOutput({ json: options.json === true })
  const stopping = listenForSignals((line) => output.note(line))
  const context = createContext(options, { output, signal: stopping.signal })
  const code = await work(context).catch((error: unknown) => {
    if (stopping.exitCode() === undefined) return fail(error, options, output)
    if (options.verbose === true) for (const line of errorLines(error, true)) output.note(line)
    return exitCodeOf(error)
  })
  await exit(stopping.exitCode() ?? code)
}

function fail(
  error: unknown,
  options: CommonOptions,
  output: ReturnType<typeof createOutput>,
): number {
  output.result({ error: describeError(error) })
  for (const line of errorLines(error, options.verbose === true)) output.note(line)
  return exitCodeOf(error)
}

/**
 * Ends for good, so that a forgotten handle cannot hold the process; what was written to a pipe is first
 * flushed.
 */
async function exit(code: number): Promise<never> {
  for (const stream of [process.stdout, process.stderr])
    await new Promise<void>((resolve) => void stream.write('', () => resolve()))
  process.exit(code)
}
