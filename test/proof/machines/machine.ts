import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { type StallingProxy, startStallingProxy } from '../../helpers/stalling-proxy.ts'

export interface Line {
  event: string
  level: string
  time: string
  account?: string
  job?: string
  status?: string
}

/** From when to when a machine was not its own master, in epoch milliseconds. */
interface Trouble {
  fromMs: number
  toMs: number
}

/** A process of `callsheet serve` that can be killed, stopped and cut from its database. */
export interface Machine {
  name: string
  lines: readonly (Line & { machine: string })[]
  troubles: readonly Trouble[]
  /** Resolves with the next line of its log that has this event. */
  next(event: string): Promise<void>
  /** Ends it in the middle, and starts it again. */
  kill(): Promise<void>
  /** Lets it stand still, as a machine that is asleep. */
  stop(ms: number): Promise<void>
  /** Lets nothing pass between it and its database. */
  cut(ms: number): Promise<void>
  /** By SIGTERM. Answers the exit code, and how long it took. */
  end(): Promise<{ code: number | null; ms: number }>
}

export interface MachinePlace {
  program: string
  folder: string
  databaseUrl: string
  sleep(ms: number): Promise<void>
}

export async function startMachine(name: string, place: MachinePlace): Promise<Machine> {
  const proxy = await startStallingProxy(place.databaseUrl)
  const lines: (Line & { machine: string })[] = []
  const troubles: Trouble[] = []
  const waiting: { event: string; resolve(): void }[] = []
  const hear = (line: Line): void => {
    lines.push({ ...line, machine: name })
    for (const one of waiting.filter(({ event }) => event === line.event)) {
      waiting.splice(waiting.indexOf(one), 1)
      one.resolve()
    }
  }
  let child = spawnMachine(place, proxy, hear)
  const during = async (trouble: () => Promise<void>): Promise<void> => {
    const fromMs = Date.now()
    await trouble()
    // It takes a moment until a process knows that it was at a place for too long.
    troubles.push({ fromMs, toMs: Date.now() + AWARE_MS })
  }
  return {
    name,
    lines,
    troubles,
    next: (event) => new Promise<void>((resolve) => void waiting.push({ event, resolve })),
    kill: () =>
      during(async () => {
        const ended = once(child, 'exit')
        child.kill('SIGKILL')
        await ended
        child = spawnMachine(place, proxy, hear)
      }),
    stop: (ms) =>
      during(async () => {
        child.kill('SIGSTOP')
        await place.sleep(ms)
        child.kill('SIGCONT')
      }),
    cut: (ms) =>
      during(async () => {
        proxy.stall()
        await place.sleep(ms)
        proxy.pass()
      }),
    async end() {
      const fromMs = Date.now()
      const ended = child.exitCode === null ? once(child, 'exit') : Promise.resolve()
      child.kill('SIGTERM')
      await ended
      await proxy.close()
      return { code: child.exitCode, ms: Date.now() - fromMs }
    },
  }
}

function spawnMachine(
  { program, folder }: MachinePlace,
  proxy: StallingProxy,
  hear: (line: Line) => void,
): ChildProcess {
  const { PATH, NODE_COMPILE_CACHE } = process.env
  const child = spawn(process.execPath, [program, 'serve', '--only', 'schedule'], {
    cwd: folder,
    env: { PATH, NODE_COMPILE_CACHE, HOME: folder, DATABASE: proxy.url },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  createInterface({ input: child.stderr }).on('line', (text) => {
    try {
      hear(JSON.parse(text) as Line)
    } catch {
      // What a killed process did not write to its end.
    }
  })
  return child
}

const AWARE_MS = 20_000
