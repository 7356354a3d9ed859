import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import accessReview from '../../reports/access-review.ts'
import numberInventory from '../../reports/number-inventory.ts'
import reconciliation from '../../reports/reconciliation.ts'
import recordings from '../../reports/recordings.ts'
import sessionQuality from '../../reports/session-quality.ts'
import whiteboardAudit from '../../reports/whiteboard-audit.ts'
import type { Report } from '../../src/core/define/report.ts'
import { REPORT_FORMATS } from '../../src/core/define/report-format.ts'
import { publishReport } from '../../src/report/publish-report.ts'
import type { Warehouse } from '../../src/warehouse/connect.ts'
import { useWarehouse } from '../helpers/database.ts'
import { OWNERS, PARTS, plantOwned, textOf } from './owned-world.ts'
import { readSheets } from './read-sheets.ts'

let warehouse: Warehouse
let directory: string
useWarehouse((opened) => (warehouse = opened), { poolSize: 2 })
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'callsheet-owner-cuts-'))
  await plantOwned(warehouse)
})
afterAll(() => rm(directory, { recursive: true }))

/** A PDF has a part of the page, and needs a browser. */
const FORMATS = REPORT_FORMATS.filter((format) => format !== 'pdf')

const SETTINGS: Readonly<Record<string, Record<string, unknown>>> = {
  'session-quality': {
    keyGroups: PARTS.map((part) => ({ name: `Group ${part}`, pattern: `^${part}` })),
  },
  recordings: {
    rules: PARTS.map((part) => ({ name: `Rule ${part}`, sessionKeys: `^${part}` })),
  },
}

const wanted = (report: Report, owner?: string) => ({
  report,
  account: 'hand',
  params: {
    ...(report.name === 'session-quality' ? { month: '2026-11' } : {}),
    ...(owner === undefined ? {} : { owner }),
  },
  timeZone: 'UTC',
  settings: SETTINGS[report.name],
  owners: OWNERS,
})

async function publish(report: Report, owner?: string, sinceMs?: number) {
  const { files } = await publishReport(
    { warehouse },
    { ...wanted(report, owner), sinceMs, directory, formats: FORMATS },
  )
  return files.map(({ path }) => path)
}

const CUT = [sessionQuality, numberInventory, accessReview, recordings] as readonly Report[]

describe.each(CUT.map((report) => [report.name, report] as const))(
  'a cut of %s',
  (_name, report) => {
    it('has nothing of another owner in any file, now, since the last cut and since a moment', async () => {
      for (const { name } of OWNERS) {
        const own = name.replace('Team ', '')
        const others = new RegExp(PARTS.filter((part) => part !== own).join('|'), 'i')
        const sinceMs = Date.parse('2026-11-15T00:00:00Z')
        const files = [
          ...(await publish(report)),
          ...(await publish(report, name)),
          ...(await publish(report, name, sinceMs)),
        ].filter((path) => path.includes('-of-team-'))
        expect(files.length).toBeGreaterThan(20)
        const texts = await Promise.all(files.map(textOf))
        for (const [at, text] of texts.entries()) {
          expect(basename(files[at] ?? '')).toContain(`-of-team-${own}`)
          const found = others.exec(text)
          const near = found && text.slice(Math.max(0, found.index - 200), found.index + 60)
          expect([basename(files[at] ?? ''), near]).toEqual([expect.any(String), null])
          // The capacity and the use of a policy count the numbers of all owners.
          expect(text).not.toContain('61234')
        }
        expect(texts.join('\n')).toContain(own)
      }
    })

    it('adds up to the report on the whole account, with the rows of no owner', async () => {
      const figuresOf = async (owner?: string) =>
        (await readSheets(warehouse, wanted(report, owner))).figures('Summary')
      const whole = await figuresOf()
      const cuts = await Promise.all(OWNERS.map(({ name }) => figuresOf(name)))
      const nobody = await readSheets(warehouse, {
        ...wanted(report, 'Nobody'),
        owners: [...OWNERS, { ...NOBODY }],
      })
      for (const label of SUMS[report.name] ?? []) {
        const parts = [...cuts, nobody.figures('Summary')].map((figures) => Number(figures[label]))
        expect(parts.every((part) => part > 0)).toBe(true)
        expect(parts.reduce((sum, part) => sum + part, 0)).toBe(Number(whole[label]))
      }
    })

    it('leaves it to the whole report to say what belongs to no owner', async () => {
      const whole = await readSheets(warehouse, wanted(report))
      expect(whole.notes('Summary')).toContain(
        `${OWNERLESS[report.name]} belong to no owner in reports.owners, so only this report shows them.`,
      )
      const cut = await readSheets(warehouse, wanted(report, 'Team qxbravo'))
      expect(cut.notes('Summary')).not.toContain('no owner')
      expect(cut.notes('Provenance')).toContain('only rows of the owner Team qxbravo')
      const before = await readSheets(warehouse, { ...wanted(report), owners: [] })
      expect(before.notes('Summary')).not.toContain('no owner')
    })
  },
)

const NOBODY = {
  name: 'Nobody',
  mail: [],
  sessionKeys: ['^qxnobody'],
  sites: ['qxnobody site_name'],
  departments: ['qxnobody dept'],
}

const SUMS: Readonly<Record<string, readonly string[]>> = {
  'session-quality': ['Sessions', 'Participants'],
  'number-inventory': ['Numbers', 'Assigned'],
  'access-review': ['People to review', 'Their numbers', 'Boards open to anyone'],
  recordings: ['Recordings', 'Files in the trash'],
}

const OWNERLESS: Readonly<Record<string, string>> = {
  'session-quality': '6 sessions of 2026-11',
  'number-inventory': '5 numbers',
  'access-review': '5 users and 5 boards',
  recordings: '11 recordings',
}

it('the recordings report of one owner counts only archive copies of the owner’s recordings', async () => {
  const copies = async (owner?: string) => {
    const made = await readSheets(warehouse, wanted(recordings, owner))
    return made.lines('By retention rule', 'In the archive')[0]?.['Recordings']
  }
  // A part has as many recordings as its place in the list, two more, and one of the second night.
  expect([await copies(), await copies('Team qxalpha')]).toEqual([18, 3])
})

it('a row that matches several owners belongs to the first of them in the list', async () => {
  const [alpha, bravo] = OWNERS
  if (alpha === undefined || bravo === undefined) throw new Error('There are no owners')
  const greedy = { ...alpha, sessionKeys: ['^qx(alpha|bravo)'] }
  const sessionsFor = async (owners: readonly (typeof alpha)[]) => {
    const made = await readSheets(warehouse, { ...wanted(sessionQuality, alpha.name), owners })
    return made.figures('Summary')['Sessions']
  }
  expect(await sessionsFor([greedy, bravo])).toBe(7)
  expect(await sessionsFor([bravo, greedy])).toBe(3)
})

it.each([
  [whiteboardAudit, OWNERS[0]?.name, /about the whole account, so it cannot be cut/],
  [reconciliation, OWNERS[0]?.name, /about the whole account, so it cannot be cut/],
  [sessionQuality, 'Team qxother', /has no owner of this name.*/],
])(
  'no cut is made of a whole-account report or for an unknown owner',
  async (report, owner, message) => {
    await expect(publish(report as Report, owner)).rejects.toThrow(message)
  },
)

it('no cut is made for an owner without anything by which the report is cut', async () => {
  const owners = [{ ...NOBODY, sessionKeys: [] }]
  const request = { ...wanted(recordings, 'Nobody'), owners, directory, formats: FORMATS }
  await expect(publishReport({ warehouse }, request)).rejects.toThrow(/has no sessionKeys/)
})
