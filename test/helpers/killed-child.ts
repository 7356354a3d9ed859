import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { inject } from 'vitest'
import type { Programs } from './programs.ts'

export interface ChildEnd {
  code: number | null
  signal: NodeJS.Signals | null
  said: string
}

/** Runs an order in a process that reads `PROOF_KILL_AT` and `PROOF_TRACE` (see at-points.ts). */
export async function runChild(
  name: Exclude<keyof Programs, 'callsheet' | 'points'>,
  order: object,
  environment: Record<string, string>,
): Promise<ChildEnd> {
  const { points, [name]: program } = inject('programs')
  // Dependencies use deprecated features. Node hides these warnings only for files in `node_modules`.
  const args = ['--no-deprecation', '--import', points, program, JSON.stringify(order)]
  const child = spawn(process.execPath, args, {
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let said = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => (said += text))
  const [code, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null]
  return { code, signal, said }
}
