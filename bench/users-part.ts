import { sql } from 'kysely'
import { userDetails } from '../src/resources/user-details.ts'
import { planFanOut } from '../src/sync/plan/plan-fan-out.ts'
import { type Figure, mebibytes, seconds, type Table } from './figures.ts'
import { type LedgerStage, openLedgerStage, STEPS } from './ledger-part.ts'
import { LEDGER_ACCOUNT } from './ledger-rows.ts'
import type { Part } from './part.ts'
import { peakBytes, resetPeak } from './peak-memory.ts'
import { BENCH_NOW_MS } from './session-rows.ts'

const FEW = 100
const MOST_BYTES = 60 * 2 ** 20
const MOST_TIMES = 1.3

/** What a step took of our process and of Postgres, and by how much it raised the peak of our memory. */
interface Taken {
  ownMs: number
  postgresMs: number
  bytes: number
}

type Step = (stage: LedgerStage) => Promise<unknown>

const NONE_DUE: Readonly<Record<string, Step>> = {
  status: (stage) => STEPS.status?.(stage) ?? Promise.reject(new Error('status')),
  'plan, no detail due': (stage) => STEPS.plan?.(stage) ?? Promise.reject(new Error('plan')),
}

const READ: Readonly<Record<string, Step>> = { 'what a run holds of all details': holdAll }

const ALL_DUE: Readonly<Record<string, Step>> = {
  'plan, all details due': (stage) => STEPS.plan?.(stage) ?? Promise.reject(new Error('plan')),
  ...READ,
}

/** Status, plan and what a run holds of the parents that are due, as the users of an account grow. */
export const usersPart: Part = {
  about: 'status, plan, and what a run holds of what is due, for a hundred users and a million',
  async measure({ rows, quick }) {
    const many = rows ?? (quick ? 20_000 : 1_000_000)
    const [few, all] = [await measureUsers(FEW), await measureUsers(many)]
    const figures = [...all].flatMap(([step, taken]): Figure[] => {
      const before = few.get(step) ?? taken
      const memory: Figure = {
        what: `${step}: memory, ${FEW} to ${many.toLocaleString('en')} users`,
        measured: mebibytes(Math.max(0, taken.bytes - before.bytes)),
        beside: `${mebibytes(before.bytes)} to ${mebibytes(taken.bytes)}`,
        target: `<= ${mebibytes(MOST_BYTES)}`,
        met: taken.bytes - before.bytes <= MOST_BYTES,
      }
      // What is read takes time for each of them.
      return step in READ ? [memory] : [memory, ownFigure(step, { before, taken })]
    })
    return { figures, tables: [tableOf(few, all, many)] }
  },
}

/** Postgres counts rows, so that its time grows with them; ours must not. */
function ownFigure(step: string, { before, taken }: { before: Taken; taken: Taken }): Figure {
  const ratio = taken.ownMs / before.ownMs
  return {
    what: `${step}: our CPU`,
    measured: `${ratio.toFixed(2)} x ${FEW} users`,
    beside: `${before.ownMs.toFixed(0)} to ${taken.ownMs.toFixed(0)} ms`,
    target: `<= ${MOST_TIMES}, or 200 ms more`,
    met: ratio <= MOST_TIMES || taken.ownMs - before.ownMs <= 200,
  }
}

function tableOf(few: Map<string, Taken>, all: Map<string, Taken>, many: number): Table {
  const lines = [...all].map(([step, taken]) => {
    const before = few.get(step) ?? taken
    return [step, ...cells(before), ...cells(taken)]
  })
  const of = (users: number): string[] =>
    ['ours', 'Postgres', 'memory'].map((what) => `${what}, ${users.toLocaleString('en')}`)
  return { title: 'users: CPU and memory', lines: [['step', ...of(FEW), ...of(many)], ...lines] }
}

function cells({ ownMs, postgresMs, bytes }: Taken): string[] {
  return [seconds(ownMs), seconds(postgresMs), mebibytes(bytes)]
}

async function measureUsers(users: number): Promise<Map<string, Taken>> {
  const stage = await openLedgerStage(users, 1)
  try {
    const taken = new Map<string, Taken>()
    for (const [name, step] of Object.entries(NONE_DUE)) taken.set(name, await spent(stage, step))
    await sql`truncate callsheet.slice_states`.execute(stage.warehouse.db)
    for (const [name, step] of Object.entries(ALL_DUE)) taken.set(name, await spent(stage, step))
    return taken
  } finally {
    await stage.close()
  }
}

/** The second time: the first one makes schemas and plans that both sizes need. */
async function spent(stage: LedgerStage, step: Step): Promise<Taken> {
  await step(stage)
  const before = await stage.database.done()
  const held = resetPeak()
  const own = process.cpuUsage()
  await step(stage)
  const { user, system } = process.cpuUsage(own)
  const bytes = Math.max(0, peakBytes() - held)
  const after = await stage.database.done()
  return {
    ownMs: (user + system) / 1000,
    postgresMs: (after.cpuMs ?? 0) - (before.cpuMs ?? 0),
    bytes,
  }
}

/** All groups at once, as the reading of the stream begins, and each looked up as its turn comes. */
async function holdAll({ warehouse }: LedgerStage): Promise<void> {
  const { sync } = userDetails
  if (sync.kind !== 'fan-out') throw new Error('Details are read by a list for each user')
  const of = { account: LEDGER_ACCOUNT, stream: userDetails, sync }
  const scope = { ...of, nowMs: BENCH_NOW_MS, chainRunId: Number.MAX_SAFE_INTEGER, full: false }
  const groups = await planFanOut(warehouse, scope, false)
  for (const group of groups.slice(0, MOST_OPENED)) await group.open()
}

const MOST_OPENED = 100
