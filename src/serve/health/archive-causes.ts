import { utcMinutes } from '../../core/time/time.ts'
import { counted } from '../../core/values/quantities.ts'
import type { FoundCause } from './causes.ts'
import type { ErasureFacts, HealthFacts } from './facts.ts'
import { troublesOf } from './job-troubles.ts'

/**
 * Reports archived files that will expire before they can be fetched, that are overdue, or that have expired,
 * and sessions that expired unlisted. The cause is quiet if a job that fetches files is reported too.
 */
export function judgeArchive(facts: HealthFacts, nowMs: number): FoundCause[] {
  if (facts.archive === undefined) return []
  const { willExpire, overdue, overdueSessions, expired, expiredSinceMs } = facts.archive
  const lost = [
    ...(expired > 0
      ? [
          `${counted(expired, 'archived file')} expired in the last 7 days before they were downloaded`,
        ]
      : []),
    ...(overdue > 0
      ? [`${counted(overdue, 'archived file')} were not downloaded before yesterday ended`]
      : []),
    ...(overdueSessions > 0
      ? [`${counted(overdueSessions, 'session')} expired without having been listed`]
      : []),
  ]
  const coming =
    willExpire > 0
      ? [
          `${counted(willExpire, 'archived file')} will expire before the quota allows downloading them`,
        ]
      : []
  if (lost.length + coming.length === 0) return []
  const more =
    lost.length > 0 ? 'schedule jobs.whiteboard-archives more often' : 'lower accounts[].reserve'
  const follows = troublesOf(facts, nowMs).some(({ job }) => job.fetchesFiles === true)
  return [
    {
      code: 'archive_expiring',
      subject: 'archived files',
      level: 'red',
      sentence: `${[...lost, ...coming].join('; ')}.`,
      todo:
        `Ask the service to raise the daily quota, or ${more}; \`callsheet plan whiteboard-archives\` ` +
        'lists the files.',
      sinceMs: expiredSinceMs ?? nowMs,
      quiet: follows ? 'follows' : undefined,
    },
  ]
}

/**
 * Reports erasures past their deadline, and in amber those with less than a quarter of their time left. If
 * only data under a legal hold remains, reports the erasure in amber, and only after the deadline.
 */
export function judgeErasures({ erasures }: HealthFacts, nowMs: number): FoundCause[] {
  return erasures.flatMap((erasure): FoundCause[] => {
    const { request, dueMs, heldAlone } = erasure
    const cause = { code: 'erasure_due', subject: `request ${request}` } as const
    const nearMs = nearFrom(erasure)
    if (nowMs <= (heldAlone ? dueMs : nearMs)) return []
    if (heldAlone) return [{ ...cause, ...HELD, sentence: ONLY_HELD(request), sinceMs: dueMs }]
    if (nowMs > dueMs) return [{ ...cause, ...LATE, sentence: PAST(request), sinceMs: dueMs }]
    const sentence = `Erasure request ${request} must be done by ${utcMinutes(dueMs)} UTC.`
    return [{ ...cause, ...NEAR, sentence, sinceMs: nearMs }]
  })
}

/** Returns the instant from which less than a quarter of the time is left. */
function nearFrom({ requestedMs, dueMs }: ErasureFacts): number {
  return dueMs - Math.max(0, dueMs - requestedMs) / 4
}

/**
 * Reports evidence that a run could not record, entries signed with another key, missing cosignatures, and
 * findings of a verification.
 */
export function judgeEvidence(facts: HealthFacts): FoundCause[] {
  return [...unrecorded(facts), ...unwitnessed(facts), ...altered(facts)]
}

function unrecorded({ evidence }: HealthFacts): FoundCause[] {
  const good = evidence.findLastIndex(({ state }) => state === 'complete')
  const broken = evidence.slice(good + 1)
  const [first, last] = [broken[0], broken.at(-1)]
  if (first === undefined || last === undefined) return []
  const { runId, unexplained } = last
  return [
    {
      code: 'evidence_broken',
      subject: 'evidence',
      level: 'red',
      sentence:
        unexplained > 0
          ? `${counted(unexplained, 'log entry is', 'log entries are')} not signed by your key.`
          : `Run ${runId} could not record or store all evidence.`,
      todo:
        unexplained > 0
          ? 'Run `callsheet audit unexplained` to list them; accept yours with --confirm, and reject ' +
            'others with --reject.'
          : `Run \`callsheet runs ${runId}\` to see why, and \`callsheet verify\` to check the evidence.`,
      sinceMs: first.endedMs,
    },
  ]
}

/**
 * Reports missing cosignatures in amber: no evidence is missing, and the next run contacts the witnesses
 * again.
 */
function unwitnessed({ evidence }: HealthFacts): FoundCause[] {
  const good = evidence.findLastIndex((run) => run.unwitnessed === undefined)
  const [first, last] = [evidence[good + 1], evidence.at(-1)]
  if (first === undefined || last?.unwitnessed === undefined) return []
  return [
    {
      code: 'evidence_broken',
      subject: 'witnesses',
      level: 'amber',
      sentence: `Too few witnesses cosigned the evidence: ${last.unwitnessed}.`,
      todo:
        'The next run asks the witnesses again. If cosignatures are still missing then, ' +
        `\`callsheet runs ${last.runId}\` shows what each witness answered.`,
      sinceMs: first.endedMs,
    },
  ]
}

function altered({ verifications }: HealthFacts): FoundCause[] {
  const good = verifications.findLastIndex(({ findings }) => findings === 0)
  const bad = verifications.slice(good + 1)
  const [first, last] = [bad[0], bad.at(-1)]
  if (first === undefined || last === undefined) return []
  return [
    {
      code: 'evidence_broken',
      subject: 'verification',
      level: 'red',
      sentence: `The last verification of the evidence found ${counted(last.findings, 'problem')}.`,
      todo:
        'Run `callsheet verify`, which lists each one with what was expected and found. Then run ' +
        '`callsheet archive`, which downloads damaged files again, and verify once more.',
      sinceMs: first.endedMs,
    },
  ]
}

const HELD = {
  level: 'amber',
  todo:
    'When the case is over, release the hold. Run `callsheet archive hold list` to see the name ' +
    'of the hold.',
} as const
const ONLY_HELD = (request: number): string =>
  `Erasure request ${request} is done except for data under a legal hold.`
const LATE = {
  level: 'red',
  todo: 'Run `callsheet erase --due --yes`; `callsheet erase --list` shows what is left.',
} as const
const PAST = (request: number): string => `Erasure request ${request} is past its deadline.`
const NEAR = { level: 'amber', todo: 'Run `callsheet erase --due --yes`.' } as const
