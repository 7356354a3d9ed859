import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { randomFrom } from '../../../sandbox/base/random.ts'
import { type Sandbox, startSandbox } from '../../../sandbox/server/server.ts'
import { jobs } from '../../../src/account/catalog.ts'
import { silentObserver } from '../../../src/core/define/observer.ts'
import { systemClock } from '../../../src/core/time/clock.ts'
import { skewOf } from '../../../src/core/time/next-start.ts'
import { installQueue } from '../../../src/serve/queue/queue.ts'
import { connect } from '../../../src/warehouse/connect.ts'
import { settableQuotas } from '../../helpers/settable-quotas.ts'
import type { Server } from '../stage.ts'
import { countDone, type Done, violationsOf } from './checks.ts'
import { type Machine, type MachinePlace, startMachine } from './machine.ts'

export interface MachinePlan {
  seed: number
  accounts: number
  /** How often all jobs are due; once, before the start, if nothing is said. */
  everyMinutes?: number
  /** How many times each kind of trouble comes: a kill, a stop, a cut. */
  rounds: number
  /** How long a machine stands still or is cut off. */
  troubleMs: number
  /** A machine is left alone for up to so long before each trouble. */
  calmMs: number
  /** How long all may take once the last trouble is over. */
  patienceMs: number
}

export interface MachineSummary {
  machines: number
  /** Jobs of accounts. */
  due: number
  /** Of these, done since they were last due. */
  done: number
  /** How many times a job was done. */
  doneInAll: number
  killed: number
  stopped: number
  cut: number
  /** Runs that a trouble ended. */
  interrupted: number
  /** From the first start to the last ending, in seconds. */
  seconds: number
  violations: string[]
}

/** Machines at work on many accounts, in the middle of which they are killed, stopped and cut off. */
export async function machinesLane(
  server: Server,
  program: string,
  plan: MachinePlan,
): Promise<MachineSummary> {
  const sandbox = await startSandbox({
    sizes: SIZES,
    accounts: Array.from({ length: plan.accounts }, () => ({})),
  })
  await slowDown(sandbox)
  const folder = mkdtempSync(join(tmpdir(), 'callsheet-machines-'))
  writeFileSync(join(folder, 'config.yaml'), JSON.stringify(configOf(sandbox, plan)))
  const name = `machines_${process.pid}_${plan.seed}`
  const admin = connect({ url: server.url, poolSize: 1 })
  const say = (text: string) => admin.withClient((client) => client.query(text))
  await say(`create database ${name} template ${server.template} strategy file_copy`)
  const databaseUrl = new URL(server.url)
  databaseUrl.pathname = name
  const place = { program, folder, databaseUrl: databaseUrl.href, sleep: systemClock.sleep }
  try {
    return await share(sandbox, place, plan)
  } finally {
    await say(`drop database if exists ${name} with (force)`)
    await admin.close()
    await sandbox.close()
    rmSync(folder, { recursive: true })
  }
}

async function share(
  sandbox: Sandbox,
  place: MachinePlace,
  plan: MachinePlan,
): Promise<MachineSummary> {
  const warehouse = connect({ url: place.databaseUrl, poolSize: 2 })
  await installQueue({ warehouse, observer: silentObserver })
  const startedMs = systemClock.elapsed()
  const machines = await Promise.all(MACHINES.map((name) => startMachine(name, place)))
  const due = sandbox.credentials.length * JOBS.length
  try {
    const times = await trouble(machines, plan)
    const sinceMs = lastDue(plan)
    const done = await untilDone(() => countDone(warehouse, sinceMs), due, plan)
    const seconds = Math.round((systemClock.elapsed() - startedMs) / 1000)
    const ends = await Promise.all(machines.map((machine) => machine.end()))
    const violations = await violationsOf({ warehouse, sandbox, machines, streams: STREAMS, plan })
    if (done.done !== due) violations.push(`${done.done} of ${due} due jobs are done`)
    for (const [kind, count] of Object.entries(times))
      if (count < plan.rounds) violations.push(`${kind} ${count} times of ${plan.rounds}`)
    for (const { code, ms } of ends)
      if (code !== 143 || ms > 10_000) violations.push(`ended with ${code} after ${ms} ms`)
    return { machines: machines.length, due, ...times, ...done, seconds, violations }
  } finally {
    await Promise.allSettled(machines.map((machine) => machine.end()))
    await warehouse.close()
  }
}

/** Strikes at machines that have begun with something, so that each trouble meets work. */
async function trouble(machines: readonly Machine[], plan: MachinePlan) {
  const { seed, rounds, troubleMs, calmMs, patienceMs } = plan
  const random = randomFrom(seed)
  const times = { killed: 0, stopped: 0, cut: 0 }
  const kinds = {
    killed: (one: Machine) => one.kill(),
    stopped: (one: Machine) => one.stop(troubleMs),
    cut: (one: Machine) => one.cut(troubleMs),
  }
  const names = Object.keys(kinds) as (keyof typeof kinds)[]
  await Promise.all(
    machines.map(async (machine, place) => {
      for (let round = 0; round < rounds; round++) {
        await systemClock.sleep(random() * calmMs)
        const begun = machine.next('job started').then(() => true)
        const late = systemClock.sleep(patienceMs).then(() => false)
        if (!(await Promise.race([begun, late]))) return
        await systemClock.sleep(random() * 400)
        // In each round every kind comes once, each time at another machine.
        const kind = names[(place + round) % names.length]!
        await kinds[kind](machine)
        times[kind]++
      }
    }),
  )
  return times
}

async function untilDone(count: () => Promise<Done>, due: number, { patienceMs }: MachinePlan) {
  const fromMs = systemClock.elapsed()
  for (;;) {
    const found = await count()
    if (found.done >= due || systemClock.elapsed() - fromMs > patienceMs) return found
    await systemClock.sleep(500)
  }
}

/** When all jobs were last due, for the database's clock too. */
function lastDue({ everyMinutes }: MachinePlan): number {
  if (everyMinutes === undefined) return 0
  const spanMs = everyMinutes * 60_000
  return Math.floor(systemClock.now() / spanMs) * spanMs - skewOf(0, spanMs)
}

/** So that a job lasts about a second, and a trouble finds it in the middle. */
async function slowDown({ url }: Sandbox): Promise<void> {
  const rules = [{ kind: 'slow', delayMs: 300, probability: 0.5 }]
  const body = JSON.stringify({ rules })
  const answer = await fetch(`${url}/__sandbox/faults`, { method: 'POST', body })
  if (!answer.ok) throw new Error(`the sandbox takes no faults: ${answer.status}`)
}

function configOf(sandbox: Sandbox, { everyMinutes }: MachinePlan) {
  const schedule = everyMinutes === undefined ? YEARLY : `*/${everyMinutes} * * * *`
  return {
    database: { url: 'env:DATABASE' },
    tokenKey: 'ab'.repeat(32),
    archive: { files: false },
    serve: { port: 0, accountsAtOnce: 3 },
    jobs: Object.fromEntries(
      jobs.map(({ name }) => [name, JOBS.includes(name) ? schedule : 'never']),
    ),
    reports: { jobs: Object.fromEntries(REPORTS.map((name) => [name, { schedule: 'never' }])) },
    accounts: sandbox.credentials.map((app, at) => ({
      name: `account-${at}`,
      baseUrl: sandbox.baseUrl,
      authUrl: sandbox.authUrl,
      accountId: app.accountId,
      clientId: app.clientId,
      clientSecret: app.clientSecret,
      quotas: settableQuotas(sandbox.quotas),
      reserve: 0,
    })),
  }
}

const MACHINES = ['one', 'two', 'three']
const JOBS = ['users', 'phone-numbers']
const STREAMS = jobs.filter(({ name }) => JOBS.includes(name)).flatMap((job) => job.streams)
const REPORTS = [
  'session-quality-report',
  'number-inventory-report',
  'access-review-report',
  'whiteboard-audit-report',
  'reconciliation-report',
]
/** Due long ago, and not again while the lane runs. */
const YEARLY = '0 0 1 1 *'
const SIZES = {
  users: 60,
  numbers: 20,
  sessions: 0,
  whiteboards: 0,
  activities: 0,
  recordings: 0,
}
