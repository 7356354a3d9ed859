import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Output } from '../../src/cli/frame/output.ts'
import { healthJson, printHealth } from '../../src/cli/status-lines.ts'
import type { Cause } from '../../src/core/define/cause.ts'
import { alertMessage } from '../../src/serve/alerts/alert-text.ts'
import { messageJson } from '../../src/serve/alerts/attachments.ts'
import { ROOT } from '../tidy/source-files.ts'
import { BLOCKS } from './pages.ts'

const SINCE = Date.parse('2026-11-27T01:00:00Z')

/** As `test/serve/health/judge-groups.test.ts` has it from the judge. */
const refused: Cause = {
  code: 'job_failing',
  account: 'main',
  subject: 'invalid_client',
  level: 'red',
  sentence: 'The service rejects the client secret (HTTP 400 invalid_client). 5 jobs are blocked.',
  todo:
    'Update `clientSecret`, then run `callsheet doctor`. Then run callsheet sync, and restart callsheet ' +
    'serve if it is running.',
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

/** The keys of a document, and those of the objects in its lists. */
function keysOf(value: unknown): unknown {
  if (Array.isArray(value)) return keysOf(value[0])
  if (typeof value !== 'object' || value === null) return typeof value
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, keysOf(inner)]))
}

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

  it('shows every field of the JSON', async () => {
    const [, sent = ''] = blocksOf('docs/alerts.md', 'json')
    const json: unknown = JSON.parse(await messageJson(message, 'showing an alert'))
    expect(keysOf(JSON.parse(sent))).toEqual(keysOf(json))
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
    expect(keysOf(JSON.parse(shown))).toEqual(keysOf(healthJson([refused])))
  })
})

it('every other output in the docs is from the demo, or checked by a test of its command', () => {
  const others = BLOCKS.filter(({ language }) => language === 'text').map(({ page }) => page)
  expect(new Set(others)).toEqual(
    new Set([
      'README.md',
      'ARCHITECTURE.md',
      'docs/alerts.md',
      'docs/configure.md',
      'docs/health.md',
      'docs/monitor.md',
    ]),
  )
  expect(readFileSync(join(ROOT, 'README.md'), 'utf8')).toContain('npm run demo')
})
