import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Cause } from '../../../src/core/define/cause.ts'
import { alertMessage, testMessage } from '../../../src/serve/alerts/alert-text.ts'
import { anyText, holds } from '../../properties/holds.ts'

const NOW = Date.parse('2026-07-02T06:30:00Z')

const failing: Cause = {
  code: 'job_failing',
  account: 'main',
  subject: 'recordings',
  level: 'red',
  sentence: 'The job recordings has failed 4 times.',
  todo: 'callsheet runs --account main',
  sinceMs: NOW - 5 * 3_600_000,
}
const disk: Cause = {
  code: 'disk_low',
  account: undefined,
  subject: 'archive',
  level: 'amber',
  sentence: 'The disk of the archive has room for 3 days.',
  todo: 'Make room.',
  sinceMs: NOW - 20 * 60_000,
}
const login: Cause = {
  ...failing,
  code: 'login_ended',
  subject: '',
  sentence: 'No login.',
  todo: '',
}

describe('the text of an alert message', () => {
  it('lists new causes, the urgent ones first, then those still open, then the resolved ones', () => {
    const facts = {
      told: [disk, failing],
      reminded: [login],
      recovered: [{ ...failing, account: 'eu' }],
    }
    const { subject, text, facts: json } = alertMessage(facts, NOW)
    expect(subject).toBe(
      'Callsheet: 2 new, 1 still open, 1 resolved (disk_low, main job_failing, main login_ended, ...)',
    )
    expect(text).toBe(`Needs you now:
- main: the job recordings has failed 4 times. callsheet runs --account main (for 5 h)

Needs you soon:
- The disk of the archive has room for 3 days. Make room. (for 20 min)

Still open:
- main: no login. (for 5 h)

Resolved:
- eu: the job recordings completes again (blocked for 5 h).

\`callsheet status\` shows all accounts, \`callsheet alert\` the open alerts.
`)
    expect(json).toMatchObject({
      kind: 'alert',
      at: '2026-07-02T06:30:00.000Z',
      alerts: [
        {
          event: 'new',
          code: 'disk_low',
          account: null,
          subject: 'archive',
          level: 'amber',
          sentence: disk.sentence,
          todo: 'Make room.',
          since: '2026-07-02T06:10:00.000Z',
        },
        { event: 'new', code: 'job_failing' },
        { event: 'reminder', code: 'login_ended' },
        {
          event: 'recovered',
          account: 'eu',
          sentence: 'The job recordings completes again (blocked for 5 h).',
          todo: null,
        },
      ],
    })
  })

  it('lists at most 50 causes and counts the others, and its JSON has all of them', () => {
    const told = Array.from({ length: 80 }, (_, at) => ({ ...failing, subject: `job-${at}` }))
    const { text, facts } = alertMessage({ told, reminded: [], recovered: [] }, NOW)
    expect(text.match(/^- main/gm)).toHaveLength(50)
    expect(text).toContain('\n- and 30 more\n')
    expect(facts.alerts).toHaveLength(80)
  })

  it('has one line for each sentence, whatever the sentence contains', async () => {
    await holds(
      fc.property(anyText(), anyText(), (sentence, account) => {
        const cause = { ...failing, sentence, account, todo: sentence }
        const { subject, text } = alertMessage({ told: [cause], reminded: [], recovered: [] }, NOW)
        expect(subject).not.toMatch(/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u202a-\u202e]/u)
        expect(text.split(/[\n\r\u2028\u2029\u0085]/)).toHaveLength(5)
      }),
      200,
    )
  })

  it('says that it is a test if it is a test alert', () => {
    expect(testMessage(NOW)).toMatchObject({
      subject: 'Callsheet: a test of alerts',
      facts: { kind: 'test', alerts: [] },
    })
  })
})
