import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll } from 'vitest'
import phoneNumbersJob from '../../../jobs/phone-numbers.ts'
import usersJob from '../../../jobs/users.ts'
import { catalog } from '../../../src/account/catalog.ts'
import type { Fields } from '../../../src/cli/frame/log-fields.ts'
import { loadConfig } from '../../../src/config/load-config.ts'
import type { Observer } from '../../../src/core/define/observer.ts'
import { createHooks } from '../../../src/serve/work/hooks.ts'
import type { RunResult } from '../../../src/sync/run/run-types.ts'
import { manualClock } from '../../helpers/manual-clock.ts'
import { openWorld, TINY, WORLD_NOW, type World } from '../../helpers/world.ts'
import { startHookServer } from '../alerts/hook-server.ts'

export const ACCOUNT = 'account-0'
export const WEBHOOK = { webhook: { url: 'env:HOOK' } }

/** Sets up, for the tests of a file, a world with runs of two jobs, a webhook receiver and a folder. */
export function useHookWorld() {
  let world: World
  let runs: RunResult[]
  let server: Awaited<ReturnType<typeof startHookServer>>
  const folder = mkdtempSync(join(tmpdir(), 'callsheet-programs-'))
  const closers: (() => void)[] = []
  beforeAll(async () => {
    world = await openWorld({ sizes: TINY })
    runs = await world.sync({ jobs: [usersJob, phoneNumbersJob] })
    server = await startHookServer()
  })
  afterEach(async () => {
    for (const close of closers.splice(0)) close()
    server.taken.length = 0
    server.state.answer = 200
    await sql`delete from callsheet.task_runs`.execute(world.warehouse.db)
  })
  afterAll(async () => {
    await server.close()
    await world.close()
    rmSync(folder, { recursive: true })
  })
  return {
    world: () => world,
    server: () => server,
    folder: () => folder,
    run: (job: string): RunResult => runs.find((one) => one.job === job)!,
    open(...hooks: object[]) {
      const environment = { HOOK: `${server.url}/token-1`, BEARER: 'bearer-1' }
      const stage = openHookStage(world, hooks, environment)
      closers.push(stage.close)
      return stage
    },
  }
}

/** Creates configured hooks on a world's database, with a manual clock. */
function openHookStage(
  world: World,
  hooks: readonly object[],
  environment: Record<string, string> = {},
) {
  const folder = mkdtempSync(join(tmpdir(), 'callsheet-hooks-'))
  const path = join(folder, 'config.yaml')
  const plain = JSON.parse(readFileSync(world.place.configFile, 'utf8')) as object
  writeFileSync(path, JSON.stringify({ ...plain, hooks }))
  const { config } = loadConfig({ path, ...catalog, environment })
  const clock = manualClock(Date.parse(WORLD_NOW))
  const logged: Fields[] = []
  const failed: string[] = []
  const stop = new AbortController()
  const observer: Observer = {
    event: (name, fields) => void logged.push({ event: name, ...fields }),
  }
  const { warehouse } = world
  const wiring = { config, clock, observer }
  const opened = { wiring, warehouse, embedded: false, close: () => warehouse.close() }
  const started = createHooks(opened, {
    signal: stop.signal,
    onFailed: (text) => failed.push(text),
  })
  return {
    hooks: started,
    clock,
    stop,
    failed,
    logged,
    /** Waits until the event was logged this many times, and returns its log lines. */
    async seen(event: string, times: number): Promise<Fields[]> {
      for (;;) {
        const lines = logged.filter((line) => line.event === event)
        if (lines.length >= times) return lines
        await new Promise(setImmediate)
      }
    },
    async attempts() {
      const { rows } = await sql<{ task: string; state: string; detail: unknown }>`
        select task, state, detail, error from callsheet.task_runs order by id`.execute(
        warehouse.db,
      )
      return rows
    },
    close: () => rmSync(folder, { recursive: true }),
  }
}

/** Writes a JavaScript program whose argument is the file `out`, and returns its command and that file. */
export function programIn(folder: string, name: string, script: string) {
  const file = join(folder, `${name}.mjs`)
  const imports = `import { appendFileSync, readFileSync, writeFileSync } from 'node:fs'
    import { spawn } from 'node:child_process'
    const out = process.argv[2]`
  writeFileSync(file, `${imports}\n${script}`)
  const out = join(folder, `${name}.out`)
  return { command: [process.execPath, file, out], out }
}

/** Waits until a file has text, and returns the text. */
export async function written(file: string): Promise<string> {
  while (!existsSync(file) || readFileSync(file, 'utf8') === '') await new Promise(setImmediate)
  return readFileSync(file, 'utf8')
}

/** Waits until a process has ended; a zombie process counts as ended. */
export async function gone(pid: number): Promise<void> {
  while (isThere(pid)) await new Promise(setImmediate)
}

function isThere(pid: number): boolean {
  try {
    process.kill(pid, 0)
    const file = `/proc/${pid}/stat`
    return !existsSync(file) || !/\) Z /.test(readFileSync(file, 'utf8'))
  } catch {
    return false
  }
}
