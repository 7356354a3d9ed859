#!/usr/bin/env -S node --max-semi-space-size=4 --max-old-space-size=1024
import { CommanderError } from 'commander'
import { buildProgram } from './program.ts'
import { runCommand } from './runner.ts'

try {
  await buildProgram(runCommand).parseAsync(process.argv)
} catch (error) {
  if (!(error instanceof CommanderError)) throw error
  // Help that was asked for is a success; everything else that commander refuses is wrong usage.
  process.exitCode = error.exitCode === 0 ? 0 : 2
}
