import { CommanderError } from 'commander'
import type { Runner } from './frame/command.ts'
import { buildProgram } from './program.ts'

/** Help and refusals need no more than the words, so the frame of a run is loaded with the first run. */
const runCommand: Runner = async (...all) => {
  const runner = await import('./frame/runner.ts')
  await runner.runCommand(...all)
}

// `callsheet sync | head` closes our stdout, `2>&1 | head` both. Who stops reading wants no more lines, but
// the work to its end and the exit code that is due: what is written to nobody is dropped.
for (const stream of [process.stdout, process.stderr])
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
  })

try {
  // The program itself has no option with a value, so that the first plain word names the command.
  const named = process.argv.slice(2).find((word) => !word.startsWith('-'))
  const program = await buildProgram(runCommand, (name) => name === named)
  await program.parseAsync(process.argv)
} catch (error) {
  if (!(error instanceof CommanderError)) throw error
  // Help that was asked for is a success; everything else that commander refuses is wrong usage.
  process.exitCode = error.exitCode === 0 ? 0 : 2
  if (process.exitCode !== 0) {
    const { printUsageError } = await import('./frame/usage-error.ts')
    printUsageError(error, process.argv.slice(2))
  }
}
