import { expect, it } from 'vitest'
import type { Fields } from '../../../src/cli/frame/log-fields.ts'
import type { Work } from '../../../src/serve/queue/dispatcher.ts'
import type { MadeReport } from '../../../src/serve/work/deliver-report.ts'
import { reportMessage } from '../../../src/serve/work/deliver-report.ts'
import { reportWaits } from '../../../src/serve/work/report-due.ts'

const made: MadeReport = {
  report: 'number-inventory',
  account: 'main',
  params: {},
  files: [{ path: '/out/inventory.xlsx', bytes: 10, sha256: '00' }],
  covered: true,
  headline: {
    title: 'Number inventory',
    period: 'Nov 27',
    figures: ['47 of 80 numbers are unassigned.'],
    lacks: [],
  },
}
const firstLine = (one: MadeReport): string => reportMessage(one).text.split('\n')[0] ?? ''

it('a report’s message names the report, its period, its completeness and its first figures', () => {
  expect(reportMessage(made).subject).toBe('Number inventory of main, Nov 27: complete')
  expect(firstLine(made)).toBe(
    'Number inventory of main, Nov 27: complete. 47 of 80 numbers are unassigned. ' +
      'Sources are on the sheet "Provenance".',
  )
})

it('an incomplete report’s message names the missing data before the figures, and announces a resend', () => {
  const lacks = ['The data is NOT complete. The figures are too low or partial: users is refused.']
  const half = { ...made, covered: false, headline: { ...made.headline, lacks } }
  expect(reportMessage(half).subject).toBe('Number inventory of main, Nov 27: incomplete')
  expect(firstLine(half)).toBe(
    `Number inventory of main, Nov 27: incomplete. ${lacks[0]} 47 of 80 numbers are unassigned. ` +
      'It is sent again once its data is complete. Sources are on the sheet "Provenance".',
  )
  expect(reportMessage(half).facts).toMatchObject({ covered: false, period: 'Nov 27', lacks })
})

it('a report’s message begins with a format that was not made, and calls complete data complete', () => {
  const notMade = [{ format: 'pdf', came: 'PATH has no Chromium', todo: 'install one' }] as const
  expect(reportMessage({ ...made, notMade }).subject).toBe(
    'Number inventory of main, Nov 27: complete',
  )
  expect(firstLine({ ...made, notMade })).toBe(
    'Number inventory of main, Nov 27: complete. No PDF was made: PATH has no Chromium. ' +
      '47 of 80 numbers are unassigned. Sources are on the sheet "Provenance".',
  )
  expect(reportMessage({ ...made, notMade }).facts).toMatchObject({ notMade })
})

it('a report’s message attaches a PDF as such, and names no sources if there is nothing else', () => {
  const pdf = { ...made, files: [{ path: '/out/a.pdf', bytes: 10, sha256: '00' }] }
  expect(reportMessage(pdf).attachments).toMatchObject([
    { name: 'a.pdf', contentType: 'application/pdf' },
  ])
  expect(firstLine(pdf)).not.toContain('Sources')
})

it('a report’s message names the part with the sources if there is no workbook', () => {
  const csv = { ...made, files: [{ path: '/out/a.csv', bytes: 10, sha256: '00' }] }
  expect(firstLine(csv)).toContain('Sources are in the part "Provenance".')
})

it('a waiting report logs its reason, and again only if the reason changes', () => {
  const seen: Fields[] = []
  const observer = { event: (name: string, fields: Fields) => void seen.push({ name, ...fields }) }
  const waits = reportWaits(observer)
  const work: Work = { account: 'main', job: 'weekly', schedule: '0 6 * * 1', timezone: 'UTC' }
  const wait = (...jobs: string[]) => waits(work, 1_000, { untilMs: 2_000, jobs })
  wait('users', 'phone-numbers')
  wait('users', 'phone-numbers')
  wait('users')
  waits(work, 1_000, undefined)
  waits({ ...work, account: 'other' }, 1_000, { untilMs: 2_000, jobs: ['users'] })
  expect(seen.map(({ account, reason }) => `${String(account)} ${String(reason)}`)).toEqual([
    'main for users, phone-numbers',
    'main for users',
    'other for users',
  ])
  expect(seen[0]).toEqual({
    name: 'report waits',
    account: 'main',
    job: 'weekly',
    reason: 'for users, phone-numbers',
    until: '1970-01-01T00:00:02.000Z',
    level: 'warn',
  })
})
