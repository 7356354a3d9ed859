import { join } from 'node:path'
import { connect, type Warehouse } from '../../../src/warehouse/connect.ts'
import { findDifferences } from '../../helpers/differences.ts'
import { type Digest, differentParts, digestOf, ledgerFaults } from '../digest.ts'
import { type Order, runOrder } from '../run-order.ts'
import { ACCOUNT, type Stage, streamsOf } from '../stage.ts'
import { runAndKill } from './child-process.ts'
import { brokenFiles, type Files, filesIn, unkeptRecords } from './report-files.ts'
import type { Scenario } from './scenarios.ts'

/** How a scenario ends when nobody disturbs it. */
export interface Undisturbed {
  /** Of its runs, in the order of the jobs. */
  states: string
  digest: Digest
  files: Files
}

export interface Case {
  scenario: Scenario
  base: Base
  hit: string
  /** The first recovery is killed as well, at this hit of any name. */
  again?: string
  undisturbed: Undisturbed
}

/** The database that a case starts from. */
export interface Base {
  database: string
  lastRunId: number
}

export interface CaseEnd {
  killed: number
  violations: string[]
}

/** Kills a child at the hit, does the same order again to its end, and compares everything. */
export async function runCase(stage: Stage, of: Case): Promise<CaseEnd> {
  const { scenario, base, hit, undisturbed } = of
  const database = await stage.clone(base.database)
  try {
    const order = orderOf(stage, scenario, database)
    await stage.faults(scenario.faults ?? [])
    let killed = (await runAndKill(order, hit)).killed ? 1 : 0
    if (killed === 0) return { killed, violations: [] }
    if (of.again !== undefined && (await runAndKill(order, of.again)).killed) killed++
    const files = order.reportsTo
    const broken = files === undefined ? [] : brokenFiles(undisturbed.files, filesIn(files))
    // What goes wrong at the service is the same for who runs again.
    await stage.faults(scenario.faults ?? [])
    const states = (await runOrder(order)).map(({ state }) => state).join(' ')
    const { violations } = await examine(stage, { order, states, scenario, base, undisturbed })
    const where = `${scenario.name}, ${hit}${of.again === undefined ? '' : ` and ${of.again}`}`
    return { killed, violations: [...broken, ...violations].map((text) => `${where}: ${text}`) }
  } finally {
    await stage.drop(database)
  }
}

export function orderOf(stage: Stage, scenario: Scenario, database: string): Order {
  const { jobs } = scenario
  if (scenario.publishes !== true) return stage.order(database, { jobs })
  return stage.order(database, { reportsTo: join(stage.directory, database) })
}

/** What is not as it must be after the order was done; without an expectation, how it is. */
export async function examine(
  stage: Stage,
  of: { order: Order; states: string; scenario: Scenario; base: Base; undisturbed?: Undisturbed },
): Promise<Undisturbed & { violations: string[] }> {
  const { order, states, scenario, base, undisturbed } = of
  const warehouse = connect({ url: order.databaseUrl, poolSize: 1, frozenNow: order.nowMs })
  try {
    const digest = await digestOf(warehouse, base.lastRunId)
    const violations = await ledgerFaults(warehouse)
    const files = order.reportsTo === undefined ? new Map() : filesIn(order.reportsTo)
    violations.push(...(await unkeptRecords(warehouse, files)))
    violations.push(...(await untruths(stage, scenario, warehouse)))
    if (undisturbed !== undefined) {
      violations.push(...differentParts(undisturbed.digest, digest))
      violations.push(...differentParts(textOf(undisturbed), textOf({ states, files })))
    }
    return { states, digest, files, violations }
  } finally {
    await warehouse.close()
  }
}

function textOf({ states, files }: Pick<Undisturbed, 'states' | 'files'>): Digest {
  return { states, ...Object.fromEntries(files) }
}

async function untruths(stage: Stage, scenario: Scenario, warehouse: Warehouse): Promise<string[]> {
  const streams = streamsOf(scenario.jobs).filter(({ name }) => !scenario.notYet?.includes(name))
  const of = { account: ACCOUNT, streams }
  return (await findDifferences(warehouse, stage.sandbox, of)).differences
}
