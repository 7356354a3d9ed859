import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, beforeAll } from 'vitest'
import { z } from 'zod'
import { defineReport } from '../../src/core/define/report.ts'
import type { ReportFormat } from '../../src/core/define/report-format.ts'
import { identityOf } from '../../src/core/persons/identity.ts'
import { touchedOf } from '../../src/erasure/covering-reports.ts'
import { markReports } from '../../src/erasure/mark-reports.ts'
import { namedIn } from '../../src/erasure/named-in.ts'
import { remakeReport } from '../../src/erasure/remake-report.ts'
import { withdrawReports } from '../../src/erasure/withdraw-reports.ts'
import type { Withdrawing, Withdrawn } from '../../src/erasure/withdrawing.ts'
import type { Printer } from '../../src/report/pdf/printer.ts'
import { type PublishedReport, publishReport } from '../../src/report/publish-report.ts'
import { users } from '../../src/resources/users.ts'
import type { Warehouse } from '../../src/warehouse/connect.ts'
import { useWarehouse } from '../helpers/database.ts'
import { printerOf } from '../report/pdf/chromium.ts'
import { insertRun, usersRun } from '../reports/fixture.ts'

/** A report with one row per user of the account, or with one user only. */
const roster = defineReport({
  name: 'roster',
  title: 'Roster',
  params: z.object({ user: z.string().optional(), timezone: z.string().optional() }),
  needs: [users],
  periods: () => undefined,
  async build({ db, rows, params }) {
    const { rows: found } = await sql<{ id: string; email: string; display_name: string }>`
      select id, email, display_name from ${rows(users)} u
      where lower(email) = lower(coalesce(${params.user ?? null}::text, email)) order by id`.execute(
      db,
    )
    const columns = ['id', 'email', 'display_name'] as const
    const table = {
      kind: 'table' as const,
      title: 'Everybody',
      columns: columns.map((name) => ({ name, title: name, format: 'text' as const })),
      rows: found.map((row) => columns.map((name) => row[name])),
    }
    return [{ title: 'Everybody', blocks: [table] }]
  },
})

/** The result of a withdrawal that found nothing to do. */
export const NOTHING: Withdrawn = {
  reports: 0,
  files: 0,
  bytes: 0,
  anew: 0,
  undecided: [],
  settled: [],
}

/** The number of the report's CSV files: notes, figures, people, runs. */
export const CSVS = 4
/** The number of the report's files in all default formats. */
export const ALL = CSVS + 2

export const ANNA = {
  id: 'usr-anna-0001',
  email: 'anna@example.com',
  name: `Änna O'Neil & "Co"`,
  persons: [identityOf('usr-anna-0001'), identityOf('Anna@Example.com')],
}

export interface RosterStage {
  warehouse: Warehouse
  directory: string
  printer: Printer
  seed(account: string, people?: readonly Person[]): Promise<void>
  /** Adds a later complete run. */
  read(account: string, at: string): Promise<void>
  publish(account: string, params?: object, formats?: ReportFormat[]): Promise<PublishedReport>
  /** Deletes Anna's row, and withdraws the reports that cover it. */
  erase(account: string, options?: Partial<Withdrawing>): Promise<Withdrawn>
  /** The contents of the folder's files, by name. */
  content(): Promise<Map<string, string>>
  recorded(account: string): Promise<{ params: unknown; files: Recorded[] }[]>
}

export interface Recorded {
  path: string
  erased?: boolean
  erasing?: boolean
}

interface Person {
  id: string
  email: string
  name: string
}

const BERT = { id: 'usr-bert-0002', email: 'bert@example.com', name: 'Bert Braun' }

/** Opens a warehouse and a folder for all tests of a file. */
export function useRoster(): RosterStage {
  const stage = { printer: printerOf(null) } as RosterStage
  stage.erase = async (account, options) => {
    const { warehouse } = stage
    if (options?.dryRun !== true) return await erase(stage, account, options)
    return await warehouse.transaction(
      (db, client) => {
        const inside: Warehouse = { ...warehouse, db, transaction: (work) => work(db, client) }
        return erase({ ...stage, warehouse: inside }, account, options)
      },
      { undo: true },
    )
  }
  useWarehouse((warehouse) => (stage.warehouse = warehouse), { poolSize: 2 })
  beforeAll(async () => {
    stage.directory = await mkdtemp(join(tmpdir(), 'callsheet-erase-'))
  })
  afterAll(() => rm(stage.directory, { recursive: true }))
  stage.seed = async (account, people = [ANNA, BERT]) => {
    const runId = await insertRun(stage.warehouse, usersRun(account, '2026-11-19T01:00:00Z'))
    for (const { id, email, name } of people)
      await sql`insert into svc.users (account, id, email, display_name, status, _raw, _hash,
          _first_seen_at, _changed_at, _run_id)
        values (${account}, ${id}, ${email}, ${name}, 'active', '{}', '\\x00',
          '2026-10-01T01:00:00Z', '2026-10-01T01:00:00Z', ${runId})`.execute(stage.warehouse.db)
  }
  stage.read = async (account, at) => {
    await insertRun(stage.warehouse, usersRun(account, at))
  }
  stage.publish = (account, params = {}, formats = ['xlsx', 'html', 'csv']) =>
    publishReport(stage, {
      report: roster,
      account,
      params: { ...params },
      timeZone: 'UTC',
      directory: stage.directory,
      formats,
      printer: stage.printer,
    })
  stage.content = () => contentOf(stage.directory)
  stage.recorded = async (account) => {
    const { rows } = await sql<{ params: unknown; files: Recorded[] }>`
      select params, files from callsheet.published_reports where account = ${account}
      order by id`.execute(stage.warehouse.db)
    return rows
  }
  return stage
}

async function erase(
  { warehouse, directory, printer }: RosterStage,
  account: string,
  options: Partial<Withdrawing> = {},
): Promise<Withdrawn> {
  const reports = { all: [roster], settings: {}, timeZone: 'UTC', printer }
  await warehouse.transaction(async (tx) => {
    const { rows } = await sql<{ row: string }>`delete from svc.users t
      where account = ${account} and id = ${ANNA.id} returning to_jsonb(t)::text as row`.execute(tx)
    if (rows.length === 0) return
    const gone = rows.map(({ row }) => row)
    const marks = { covered: new Set<number>() }
    await markReports(tx, { account, reports, marks }, touchedOf(users, gone))
  })
  const made = { warehouse, streams: [users], reports }
  return await withdrawReports({
    warehouse,
    account,
    signal: new AbortController().signal,
    named: namedIn(ANNA.persons),
    dryRun: false,
    settled: false,
    directory,
    names: ['roster', 'audit', 'table'],
    remake: (row, paths) => remakeReport(made, { account, row, paths }),
    ...options,
  })
}

async function contentOf(directory: string): Promise<Map<string, string>> {
  const content = new Map<string, string>()
  const entries = await readdir(directory, { recursive: true, withFileTypes: true })
  for (const entry of entries) {
    if (!entry.isFile()) continue
    const path = join(entry.parentPath, entry.name)
    content.set(path.slice(directory.length + 1), await readFile(path, 'latin1'))
  }
  return content
}

export function pathsOf({ files }: { files: readonly { path: string }[] }): string[] {
  return files.map(({ path }) => path)
}

/** The names of the files that begin with `start`. */
export async function namesOf(stage: RosterStage, start: string): Promise<string[]> {
  return [...(await stage.content()).keys()].filter((name) => name.startsWith(start)).sort()
}

/** The names of the account's files that contain Anna's ID as plain text. */
export async function naming(stage: RosterStage, account: string): Promise<string[]> {
  const content = [...(await stage.content())]
  return content.flatMap(([name, said]) =>
    name.startsWith(`${account}-`) && said.includes(ANNA.id) ? [name] : [],
  )
}
