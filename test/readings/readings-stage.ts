import { sql } from 'kysely'
import type { ReportedReading } from '../../sandbox/readings/reading.ts'
import type { Readings } from '../../sandbox/readings/readings.ts'
import { jobs } from '../../src/account/catalog.ts'
import type { FileKind } from '../../src/core/define/file-source.ts'
import type { RunResult } from '../../src/sync/run/run-types.ts'
import { untrueFiles } from '../helpers/archive-files.ts'
import { findDifferences } from '../helpers/differences.ts'
import { openWorld, TINY, type World } from '../helpers/world.ts'

/** What a whole sync of a service with these readings came to, and the one after it. */
export interface Synced {
  green: boolean
  /** Everything that the runs say is wrong. */
  said: string
  /** What the tables and files do not have as the service does. */
  untrue: string[]
  /** Tables that `report.freshness` calls whole although they differ. */
  falselyWhole: string[]
  /** Rows that the second sync wrote, though nothing had changed. */
  writtenAgain: string[]
}

const STREAMS = jobs.flatMap((job) => job.streams)
const FILE_KINDS: readonly FileKind[] = ['activity', 'recording']

/**
 * Reads everything, files included, of a small service with these readings; once more after `passesMs` where
 * that is given, and once more, where it is green and `again` says so.
 */
export async function syncUnder(
  readings: Partial<Readings>,
  { adopt = {}, again = true, passesMs = 0 }: Partial<ReportedReading> & { again?: boolean } = {},
): Promise<Synced> {
  const world = await openWorld({
    sizes: TINY,
    recordingBytes: 300,
    // So that it shows how IDs are written.
    readings: { idForms: 'odd', ...readings },
    archive: { files: true, recordings: true, ...adopt.archive },
    settings: adopt.account ?? {},
  })
  try {
    let first = await world.sync()
    if (passesMs > 0) {
      await world.advance(passesMs)
      first = await world.sync()
    }
    const untrue = await untrueOf(world)
    const falselyWhole = await falselyWholeOf(world, untrue)
    const green = first.every(({ state }) => state === 'complete')
    const second = again && green ? await world.sync({ full: true }) : []
    return {
      green,
      said: first.flatMap(saidOf).join('\n'),
      untrue,
      falselyWhole,
      writtenAgain: second.flatMap(writtenOf),
    }
  } finally {
    await world.close()
  }
}

async function untrueOf(world: World): Promise<string[]> {
  const { warehouse, sandbox } = world
  const rows = await findDifferences(warehouse, sandbox, { account: 'account-0', streams: STREAMS })
  const files: string[] = []
  for (const kind of FILE_KINDS) files.push(...(await untrueFiles(warehouse, sandbox, kind)).untrue)
  return [...rows.differences, ...files.slice(0, 3)]
}

async function falselyWholeOf({ warehouse }: World, untrue: readonly string[]): Promise<string[]> {
  const { rows } = await sql<{ table: string }>`
    select "table" from report.freshness where whole`.execute(warehouse.db)
  return rows
    .map(({ table }) => table)
    .filter((name) => untrue.some((one) => one.startsWith(`${name}:`)))
}

function saidOf({ job, problems, notAllowed, error }: RunResult): string[] {
  const said = [
    ...problems,
    ...Object.values(notAllowed),
    ...(error === undefined ? [] : [String(error)]),
  ]
  return said.map((text) => `${job}: ${text}`)
}

function writtenOf({ tables }: RunResult): string[] {
  return Object.entries(tables)
    .filter(([, { inserted, updated, deleted }]) => inserted + updated + deleted > 0)
    .map(([name, { inserted, updated, deleted }]) => `${name}: ${inserted} ${updated} ${deleted}`)
}
