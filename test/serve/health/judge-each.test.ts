import { describe, expect, it } from 'vitest'
import type { Cause } from '../../../src/core/define/cause.ts'
import type { EvidenceRun, HealthFacts } from '../../../src/serve/health/facts.ts'
import { judgeHealth } from '../../../src/serve/health/judge.ts'
import { at, NOON, wellFacts } from './facts-of.ts'

const judge = (changes: Partial<HealthFacts>, nowMs = NOON): Cause[] =>
  judgeHealth(wellFacts(changes), nowMs)
const DAY_MS = 86_400_000

describe('a login in the health of an account', () => {
  const login = (state: 'missing' | 'ended' | 'held', endsMs?: number) =>
    judge({ login: { state, endsMs } })

  it('is amber from seven days before its end', () => {
    expect(login('held', NOON + 7 * DAY_MS + 1)).toEqual([])
    expect(login('held', NOON + 7 * DAY_MS)).toMatchObject([
      { code: 'login_ended', level: 'amber', sinceMs: NOON },
    ])
    expect(login('held')).toEqual([])
  })

  it('is red if it has expired, was ended by the service, or never took place', () => {
    expect(login('held', NOON)).toMatchObject([{ level: 'red', sinceMs: NOON }])
    expect(login('held', NOON + 1)).toMatchObject([{ level: 'amber' }])
    expect(login('ended', NOON + 30 * DAY_MS)).toMatchObject([
      { level: 'red', sinceMs: at('01:00'), todo: 'Run `callsheet login --account main`' },
    ])
    expect(login('missing')).toMatchObject([{ level: 'red', sinceMs: at('01:00', 1) }])
  })
})

describe('files to archive', () => {
  const none = wellFacts().archive!

  it('are a red cause if they will expire, have expired or are overdue', () => {
    expect(judge({ archive: { ...none, willExpire: 1 } })).toMatchObject([
      {
        code: 'archive_expiring',
        level: 'red',
        sentence: expect.stringMatching(/^1 archived file /),
      },
    ])
    expect(
      judge({ archive: { ...none, expired: 2, expiredSinceMs: at('03:00', 8) } }),
    ).toMatchObject([{ code: 'archive_expiring', level: 'red', sinceMs: at('03:00', 8) }])
    expect(judge({ archive: { ...none, overdue: 4 } })).toMatchObject([{ level: 'red' }])
    expect(judge({ archive: { ...none, overdueSessions: 4 } })).toMatchObject([{ level: 'red' }])
  })
})

describe('an open erasure request', () => {
  const asked = { request: 3, requestedMs: at('00:00'), dueMs: at('00:00', 11), heldAlone: false }
  const erasure = (nowMs: number, changes = {}) =>
    judge({ erasures: [{ ...asked, ...changes }] }, nowMs)
  const NEAR = at('18:00')

  it('is amber when less than a quarter of its time is left, and red past its deadline', () => {
    expect(erasure(NEAR)).toEqual([])
    expect(erasure(NEAR + 1)).toMatchObject([
      { code: 'erasure_due', subject: 'request 3', level: 'amber', sinceMs: NEAR },
    ])
    expect(erasure(asked.dueMs)).toMatchObject([{ level: 'amber' }])
    expect(erasure(asked.dueMs + 1)).toMatchObject([{ level: 'red', sinceMs: asked.dueMs }])
  })

  it('is red at once if a command requested it', () => {
    expect(erasure(NOON, { requestedMs: NOON - 1, dueMs: NOON - 1 })).toMatchObject([
      { level: 'red' },
    ])
  })

  it('is only amber past its deadline if a hold keeps the remaining data', () => {
    expect(erasure(asked.dueMs, { heldAlone: true })).toEqual([])
    expect(erasure(asked.dueMs + 1, { heldAlone: true })).toMatchObject([{ level: 'amber' }])
  })
})

describe('the evidence log', () => {
  const evidence = (...states: EvidenceRun['state'][]) =>
    judge({
      evidence: states.map((state, index) => ({
        runId: 40 + index,
        state,
        endedMs: at('01:00', index + 1),
        unexplained: state === 'incomplete' ? 2 : 0,
      })),
    })

  it('is broken if the last run failed to record it or found unexplained log entries', () => {
    expect(evidence('failed', 'complete')).toEqual([])
    expect(evidence('complete', 'failed')).toMatchObject([
      {
        code: 'evidence_broken',
        level: 'red',
        sinceMs: at('01:00', 2),
        sentence: expect.stringContaining('Run 41 could not'),
      },
    ])
    expect(evidence('complete', 'failed', 'incomplete')).toMatchObject([
      {
        sinceMs: at('01:00', 2),
        sentence: expect.stringContaining('2 log entries'),
        todo: expect.stringContaining('audit unexplained'),
      },
    ])
  })
})

describe('cosignatures of witnesses', () => {
  const evidence = (...said: (string | undefined)[]) =>
    judge({
      evidence: said.map((unwitnessed, index) => ({
        runId: 40 + index,
        state: 'complete',
        endedMs: at('01:00', index + 1),
        unexplained: 0,
        unwitnessed,
      })),
    })

  it('are amber since the first run after which too few had cosigned', () => {
    expect(evidence('it is cosigned by 0 of 1', undefined)).toEqual([])
    expect(evidence(undefined, 'it', 'it is cosigned by 0 of 1 witnesses')).toMatchObject([
      {
        code: 'evidence_broken',
        level: 'amber',
        sinceMs: at('01:00', 2),
        sentence: 'Too few witnesses cosigned the evidence: it is cosigned by 0 of 1 witnesses.',
        todo: expect.stringContaining('callsheet runs 42'),
      },
    ])
  })
})

describe('the last verification', () => {
  const verified = (...findings: number[]) =>
    judge({
      verifications: findings.map((count, index) => ({
        runId: 50 + index,
        endedMs: at('06:00', index + 1),
        findings: count,
      })),
    })

  it('is red after findings, until a verification has none', () => {
    expect(verified(3, 0)).toEqual([])
    expect(verified(0, 3, 2)).toMatchObject([
      {
        code: 'evidence_broken',
        subject: 'verification',
        level: 'red',
        sentence: 'The last verification of the evidence found 2 problems.',
        sinceMs: at('06:00', 2),
      },
    ])
  })
})

describe('a daily quota', () => {
  it('is short if today’s work needs more calls than are left', () => {
    expect(
      judge({ quotas: [{ pool: 'MEDIUM', spent: 0, limit: 100, left: 100, planned: 100 }] }),
    ).toEqual([])
    expect(
      judge({ quotas: [{ pool: 'MEDIUM', spent: 0, limit: 100, left: 100, planned: 101 }] }),
    ).toMatchObject([{ code: 'quota_short', subject: 'MEDIUM', level: 'amber' }])
  })
})

describe('a stream', () => {
  it('is red if it is no longer allowed, and amber if it never was', () => {
    const refused = { stream: 'boards', wasRead: true, sinceMs: at('01:00', 8) }
    expect(judge({ refused: [refused] })).toMatchObject([
      { code: 'not_allowed', subject: 'boards', level: 'red', sinceMs: at('01:00', 8) },
    ])
    expect(judge({ refused: [{ ...refused, wasRead: false }] })).toMatchObject([{ level: 'amber' }])
  })

  it('is red while it has held-back deletions, with the command that approves them', () => {
    const drop = { stream: 'users', runId: 7, missing: 60, owned: 900, sinceMs: at('01:10', 8) }
    expect(judge({ drops: [drop] })).toMatchObject([
      {
        code: 'drop_waiting',
        subject: 'users',
        level: 'red',
        sentence: 'users: run 7 did not find 60 of 900 rows and deleted none.',
        todo: expect.stringContaining('callsheet sync --approve 7'),
        sinceMs: at('01:10', 8),
      },
    ])
  })
})
