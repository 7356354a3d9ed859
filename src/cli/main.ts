#!/usr/bin/env -S node --max-semi-space-size=4 --max-old-space-size=1024 --v8-pool-size=1
import { CommanderError } from 'commander'
import type { Runner } from './command.ts'
import { buildProgram } from './program.ts'

/** Help and refusals need no more than the words, so the frame of a run is loaded with the first run. */
const runCommand: Runner = async (options, work) => {
  const runner = await import('./runner.ts')
  await runner.runCommand(options, work)
}

// `callsheet runs | head` closes our stdout, which is no failure of ours; `callsheet --help | head` does too.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0)
  throw error
})

try {
  await buildProgram(runCommand).parseAsync(process.argv)
} catch (error) {
  if (!(error instanceof CommanderError)) throw error
  // Help that was asked for is a success; everything else that commander refuses is wrong usage.
  process.exitCode = error.exitCode === 0 ? 0 : 2
}
