import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type RawBuilder, sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import sessionQuality from '../../reports/session-quality.ts'
import { publishReport } from '../../src/report/publish-report.ts'
import type { Warehouse } from '../../src/warehouse/connect.ts'
import { useWarehouse } from '../helpers/database.ts'
import { loadCompany } from './load-company.ts'
import { readWorkbook } from './workbook.ts'

let warehouse: Warehouse
let directory: string
useWarehouse((opened) => (warehouse = opened), { poolSize: 2 })
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'callsheet-causes-'))
})
afterAll(() => rm(directory, { recursive: true }))

/** What the sandbox plants, by the sessions of June that it makes worse. */
const PLANTED = [
  {
    kind: 'screen_share',
    said: /since April 1\d \(/,
    where: sql`true`,
    against: sql`start_time < '2026-04-17Z'`,
  },
  {
    kind: 'audio',
    said: /in the week of June 8 \([^)]*\), mostly in sales-emea: ask its hosts/,
    where: sql`start_time >= '2026-06-08Z' and start_time < '2026-06-15Z'
      and session_key like 'sales-emea-%'`,
  },
  { kind: 'audio', said: /sessions with a telephone \(/, where: sql`has_pstn` },
  { kind: 'video', said: /sessions of 26 and more people \(/, where: sql`user_count >= 26` },
  {
    kind: 'video',
    said: /sessions on Mondays from 08:00 to 10:00 \(/,
    where: sql`extract(isodow from start_time at time zone 'UTC') = 1
      and extract(hour from start_time at time zone 'UTC') in (8, 9)`,
  },
]

it.each([1, 2, 3])(
  'the quality report names the planted causes of company %i in three sentences, the worst first',
  async (seed) => {
    const account = `company-${seed}`
    await loadCompany(warehouse, { account, seed })
    const { files } = await publishReport(
      { warehouse },
      {
        report: sessionQuality,
        account,
        params: { month: '2026-06' },
        timeZone: 'UTC',
        directory,
        formats: ['xlsx', 'html'],
        settings: SETTINGS,
      },
    )
    const [book = '', page = ''] = files.map(({ path }) => path)
    const opened = await readWorkbook(book)
    const notes = opened.notes('Summary')
    const sentences = notes.slice(0, 3)
    expect(notes[3]).toMatch(
      /^The service may still add late sessions and ratings to 2026-06 until/,
    )
    const places = PLANTED.map(({ said }) => sentences.findIndex((text) => said.test(text)))
    expect(places).not.toContain(-1)
    const harm = await Promise.all(PLANTED.map((planted) => excess(account, planted)))
    const inSentence = [0, 1, 2].map((at) =>
      harm.reduce((sum, own, cause) => sum + (places[cause] === at ? own : 0), 0),
    )
    expect(inSentence).toEqual(inSentence.toSorted((a, b) => b - a))
    const html = await readFile(page, 'utf8')
    const links = sentences.map((text) => {
      const [, id, sheet] =
        /<a href="#(s\d+)">([^<]+)<\/a><\/p>/.exec(html.slice(html.indexOf(text))) ?? []
      expect(html).toMatch(new RegExp(`<section id="${id}"[^>]*><h2[^>]*>${sheet}</h2>`))
      return `→ ${sheet}`
    })
    const cells = opened.cells('Summary').flat()
    expect(cells.filter((cell) => String(cell).startsWith('→'))).toEqual(links)
  },
)

/** How many more sessions of June were bad than by the share of all others, by a plain count. */
async function excess(
  account: string,
  {
    kind,
    where,
    against,
  }: { kind: string; where: RawBuilder<unknown>; against?: RawBuilder<unknown> },
): Promise<number> {
  const column = sql.id(`${kind}_quality`)
  const june = sql`start_time >= '2026-06-01Z' and start_time < '2026-07-01Z'`
  const { rows } = await sql<{ excess: number }>`
    select count(*) filter (where bad and own) - count(*) filter (where own)
      * (count(*) filter (where bad and other))::float8 / count(*) filter (where other) as excess
    from (select ${column} = 'bad' as bad, ${june} and ${where} as own,
        ${against ?? sql`${june} and not ${where}`} as other
      from svc.session_reports where account = ${account} and ${column} is not null) s`.execute(
    warehouse.db,
  )
  return rows[0]?.excess ?? Number.NaN
}

const SETTINGS = { keyGroups: [{ name: 'Sales', pattern: '^sales-' }] }
