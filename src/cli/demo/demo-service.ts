import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import type { Op } from '../../../sandbox/protocol/apply-ops.ts'
import type {
  Credentials,
  LabelQuotas,
  SandboxOptions,
} from '../../../sandbox/seed-data/options.ts'
import { ConfigurationError } from '../../core/errors.ts'
import { sandboxProgram } from '../frame/own-files.ts'

/** The demo's company: the sandbox in a child process, which ends with this process. */
export interface DemoService {
  url: string
  baseUrl: string
  authUrl: string
  credentials: Credentials
  quotas: LabelQuotas
  /**
   * Changes the company: by a day's ordinary changes, or exactly as `ops` describes. Returns counts by
   * stream. With `sinceMs`, the counts include changes since then that the passage of time alone caused.
   */
  change(asked: { ops?: readonly Op[]; sinceMs?: number }): Promise<ChangesByStream>
  stop(): Promise<void>
}

export type ChangesByStream = Readonly<Record<string, ChangeCounts>>

interface ChangeCounts {
  inserted: number
  updated: number
  deleted: number
}

export async function startDemoService(options: SandboxOptions): Promise<DemoService> {
  const child = spawn(process.execPath, [sandboxProgram(), JSON.stringify(options)], {
    // The sandbox exits when its standard input ends, so it cannot outlive this process.
    stdio: ['pipe', 'pipe', 'inherit'],
    // Only this process handles Ctrl-C: the sandbox must respond until the last request has ended.
    detached: true,
  })
  const exited = once(child, 'exit')
  const lines = createInterface({ input: child.stdout })
  const first = (await Promise.race([once(lines, 'line'), exited])) as unknown[]
  if (typeof first[0] !== 'string') throw noSandbox(first[0])
  const ready = JSON.parse(first[0]) as Omit<DemoService, 'credentials'> & {
    credentials: Credentials[]
  }
  const [credentials] = ready.credentials
  if (credentials === undefined) throw noSandbox('no account')
  return {
    ...ready,
    credentials,
    change: (asked) => change(ready.url, asked),
    async stop() {
      child.stdin.end()
      await exited
    },
  }
}

async function change(url: string, asked: object): Promise<ChangesByStream> {
  const body = JSON.stringify(asked)
  const response = await fetch(`${url}/__sandbox/mutate`, { method: 'POST', body })
  return (await response.json()) as ChangesByStream
}

function noSandbox(came: unknown): ConfigurationError {
  return new ConfigurationError('sandbox_failed', {
    tried: 'Starting the sandbox',
    came: `the sandbox stopped before it was ready (${String(came)})`,
    todo: 'run callsheet sandbox on its own to see the reason',
  })
}
