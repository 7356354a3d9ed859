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

/** The demo's company: the sandbox in its own process, which always ends with this one. */
export interface DemoService {
  url: string
  baseUrl: string
  authUrl: string
  credentials: Credentials
  quotas: LabelQuotas
  /** Applies one night's changes to the company and returns their counts by stream. */
  mutate(): Promise<Record<string, ChangeCounts>>
  /** Applies exactly these changes to the company. */
  change(ops: readonly Op[]): Promise<unknown>
  stop(): Promise<void>
}

export interface ChangeCounts {
  inserted: number
  updated: number
  deleted: number
}

export async function startDemoService(options: SandboxOptions): Promise<DemoService> {
  const child = spawn(process.execPath, [sandboxProgram(), JSON.stringify(options)], {
    // The sandbox exits when its standard input ends, so it cannot outlive this process.
    stdio: ['pipe', 'pipe', 'inherit'],
    // This process handles Ctrl-C: the sandbox must respond until the last request is done.
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
    mutate: () => mutate(ready.url, {}),
    change: (ops) => mutate(ready.url, { ops }),
    async stop() {
      child.stdin.end()
      await exited
    },
  }
}

async function mutate(
  url: string,
  asked: { ops?: readonly Op[] },
): Promise<Record<string, ChangeCounts>> {
  const body = JSON.stringify(asked)
  const response = await fetch(`${url}/__sandbox/mutate`, { method: 'POST', body })
  return (await response.json()) as Record<string, ChangeCounts>
}

function noSandbox(came: unknown): ConfigurationError {
  return new ConfigurationError('sandbox_failed', {
    tried: 'Starting the sandbox',
    expected: 'a line that says it is ready',
    came: `it ended with ${String(came)}`,
  })
}
