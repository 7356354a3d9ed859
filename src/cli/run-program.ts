import { CommanderError } from 'commander'
import type { Runner } from './frame/command.ts'
import { buildProgram } from './program.ts'

/** Loads the runner when a command first runs, because help and usage errors do not need it. */
const runCommand: Runner = async (...all) => {
  const runner = await import('./frame/runner.ts')
  await runner.runCommand(...all)
}

// `callsheet sync | head` closes stdout; `2>&1 | head` closes both streams. The work still finishes with its
// normal exit code, and output to a closed pipe is dropped.
for (const stream of [process.stdout, process.stderr])
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
  })

try {
  // The program itself has no option with a value, so the first word that is no option names the command.
  const named = process.argv.slice(2).find((word) => !word.startsWith('-'))
  // A completion script lists the options of all commands.
  const all = named === 'completion'
  const program = await buildProgram(runCommand, (name) => all || name === named)
  await program.parseAsync(process.argv)
} catch (error) {
  if (!(error instanceof CommanderError)) throw error
  // A request for help is a success; any other CommanderError is wrong usage.
  process.exitCode = error.exitCode === 0 ? 0 : 2
  if (process.exitCode !== 0) {
    const { printUsageError } = await import('./frame/usage-error.ts')
    printUsageError(error, process.argv.slice(2))
  }
}
