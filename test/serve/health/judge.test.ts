import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Cause, nameOfCause } from '../../../src/core/define/cause.ts'
import { levelOf } from '../../../src/serve/health/causes.ts'
import type { HealthFacts } from '../../../src/serve/health/facts.ts'
import { judgeHealth, judgeInstallation } from '../../../src/serve/health/judge.ts'
import { isMoved } from '../../../src/warehouse/ledger/moved.ts'
import { AGAIN, at, DONE, NOON, nightly, PERSON, runs, wellFacts } from './facts-of.ts'

const judge = (changes: Partial<HealthFacts>, nowMs = NOON): Cause[] =>
  judgeHealth(wellFacts(changes), nowMs)

describe('the health of an account', () => {
  it('has no cause if there is no fault', () => {
    expect(judge({})).toEqual([])
    expect(judge({ login: undefined, archive: undefined, evidence: [] })).toEqual([])
  })

  it('is red while another database has the rows', () => {
    expect(judge({ unusable: isMoved('main', 'west') })).toMatchObject([
      {
        level: 'red',
        code: 'account_elsewhere',
        sentence: 'No work begins: the account was moved to the database west.',
        todo: 'Set its database to west, and restart callsheet serve.',
      },
    ])
  })

  it('has its causes in a fixed order, red ones first, each with a unique name', () => {
    const causes = judge(ILL)
    expect(causes.map(({ level, code, subject }) => [level, code, subject])).toEqual([
      ['red', 'archive_expiring', 'archived files'],
      ['red', 'database_restored', 'database'],
      ['red', 'drop_waiting', 'sessions'],
      ['red', 'drop_waiting', 'users'],
      ['red', 'erasure_due', 'request 1'],
      ['red', 'evidence_broken', 'evidence'],
      ['red', 'evidence_broken', 'verification'],
      ['red', 'job_failing', 'users'],
      ['red', 'job_overdue', 'all jobs'],
      ['red', 'login_ended', 'login'],
      ['red', 'not_allowed', 'boards'],
      ['red', 'report_failing', 'numbers'],
      ['red', 'task_failing', 'audit-export'],
      ['amber', 'erasure_due', 'request 2'],
      ['amber', 'not_allowed', 'groups'],
      ['amber', 'quota_short', 'MEDIUM'],
      ['amber', 'records_quarantined', 'calls'],
      ['amber', 'volume_low', 'all streams'],
      ['amber', 'volume_low', 'sessions'],
    ])
    expect(new Set(causes.map(nameOfCause)).size).toBe(causes.length)
    for (const { sentence, todo, account, sinceMs } of causes) {
      expect(sentence).toMatch(/^\S[^\n]*\.$/)
      expect(todo).not.toBe('')
      expect(account).toBe('main')
      expect(sinceMs).toBeLessThanOrEqual(NOON)
    }
    expect([levelOf(causes), levelOf(causes.slice(13)), levelOf([])]).toEqual([
      'red',
      'amber',
      'green',
    ])
  })

  it('can have exactly the causes in docs/health.md, except one that only serve reports', () => {
    const page = readFileSync(join(import.meta.dirname, '../../../docs/health.md'), 'utf8')
    const told = page.matchAll(/^\| `(\w+)` \|/gm).map(([, code]) => code)
    const disk = { directories: ['reports.directory'], freeBytes: 0 }
    const shared = judgeInstallation({ settings: { diskFreeGb: 5 }, disks: [disk] }, NOON)
    const moved = judge({ unusable: isMoved('main', 'west') })
    const codes = [...judge(ILL), ...moved, ...shared].map(({ code }) => code)
    const ofServe = 'database_away' satisfies Cause['code']
    expect(new Set(told)).toEqual(new Set([...codes, ofServe]))
  })

  it('has the same causes in whatever order its ledgers are read', () => {
    const shuffled = <T>(list: readonly T[]) => fc.shuffledSubarray([...list], WHOLE(list))
    const orders = fc.record({
      drops: shuffled(ILL.drops ?? []),
      refused: shuffled(ILL.refused ?? []),
      erasures: shuffled(ILL.erasures ?? []),
    })
    fc.assert(
      fc.property(orders, (order) => {
        expect(judge({ ...ILL, ...order })).toEqual(judge(ILL))
      }),
    )
  })

  it('has no cause at any instant if each nightly job completes within its grace', () => {
    const minutes = fc.integer({ min: 0, max: 24 * 60 })
    const delays = fc.array(fc.integer({ min: 0, max: 170 }), { minLength: 10, maxLength: 10 })
    fc.assert(
      fc.property(minutes, delays, (minute, late) => {
        const nowMs = at('00:00') + minute * 60_000
        const tries = late.map((delay, day): [number, typeof DONE] => [
          at('01:00', day + 1) + delay * 60_000,
          DONE,
        ])
        const begun = tries.filter(([startedMs]) => startedMs <= nowMs)
        const jobs = [nightly(runs(...begun))]
        const quiet = { erasures: [] }
        expect(judge({ ...quiet, jobs }, nowMs)).toEqual([])
      }),
    )
  })
})

describe('the free space of a disk', () => {
  const disk = (freeBytes: number, diskFreeGb = 5) =>
    judgeInstallation(
      { settings: { diskFreeGb }, disks: [{ directories: ['archive.directory'], freeBytes }] },
      NOON,
    )

  it('is amber below the setting, and red below 1 GB', () => {
    expect(disk(5e9)).toEqual([])
    expect(disk(5e9 - 1)).toEqual([
      {
        code: 'disk_low',
        account: undefined,
        subject: 'archive.directory',
        level: 'amber',
        sentence: 'The disk of archive.directory has 4.9 GB free.',
        todo: 'Free some space, or give the directory a larger disk.',
        sinceMs: NOON,
      },
    ])
    expect(disk(1e9)).toMatchObject([{ level: 'amber' }])
    expect(disk(1e9 - 1)).toMatchObject([{ level: 'red' }])
    expect(disk(0, 0)).toEqual([])
  })
})

const ILL: Partial<HealthFacts> = {
  unusable: {
    code: 'database_restored',
    facts: { tried: 'Working', came: 'the database was restored', todo: 'run callsheet restored' },
  },
  jobs: [
    nightly(runs([at('01:00', 9), AGAIN], [at('01:10', 9), PERSON]), at('01:00', 8)),
    { ...nightly([], at('01:00', 8)), job: 'recordings' },
  ],
  drops: [
    { stream: 'users', runId: 7, missing: 60, owned: 900, sinceMs: at('01:10', 9) },
    { stream: 'sessions', runId: 6, missing: 60, owned: 90, sinceMs: at('01:10', 9) },
  ],
  login: { state: 'ended', endsMs: undefined },
  refused: [
    { stream: 'groups', wasRead: false, sinceMs: at('01:00', 1) },
    { stream: 'boards', wasRead: true, sinceMs: at('01:00', 9) },
  ],
  archive: {
    willExpire: 1,
    overdue: 1,
    overdueSessions: 1,
    expired: 1,
    expiredSinceMs: at('03:00'),
  },
  erasures: [
    { request: 2, requestedMs: at('00:00'), dueMs: at('13:00'), heldAlone: false },
    { request: 1, requestedMs: at('00:00', 8), dueMs: at('00:00', 9), heldAlone: false },
  ],
  evidence: [{ runId: 41, state: 'failed', endedMs: at('02:00'), unexplained: 0 }],
  verifications: [{ runId: 42, endedMs: at('06:00'), findings: 1 }],
  quotas: [{ pool: 'MEDIUM', spent: 0, limit: 1, left: 1, planned: 2 }],
  works: [
    {
      name: 'numbers',
      kind: 'report',
      attempts: [{ endedMs: at('07:00'), end: 'person', error: 'no printer' }],
    },
    {
      name: 'audit-export',
      kind: 'task',
      attempts: [{ endedMs: at('08:00'), end: 'person', error: 'the command exited with 1' }],
    },
  ],
  setAside: [{ stream: 'calls', records: 3, sinceMs: at('01:00', 9) }],
  low: ['calls', 'boards', 'sessions'].map((stream) => ({
    stream,
    fromDay: 20_000,
    toDay: 20_003,
    days: 4,
    expected: 60,
    came: 1,
    open: true,
    general: stream !== 'sessions',
  })),
}

const WHOLE = (list: readonly unknown[]) => ({ minLength: list.length, maxLength: list.length })
