import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Started } from '../../cli/workbench.ts'
import type { FlowOrder } from '../flow-order.ts'
import type { Order } from '../run-order.ts'
import { bundleChild } from './bundle-child.ts'

export interface ChildEnd {
  killed: boolean
  /** The states of its runs, or what it complained of. */
  said: string
}

/** Does an order in a child that kills itself at a hit (`commit:before#3`). */
export function runAndKill(order: Order, hit: string): Promise<ChildEnd> {
  return runChild(order, { PROOF_KILL_AT: hit })
}

/** All hits of an order that is left alone, in their order, and how its runs ended. */
export async function traceOf(
  order: Order,
  directory: string,
): Promise<{ trace: string[]; states: string }> {
  const file = join(directory, 'trace.json')
  const { killed, said } = await runChild(order, { PROOF_TRACE: file })
  if (killed || /Error/.test(said)) throw new Error(`the run to be traced failed: ${said}`)
  return { trace: JSON.parse(readFileSync(file, 'utf8')) as string[], states: said }
}

/** Does an order to its end, and calls `onHit` when the child comes to a hit; it goes on meanwhile. */
export function runAndReport(order: Order, hit: string, onHit: () => void): Promise<ChildEnd> {
  return runChild(order, { PROOF_TELL_AT: hit }, onHit)
}

/** Starts a command that a person takes part in; it kills itself at a hit where one is given. */
export async function startFlow(order: FlowOrder, hit?: string): Promise<Started> {
  const child = await startProgram(order, 'flow', hit === undefined ? {} : { PROOF_KILL_AT: hit })
  const said = { stdout: '', stderr: '' }
  child.stdout?.setEncoding('utf8').on('data', (text: string) => (said.stdout += text))
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (said.stderr += text))
  const ended = once(child, 'close').then(([code]) => ({ code: code as number | null, ...said }))
  return { child, ended }
}

async function runChild(
  order: Order,
  environment: Record<string, string>,
  onHit: () => void = () => {},
): Promise<ChildEnd> {
  const child = await startProgram(order, 'child', environment)
  let said = ''
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (text: string) => (said += text))
  child.stdio[3]?.once('data', onHit)
  const [, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null]
  return { killed: signal === 'SIGKILL', said }
}

async function startProgram(
  order: Order | FlowOrder,
  name: 'child' | 'flow',
  environment: Record<string, string>,
): Promise<ChildProcess> {
  const directory = dirname(order.configFile)
  const { points, [name]: program } = await bundleChild(directory)
  // Dependencies use what is deprecated, which node passes over only where it knows them by their folder.
  const options = ['--no-deprecation', '--import', points]
  return spawn(process.execPath, [...options, program, JSON.stringify(order)], {
    // Children are short: most of their time would be the compiling of sources, which the cache saves.
    env: { ...process.env, ...environment, NODE_COMPILE_CACHE: join(directory, 'cache') },
    stdio: [name === 'flow' ? 'pipe' : 'ignore', 'pipe', 'pipe', 'pipe'],
  })
}
