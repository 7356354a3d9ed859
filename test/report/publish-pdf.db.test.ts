import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import sessionQuality from '../../reports/session-quality.ts'
import type { ReportFormat } from '../../src/core/define/report-format.ts'
import { CallsheetError } from '../../src/core/errors.ts'
import { PDF, type Printer } from '../../src/report/pdf/printer.ts'
import { publishReport } from '../../src/report/publish-report.ts'
import type { Warehouse } from '../../src/warehouse/connect.ts'
import { useWarehouse } from '../helpers/database.ts'
import * as fixture from '../reports/fixture.ts'

let warehouse: Warehouse
let directory: string
useWarehouse((opened) => (warehouse = opened), { poolSize: 2 })
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'callsheet-publish-pdf-'))
})
afterAll(() => rm(directory, { recursive: true }))

function printer(print: Printer['print']): Printer {
  return { find: () => Promise.resolve('/usr/bin/chromium'), print }
}

const broken = (fault: Error) => printer(() => Promise.reject(fault))

async function publish(
  account: string,
  how: Printer,
  formats: readonly ReportFormat[] = ['html', 'pdf'],
) {
  const runId = await fixture.insertRun(warehouse, fixture.sessionRun(account))
  await fixture.insertSessions(warehouse, { account, runId, perDay: 10 })
  const request = { report: sessionQuality, account, params: {}, timeZone: 'UTC', directory }
  return await publishReport({ warehouse }, { ...request, formats, printer: how })
}

const files = async (account: string) =>
  (await readdir(directory)).filter((name) => name.includes(account)).toSorted()

describe('the format pdf', () => {
  it('is published and recorded beside the others', async () => {
    const { files: made, notMade } = await publish(
      'prints',
      printer((folder) => writeFile(join(folder, PDF), '%PDF-1.4\n%%EOF\n')),
    )
    expect(notMade).toEqual([])
    const names = ['html', 'pdf'].map((end) => `prints-session-quality-2026-10.${end}`)
    expect(await files('prints')).toEqual(names)
    const { rows } = await sql`
      select files from callsheet.published_reports where account = 'prints'`.execute(warehouse.db)
    expect(rows).toEqual([{ files: made }])
    expect(made.map(({ path }) => path)).toEqual(names.map((name) => join(directory, name)))
    expect(made[1]).toMatchObject({ bytes: 15, sha256: expect.stringMatching(/^[\da-f]{64}$/) })
  })

  it('that cannot be made is named, and leaves the others and the data’s verdict alone', async () => {
    const error = new CallsheetError('chromium_missing', {
      tried: 'Finding a Chromium',
      came: 'PATH has no Chromium',
      todo: 'install one',
    })
    const made = await publish('lacks', broken(error))
    expect(made.notMade).toEqual([
      { format: 'pdf', came: 'PATH has no Chromium', todo: 'install one' },
    ])
    expect(made).toMatchObject({ covered: true, settled: true, headline: { lacks: [] } })
    expect(await files('lacks')).toEqual(['lacks-session-quality-2026-10.html'])
  })

  it('leaves no file at all if the run is stopped meanwhile', async () => {
    await expect(publish('stops', broken(new Error('stopped by SIGTERM')))).rejects.toThrow(
      'stopped by SIGTERM',
    )
    expect(await files('stops')).toEqual([])
  })
})
