import { describe, expect, it } from 'vitest'
import type { Output } from '../../src/cli/frame/output.ts'
import { healthJson, printHealth } from '../../src/cli/status-lines.ts'
import type { Cause } from '../../src/core/define/cause.ts'
import { alertMessage } from '../../src/serve/alerts/alert-text.ts'
import { messageJson } from '../../src/serve/alerts/attachments.ts'
import { BLOCKS, keysOf } from './pages.ts'

const SINCE = Date.parse('2026-11-27T01:00:00Z')

/** As `test/serve/health/judge-groups.test.ts` has it from the judge. */
const refused: Cause = {
  code: 'job_failing',
  account: 'main',
  subject: 'invalid_client',
  level: 'red',
  sentence: 'The service rejects the client secret (HTTP 400 invalid_client). 5 jobs are blocked.',
  todo:
    'Update `clientSecret`, then run `callsheet doctor`. Then run `callsheet sync`, and restart ' +
    '`callsheet serve` if it is running.',
  sinceMs: SINCE,
}
const short: Cause = {
  ...refused,
  code: 'quota_short',
  subject: 'MEDIUM',
  level: 'amber',
  sinceMs: SINCE + 300_000 - 3 * 3_600_000,
}

const blocksOf = (page: string, language: string): string[] =>
  BLOCKS.filter((block) => block.page === page && block.language === language).map(
    ({ text }) => text,
  )

describe('docs/alerts.md', () => {
  const message = alertMessage(
    { told: [refused], reminded: [], recovered: [short] },
    SINCE + 300_000,
  )

  it('shows the mail as it is sent', () => {
    expect(blocksOf('docs/alerts.md', 'text')).toEqual([
      `Subject: ${message.subject}\n\n${message.text}`,
    ])
  })

  it('shows how the text for Slack begins', () => {
    const [posted = ''] = blocksOf('docs/alerts.md', 'json')
    const { text } = JSON.parse(posted) as { text: string }
    const alone = alertMessage({ told: [refused], reminded: [], recovered: [] }, SINCE + 300_000)
    expect(text).toMatch(/ \.\.\.$/)
    expect(`${alone.subject}\n${alone.text}`).toContain(text.slice(0, -' ...'.length))
  })

  it('shows every field of the JSON', async () => {
    const [, sent = ''] = blocksOf('docs/alerts.md', 'json')
    const json = JSON.parse(await messageJson(message, 'showing an alert')) as object
    expect(keysOf(JSON.parse(sent) as object)).toEqual(keysOf(json))
  })
})

describe('docs/health.md', () => {
  it('shows a cause as status prints it', () => {
    let printed = ''
    const output: Output = {
      terminal: false,
      line: (text) => (printed += `${text}\n`),
      note: () => {},
      table: () => {},
      result: () => {},
    }
    printHealth(output, [refused], '')
    const called = printed.replaceAll('npm run callsheet --', 'callsheet')
    expect(blocksOf('docs/health.md', 'text')).toEqual([called])
  })

  it('shows every field of the JSON', () => {
    const [shown = ''] = blocksOf('docs/health.md', 'json')
    expect(keysOf(JSON.parse(shown) as object)).toEqual(keysOf(healthJson([refused])))
  })
})

it('no page shows an output that no test compares with what is printed', () => {
  const shown = BLOCKS.filter(({ language }) => ['text', 'console', 'json'].includes(language))
  const counts = new Map<string, number>()
  for (const { page } of shown) counts.set(page, (counts.get(page) ?? 0) + 1)
  expect(Object.fromEntries(counts)).toEqual(COMPARED)
})

/** How many outputs and messages each page shows, and the tests that compare them. */
const COMPARED: Readonly<Record<string, number>> = {
  'README.md': 1, // test/cli/demo.lane.test.ts
  'ARCHITECTURE.md': 1, // a drawing
  'docs/alerts.md': 3, // above
  'docs/configure.md': 2, // test/cli/erase-columns.test.ts, test/cli/frame/run-summary.test.ts
  'docs/health.md': 2, // above
  'docs/hooks.md': 2, // test/serve/work/hook-message.db.test.ts
  'docs/monitor.md': 2, // test/cli/mcp/wholeness.test.ts; the other is a setting of a client
  'docs/reports.md': 1, // test/cli/export.lane.test.ts
  'docs/run-every-night.md': 1, // test/cli/preview.lane.test.ts
  'docs/scale.md': 1, // test/cli/move.lane.test.ts
  'docs/tutorial.md': 10, // test/cli/tutorial.lane.test.ts, test/cli/init.lane.test.ts
}
