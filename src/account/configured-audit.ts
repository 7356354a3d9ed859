import { jobsOf } from '../config/account-jobs.ts'
import type { AccountSettings } from '../config/account-settings.ts'
import { NEVER } from '../config/fields.ts'
import type { Config } from '../config/schema.ts'
import { historyLimitOf } from '../core/define/history-limit.ts'
import type { Stream } from '../core/define/stream.ts'
import type { AuditSettings } from '../core/records/audit-settings.ts'
import { longestWaitMs } from '../core/time/longest-wait.ts'
import { DAY_MS } from '../core/time/time.ts'
import { jobs } from './catalog.ts'

export function auditSettings(config: Config, settings: AccountSettings): AuditSettings {
  const { archive, ledger, timezone } = config
  const due = jobsOf(config, settings)
  return {
    jobs: jobs.flatMap(({ name: job, streams, archive: files }) => {
      const own = due[job]
      const fetches =
        files !== undefined && (files.kind === 'activity' ? archive.files : archive.recordings)
      if (!fetches && !streams.some(isAudited)) return []
      const read = streams.map((stream) => ({
        stream: stream.name,
        audited: isAudited(stream),
        history_days: historyDaysOf(stream, settings.historyDays),
      }))
      const when = own ?? { schedule: NEVER, timezone }
      const wait = own === undefined ? DAY_MS : longestWaitMs(own)
      return [{ job, enabled: own !== undefined, ...when, longest_wait_ms: wait, streams: read }]
    }),
    files: [
      ...(archive.files ? [{ kind: 'activity', most_days: null, most_bytes: null }] : []),
      ...(archive.recordings
        ? [
            {
              kind: 'recording',
              most_days: archive.recordingsDays,
              most_bytes: archive.recordingsBytes,
            },
          ]
        : []),
    ],
    retention: archive.retention.map(({ keepDays, ...of }) => ({ keep_days: keepDays, ...of })),
    ledger_months: ledger.keepMonths,
  }
}

const isAudited = ({ audited }: Stream): boolean => audited === true

function historyDaysOf({ sync }: Stream, historyDays: number): number | null {
  return sync.kind === 'windows' ? historyLimitOf(sync, historyDays) : null
}
