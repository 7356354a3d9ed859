import { nameOfCause } from '../../core/define/cause.ts'
import { levelOf } from '../health/causes.ts'
import type { PoolStatus } from '../health/quota-pools.ts'
import { type Metric, perAccount, type Series, seconds } from './metric.ts'

/** Metrics of accounts: health, lease, quota, drops, files and expiring archives. */
export const ACCOUNT_METRICS: readonly Metric[] = [
  perAccount(
    {
      name: 'callsheet_account_read_timestamp_seconds',
      help: 'When the values of the account were read from its ledgers.',
    },
    ({ readAtMs }) => [[{}, seconds(readAtMs)]],
  ),
  perAccount(
    {
      name: 'callsheet_account_health',
      help: '1 for the health of the account, 0 for the other levels.',
      labels: ['state'],
    },
    ({ causes }) =>
      (['green', 'amber', 'red'] as const).map((level) => [
        { state: level === 'green' ? 'good' : level },
        levelOf(causes) === level ? 1 : 0,
      ]),
  ),
  {
    name: 'callsheet_causes',
    help: 'Why accounts are not well: causes by code and level; without an account, of the installation.',
    labels: ['account', 'code', 'state'],
    of: (snapshots) => {
      const causes = snapshots.flatMap((snapshot) => snapshot.causes)
      const distinct = [...new Map(causes.map((cause) => [nameOfCause(cause), cause])).values()]
      const groups = Map.groupBy(distinct, ({ account = '', code, level }) =>
        JSON.stringify([account, code, level]),
      )
      return [...groups.values()].flatMap((same): Series => {
        const [first] = same
        if (first === undefined) return []
        const { account = '', code, level } = first
        return [[{ account, code, state: level }, same.length]]
      })
    },
  },
  perAccount(
    {
      name: 'callsheet_lease_held',
      help: '1 while a process syncs the account.',
    },
    ({ ledgers }) => [[{}, ledgers.syncingUntil === undefined ? 0 : 1]],
  ),
  perPool('callsheet_quota_spent_calls', 'Calls made today, which began at 00:00 UTC.', 'spent'),
  perPool('callsheet_quota_limit_calls', 'Calls of a day, less the reserve, where known.', 'limit'),
  perPool(
    'callsheet_quota_left_calls',
    'Calls that today has left, less the reserve, where the limit is known.',
    'left',
  ),
  perPool(
    'callsheet_quota_planned_calls',
    'Calls that a sync of all enabled jobs would take, if it began now.',
    'planned',
  ),
  perAccount(
    {
      name: 'callsheet_open_drops',
      help: 'Drops that the deletion guard holds back until a person approves them.',
      labels: ['stream'],
    },
    ({ ledgers }) => {
      const streams = Map.groupBy(ledgers.trippedGuards, ({ stream }) => stream)
      return [...streams].map(([stream, drops]) => [{ stream }, drops.length] as const)
    },
  ),
  perAccount(
    { name: 'callsheet_files', help: 'Files by state.', labels: ['kind', 'state'] },
    ({ archive }) =>
      archive.files.map(({ kind, state, files }) => [{ kind, state: snake(state) }, files]),
  ),
  perHorizon(
    'callsheet_archives_expiring',
    'Archives to fetch that expire within so many hours.',
    'archives',
  ),
  perHorizon(
    'callsheet_archives_out_of_reach',
    'Of these, the ones that the quota does not reach.',
    'lost',
  ),
]

function perPool(name: string, help: string, field: Exclude<keyof PoolStatus, 'pool'>): Metric {
  return perAccount({ name, help, labels: ['pool'] }, ({ quota }) =>
    quota.map((one) => [{ pool: one.pool }, one[field]] as const),
  )
}

function perHorizon(name: string, help: string, field: 'archives' | 'lost'): Metric {
  return perAccount({ name, help, labels: ['hours'] }, ({ archive }) =>
    (archive.deadlines?.horizons ?? []).map(
      (one) => [{ hours: String(one.hours) }, one[field]] as const,
    ),
  )
}

/** Label values have no spaces. */
function snake(state: string): string {
  return state.replaceAll(' ', '_')
}
