#!/usr/bin/env node

/**
 * Reports a Node that is too old before anything is imported, because an import could fail with an unclear
 * error. This file uses only syntax that old versions know.
 */
const OLDEST = [22, 18]

const version = process.versions.node
const parts = version.split('.').map(Number)
const older = parts[0] === OLDEST[0] ? Number(parts[1]) < Number(OLDEST[1]) : Number(parts[0]) < 22
if (older) {
  process.stderr.write(
    `error: Starting Callsheet: this is Node ${version} (${process.execPath})\n` +
      `  expected:   Node ${OLDEST.join('.')} or newer\n` +
      '  what to do: install a newer Node (https://nodejs.org), or put its folder first in PATH\n',
  )
  process.exitCode = 2
} else {
  void import('./run-program.ts')
}
