import { DAY_MS, parseInstant, utcDay } from '../../core/time/time.ts'
import type { WireRecord } from '../../core/values/wire-record.ts'
import {
  readList,
  recordings,
  sessionReports,
  users,
  type WindowList,
  whiteboardSessions,
  whiteboards,
  withoutPageSize,
} from './lists.ts'
import { fieldsOf, type Probe, type Probed, type Reading, recordsOf, refusalText } from './probe.ts'

const USERS_STATUS: Probe = {
  id: 'default-status.users',
  lines: ['query-users', 'narrowing'],
  assumption: 'without a status only active users are listed',
  operations: [users.operation],
  mostReads: 3,
  async run(reader) {
    const bare = await reader.read(withoutPageSize(users))
    if (bare.refusal !== undefined) return refused(bare, 'a sync always names the status')
    const active = await readList(reader, users, { page_size: 1 })
    const others = await readList(reader, users, { status: 'inactive', page_size: 1 })
    const [all, some, rest] = [bare, active, others].map((one) => totalOf(one))
    const odd = recordsOf(bare).filter(({ status = 'active' }) => status !== 'active').length
    const facts = { shown: all ?? -1, active: some ?? -1, inactive: rest ?? -1 }
    if (odd > 0 || (all !== undefined && some !== undefined && all !== some))
      return {
        verdict: 'differs',
        found: `others are among them: ${all ?? 'an unknown number'} where ${some ?? '?'} are active`,
        means: 'nothing for a sync, which reads each status by its name',
        facts,
      }
    if (rest === undefined || rest === 0 || all === undefined)
      return { verdict: 'unclear', found: 'there is nobody who is not active', facts }
    return { verdict: 'holds', found: `${all} are shown, and ${rest} inactive ones are not`, facts }
  },
}

const SESSIONS_TYPE: Probe = {
  id: 'default-type.session_reports',
  lines: ['query-sessions', 'narrowing'],
  assumption: 'without a type only live sessions are listed',
  operations: [sessionReports.operation],
  mostReads: 2,
  async run(reader) {
    const { type: _type, ...query } = sessionReports.query(reader.nowMs)
    const bare = await reader.read(withoutPageSize(sessionReports), { query })
    if (bare.refusal !== undefined) return refused(bare, 'a sync always names the type')
    const past = await readList(reader, sessionReports, {})
    const ended = new Set(recordsOf(past).map(({ id }) => id))
    const shown = recordsOf(bare)
    const common = shown.filter(({ id }) => ended.has(id)).length
    const facts = { shown: shown.length, past: ended.size, common }
    if (common > 0)
      return {
        verdict: 'differs',
        found: `${common} of ${shown.length} that are shown have ended`,
        means: 'nothing for a sync, which asks for past ones by name',
        facts,
      }
    if (ended.size === 0) return { verdict: 'unclear', found: 'there were no past sessions', facts }
    return { verdict: 'holds', found: `none of the ${ended.size} past ones is shown`, facts }
  },
}

/** The lists that work without a time window; the one of sessions requires its bounds. */
const windowDefaults: readonly Probe[] = [whiteboardSessions, whiteboards, recordings].map(
  (list) => ({
    id: `default-window.${list.name}`,
    lines: ['narrowing', list.line],
    assumption: 'without from and to only today is listed',
    operations: [list.operation],
    mostReads: 2,
    async run(reader) {
      const bare = await reader.read(withoutPageSize(list))
      if (bare.refusal !== undefined) return refused(bare, 'a sync always names both bounds')
      const { from, to } = fieldsOf(bare)
      const today = utcDay(reader.nowMs)
      if (typeof from === 'string' && typeof to === 'string') return byEcho([from, to], today)
      return byRecords(list, { bare, wide: await readList(reader, list, {}), nowMs: reader.nowMs })
    },
  }),
)

export const defaults: readonly Probe[] = [USERS_STATUS, SESSIONS_TYPE, ...windowDefaults]

function byEcho([from, to]: readonly [string, string], today: string): Probed {
  const facts = { from, to }
  if (from.slice(0, 10) === today && to.slice(0, 10) === today)
    return { verdict: 'holds', found: `answered for ${from} to ${to}`, facts }
  return { verdict: 'differs', found: `answered for ${from} to ${to}`, means: NAMED, facts }
}

/** If the answer does not name its time window, its records show it. */
function byRecords(
  { dated }: WindowList,
  { bare, wide, nowMs }: { bare: Reading; wide: Reading; nowMs: number },
): Probed {
  const dayBefore = nowMs - DAY_MS
  const older = (reading: Reading): number =>
    recordsOf(reading).filter((record) => (timeOf(record, dated) ?? nowMs) < dayBefore).length
  const facts = { older_shown: older(bare), older_there: older(wide) }
  if (facts.older_shown > 0)
    return {
      verdict: 'differs',
      found: `${facts.older_shown} older ones are listed`,
      means: NAMED,
      facts,
    }
  if (facts.older_there === 0)
    return { verdict: 'unclear', found: 'nothing older is there that could be hidden', facts }
  return {
    verdict: 'holds',
    found: `none of at least ${facts.older_there} older ones is listed`,
    facts,
  }
}

/** A record's field as epoch milliseconds. */
export function timeOf(record: WireRecord, field: string): number | undefined {
  const value = record[field]
  const instant = typeof value === 'string' ? parseInstant(value) : undefined
  return instant === undefined ? undefined : Date.parse(instant)
}

function totalOf(reading: Reading): number | undefined {
  const { total_records: total } = fieldsOf(reading)
  return typeof total === 'number' ? total : undefined
}

function refused(reading: Reading, means: string): Probed {
  return { verdict: 'differs', found: `it is refused: ${refusalText(reading)}`, means }
}

const NAMED = 'nothing for a sync, which always names both bounds'
