import { lowSentence } from '../../core/records/low-text.ts'
import { DAY_MS } from '../../core/time/time.ts'
import { counted } from '../../core/values/quantities.ts'
import { capitalize } from '../../core/values/text.ts'
import { ACCOUNT_ELSEWHERE } from '../../warehouse/ledger/moved.ts'
import type { FoundCause } from './causes.ts'
import type { HealthFacts, RefusedFacts } from './facts.ts'
import { namesOf, plainProblem } from './problems.ts'

/** Reports deletions that the deletion guard held back and that nobody has approved. */
export function judgeWaitingDrops({ drops }: HealthFacts): FoundCause[] {
  return drops.map(({ stream, runId, missing, owned, sinceMs }) => ({
    code: 'drop_waiting',
    subject: stream,
    level: 'red',
    sentence: `${stream}: run ${runId} did not find ${missing} of ${owned} rows and deleted none.`,
    todo:
      'If the service still has these rows, do nothing: Callsheet keeps them. ' +
      `If the service deleted them, run \`callsheet sync --approve ${runId}\``,
    sinceMs,
  }))
}

/** Reports a missing or ended login, and one that ends soon, for an app that needs a login by a person. */
export function judgeLogin(facts: HealthFacts, nowMs: number): FoundCause[] {
  const { login, account } = facts
  if (login === undefined) return []
  const { state, endsMs } = login
  const cause = {
    code: 'login_ended',
    subject: 'login',
    todo: `Run \`callsheet login --account ${account}\``,
  } as const
  if (state === 'missing')
    return [
      {
        ...cause,
        level: 'red',
        sentence: 'Nobody has logged in, so nothing can be synced.',
        sinceMs: facts.firstMs ?? nowMs,
      },
    ]
  const over = endsMs !== undefined && endsMs <= nowMs
  if (state === 'ended' || over) {
    const sinceMs = over ? endsMs : lastWorked(facts, nowMs)
    return [{ ...cause, level: 'red', sentence: 'The login has ended.', sinceMs }]
  }
  if (endsMs === undefined || endsMs - nowMs > LOGIN_NOTICE_MS) return []
  const day = new Date(endsMs).toISOString().slice(0, 10)
  return [
    {
      ...cause,
      level: 'amber',
      sentence: `The login expires on ${day} unless a run renews it.`,
      sinceMs: endsMs - LOGIN_NOTICE_MS,
    },
  ]
}

/**
 * Returns when a job was last complete, as the last sign of a working login. No ledger records when a renewal
 * was refused.
 */
function lastWorked({ jobs, firstMs }: HealthFacts, nowMs: number): number {
  const done = jobs.flatMap(({ lastDoneMs }) => lastDoneMs ?? [])
  return done.length > 0 ? Math.max(...done) : (firstMs ?? nowMs)
}

/**
 * Reports streams that the account may not read, grouped by reason. A cause is red if its streams could be
 * read before.
 */
export function judgeRefused({ refused }: HealthFacts): FoundCause[] {
  const groups = Map.groupBy(refused, (one) => lackOf(one) ?? one.stream)
  return [...groups].map(([subject, same]) => {
    const wasRead = same.some((one) => one.wasRead)
    const many = same.length > 1
    const { said, todo } = refusalOf(same)
    return {
      code: 'not_allowed',
      subject,
      level: wasRead ? 'red' : 'amber',
      sentence:
        `${namesOf(same.map(({ stream }) => stream))} ${many ? 'are' : 'is'} not allowed, and ` +
        `${many ? 'were' : 'was'} ${wasRead ? 'read before' : 'never read'}${said}.`,
      todo,
      sinceMs: Math.min(...same.map(({ sinceMs }) => sinceMs)),
    }
  })
}

/**
 * Returns the subject of a refusal: the service's response, or one subject for all missing scopes, because a
 * person adds all of them together. Undefined if the reason has neither.
 */
function lackOf({ reason = '', wasRead }: RefusedFacts): string | undefined {
  const lack = SCOPE.test(reason) ? 'missing scopes' : ANSWER.exec(reason)?.[0]
  return lack === undefined || wasRead ? lack : `${lack}, never read`
}

/** Returns a summary without texts of the service, and the remedy. */
function refusalOf(refused: readonly RefusedFacts[]): { said: string; todo: string } {
  const scopes = new Set(refused.flatMap(({ reason = '' }) => SCOPE.exec(reason)?.[1] ?? []))
  if (scopes.size > 0) {
    const named = `the scope${scopes.size > 1 ? 's' : ''} ${[...scopes].toSorted().join(', ')}`
    const todo = `Add ${named} to the app, then run \`callsheet logout\`.`
    return { said: `: the token lacks ${named}`, todo }
  }
  const reason = plainProblem(refused[0]?.reason ?? '')
  const answer = ANSWER.exec(reason)?.[0]
  const todo = /What to do: (.*?)\.?$/.exec(reason)?.[1]
  return {
    said: answer === undefined ? '' : `: ${answer}`,
    todo:
      todo === undefined
        ? 'Run `callsheet doctor` to see what is refused, add the missing scope or feature, then run ' +
          '`callsheet logout`.'
        : `${capitalize(todo)}.`,
  }
}

/** Reports records that the newest reads of a stream quarantined. All other records are stored. */
export function judgeSetAside({ setAside = [] }: HealthFacts): FoundCause[] {
  return setAside.map(({ stream, records, sinceMs }) => ({
    code: 'records_quarantined',
    subject: stream,
    level: 'amber',
    sentence:
      `${counted(records, 'record')} of ${stream} could not be stored and ` +
      `${records === 1 ? 'was' : 'were'} quarantined.`,
    todo:
      'Read the reasons in the table callsheet.quarantine (`callsheet psql` opens the database), and ' +
      "report the records to the service's support.",
    sinceMs,
  }))
}

/** Reports streams with far fewer new records than usual. All streams of a quiet account are one cause. */
export function judgeVolume({ low = [] }: HealthFacts): FoundCause[] {
  const groups = Map.groupBy(low, ({ general, stream, of }) =>
    general ? 'all streams' : of === undefined ? stream : `parts of ${of}`,
  )
  return [...groups].map(([subject, same]) => {
    const told = same.every(({ notifications }) => notifications === true)
    const names = namesOf(same.map(({ stream }) => stream))
    const check = told
      ? 'check that `callsheet serve` runs and that the service sends its notifications to that address'
      : "ask the service's support why its lists lack records"
    return {
      code: 'volume_low',
      subject,
      level: 'amber',
      sentence: lowSentence(same, names),
      todo: `If people worked as usual on those days, ${check}.`,
      sinceMs: Math.min(...same.map(({ fromDay }) => fromDay)) * DAY_MS,
    }
  })
}

/** Reports daily quotas that are too small for today's remaining jobs. */
export function judgeQuotas({ quotas }: HealthFacts, nowMs: number): FoundCause[] {
  return quotas
    .filter(({ planned, left = planned }) => planned > left)
    .map(({ pool, planned, left }) => ({
      code: 'quota_short',
      subject: pool,
      level: 'amber',
      sentence: `Today's jobs need ${planned} ${pool} calls; the daily quota has ${left} left.`,
      todo: 'Nothing to do: runs resume after 00:00 UTC. `callsheet plan` shows which jobs need the calls.',
      sinceMs: nowMs,
    }))
}

const SCOPE = /Expected: a token with the scope ([\w:.-]*[\w:-](?: or [\w:.-]*[\w:-])*)/
const ANSWER = /HTTP \d+(?: with code [\w-]+)?/
const LOGIN_NOTICE_MS = 7 * DAY_MS

/** Reports why no work on the account begins in this database. It stays so until a person has acted. */
export function judgeDatabase({ unusable }: HealthFacts, nowMs: number): FoundCause[] {
  if (unusable === undefined) return []
  const { came, todo = '' } = unusable.facts
  return [
    {
      code: unusable.code === ACCOUNT_ELSEWHERE ? 'account_elsewhere' : 'database_restored',
      subject: 'database',
      level: 'red',
      sentence: `No work begins: ${came}.`,
      todo: `${capitalize(todo)}.`,
      sinceMs: nowMs,
    },
  ]
}
