import type { Table } from '../../../src/core/define/report.ts'
import type { AuditSettings } from '../../../src/core/records/audit-settings.ts'
import type { Audited } from '../../../src/core/records/when-it-ran.ts'
import { zonedInstant } from '../../../src/core/time/zone.ts'
import { tableColumns, tableOf } from '../../shared/query.ts'
import type { AuditSource } from '../source.ts'

/** The audit settings from an instant on, and the person whose run recorded them. */
export interface NotedSettings extends Audited {
  notedBy: string
}

const COLUMNS = tableColumns([
  { name: 'what', title: 'Setting', format: 'text' },
  { name: 'name', title: 'Name', format: 'text' },
  { name: 'how', title: 'Value', format: 'text' },
  { name: 'since', title: 'Since', format: 'instant' },
  { name: 'until', title: 'Until', format: 'instant' },
  { name: 'noted_by', title: 'Recorded by', format: 'text' },
])

/** Lists each setting with the start and end of its validity. */
export function auditedTable({ timeZone }: AuditSource, audited: readonly NotedSettings[]): Table {
  const said: (Line & { since: string; until: string | null; noted_by: string })[] = []
  for (const { since, notedBy, settings } of audited) {
    const at = zonedInstant(Date.parse(since), timeZone)
    const now = linesOf(settings)
    const open = said.filter(({ until }) => until === null)
    for (const line of open) if (!now.some((one) => isSame(one, line))) line.until = at
    const fresh = now.filter((one) => !open.some((line) => isSame(line, one)))
    said.push(...fresh.map((line) => ({ ...line, since: at, until: null, noted_by: notedBy })))
  }
  const order = [...new Set(said.map(({ what }) => what))]
  const rows = order.flatMap((kind) => said.filter(({ what }) => what === kind))
  return tableOf({ title: 'Audit settings with each change', columns: COLUMNS }, rows)
}

interface Line {
  what: string
  name: string
  how: string
}

function isSame(one: Line, other: Line): boolean {
  return one.what === other.what && one.name === other.name && one.how === other.how
}

function linesOf({ jobs, files, retention, ledger_months: months }: AuditSettings): Line[] {
  return [
    ...jobs.map(({ job, enabled, schedule, timezone, longest_wait_ms: wait }) => ({
      what: 'job',
      name: job,
      how: enabled ? `${schedule} (${timezone}), at least every ${hours(wait)}` : 'off',
    })),
    ...jobs.flatMap(({ job, streams }) =>
      streams.map(({ stream, audited, history_days: days }) => ({
        what: 'stream',
        name: stream,
        how:
          `${days === null ? 'all available history' : `${days} days of history`}, by ${job}, ` +
          `${audited ? 'each record' : 'no record'} with evidence`,
      })),
    ),
    ...files.map(({ kind, most_days: days, most_bytes: bytes }) => ({
      what: 'files',
      name: kind,
      how: bounds(
        [days === null ? [] : `${days} days old`, bytes === null ? [] : `${bytes} bytes`].flat(),
      ),
    })),
    ...(files.length === 0 ? [{ what: 'files', name: 'none', how: 'not downloaded' }] : []),
    ...retention.map(({ keep_days: days, whiteboards, labels }) => ({
      what: 'retention',
      name: [...(whiteboards ?? []), ...(labels ?? [])].join(', ') || 'all other files',
      how: `kept ${days} days, and while on legal hold`,
    })),
    ...(retention.length === 0
      ? [{ what: 'retention', name: 'all files', how: 'kept forever' }]
      : []),
    {
      what: 'retention',
      name: 'ledger of slices',
      how: months === null ? 'kept forever' : `kept ${months} months`,
    },
  ]
}

function bounds(most: readonly string[]): string {
  return most.length === 0 ? 'all' : `up to ${most.join(' and ')}`
}

function hours(ms: number): string {
  const whole = ms / 3_600_000
  return `${Number.isInteger(whole) ? whole : whole.toFixed(1)} h`
}
