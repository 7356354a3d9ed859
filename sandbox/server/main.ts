import { writeSync } from 'node:fs'
import { type SandboxOptions } from '../seed-data/options.ts'
import { startSandbox } from './server.ts'

/**
 * Runs a sandbox as its own process: it prints one JSON line when it is ready, and exits on SIGTERM or SIGINT
 * and when its standard input closes.
 */
const sandbox = await startSandbox(readOptions(process.argv.slice(2)))
const { url, baseUrl, authUrl, credentials, quotas, habits, readings } = sandbox
const ready = { url, baseUrl, authUrl, credentials, quotas, habits, readings }
writeSync(1, `${JSON.stringify(ready)}\n`)
process.stdin.on('end', stop).on('error', stop).resume()
process.on('SIGTERM', stop).on('SIGINT', stop)

function stop(): void {
  sandbox.close().then(
    () => process.exit(0),
    () => process.exit(1),
  )
}

/** Reads the options from one JSON argument, overridden by `--name=value`; values are JSON if possible. */
function readOptions(args: readonly string[]): SandboxOptions {
  const options: Record<string, unknown> = {}
  for (const arg of args) {
    const flag = /^--([a-zA-Z]+)=(.*)$/s.exec(arg)
    if (flag === null) Object.assign(options, JSON.parse(arg) as object)
    else options[flag[1] ?? ''] = jsonOr(flag[2] ?? '')
  }
  return options
}

function jsonOr(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
