import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { MemoryLimit } from './memory-limit.ts'

export interface ChildOptions {
  /** Where the child's CPU profile goes, if wanted. */
  profileDirectory?: string | undefined
  nodeFlags?: readonly string[]
  /** Where it says what ran how often, if wanted: of the sources as they are. */
  coverageDirectory?: string | undefined
  /** Where it gets no more memory than that, if it is to be so. */
  limit?: MemoryLimit | undefined
}

export interface Child<Result> {
  result: Result
  stop(): Promise<void>
}

/**
 * Runs a file of the bench in a process of its own with one order, and answers its one result. It runs as the
 * package does, compiled: a process that strips types itself is some 25 MB larger.
 */
export async function startChild<Order extends object, Result>(
  file: string,
  order: Order,
  options: ChildOptions = {},
): Promise<Child<Result>> {
  const { profileDirectory, coverageDirectory, nodeFlags = [], limit } = options
  const profiled = profileDirectory === undefined ? [] : profiling(profileDirectory)
  const execArgv = [...nodeFlags, ...profiled]
  const covered = coverageDirectory !== undefined
  const compiled = new URL(file.replace(/\.ts$/, '.js'), COMPILED)
  const path = fileURLToPath(covered ? new URL(file, import.meta.url) : compiled)
  const env = covered ? { ...process.env, NODE_V8_COVERAGE: coverageDirectory } : process.env
  const stdio = ['ignore' as const, 'inherit' as const, 'inherit' as const, 'ipc' as const]
  const started = () => fork(path, { execArgv, env, stdio })
  const child = limit === undefined ? started() : limit.within(started)
  const ended = once(child, 'exit')
  child.send(order)
  const result = await resultOf<Result>(file, child)
  return {
    result,
    async stop() {
      if (child.connected) child.disconnect()
      await ended
    },
  }
}

/** The same for work that ends by itself. */
export async function runChild<Order extends object, Result>(
  file: string,
  order: Order,
  options: ChildOptions = {},
): Promise<Result> {
  const child = await startChild<Order, Result>(file, order, options)
  await child.stop()
  return child.result
}

/**
 * The child's side: does the order and answers. One that stays ends when its parent lets go of it, or dies.
 */
export async function serveOrder<Order, Result>(
  work: (order: Order) => Promise<Result>,
  { stay = false }: { stay?: boolean } = {},
): Promise<void> {
  const [order] = (await once(process, 'message')) as [Order]
  if (stay) process.once('disconnect', () => process.exit())
  process.send?.(await work(order))
  if (!stay) process.disconnect()
}

function resultOf<Result>(file: string, child: ChildProcess): Promise<Result> {
  return new Promise((resolve, reject) => {
    child.once('message', (message) => resolve(message as Result))
    child.once('exit', (code, signal) => {
      const how = signal === null ? `code ${code}` : `signal ${signal}`
      reject(new Error(`${file} ended with ${how} and no result`))
    })
  })
}

function profiling(directory: string): string[] {
  return ['--cpu-prof', `--cpu-prof-dir=${directory}`, '--cpu-prof-interval=500']
}

/** Where the contestants are, once they are compiled. */
export const COMPILED = new URL('../dist-bench/', import.meta.url)
