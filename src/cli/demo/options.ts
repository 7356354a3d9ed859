import type { OpenAccount } from '../../account/open-account.ts'
import type { ExportedAudit } from '../../audit/bundle/exporting.ts'
import type { PublishedReport } from '../../report/publish-report.ts'
import type { RunResult } from '../../sync/run/run-types.ts'
import type { CommonOptions } from '../frame/command.ts'
import type { ChangedRow } from './changed-rows.ts'
import type { ChangesByStream } from './demo-service.ts'

export interface DemoOptions extends CommonOptions {
  mutate?: boolean
  reset?: boolean
  database?: boolean
  out: string
}

/** The changes that one night's sync found, and the changes that the company made since the night before. */
export interface SyncedNight {
  results: readonly RunResult[]
  labels: ReturnType<OpenAccount['governor']['stats']>
  /** Undefined on the first night, when all rows are new. */
  changes: ChangesByStream | undefined
  /** Some of the changed rows. */
  changed: readonly ChangedRow[]
}

/** The reports and the evidence bundle of one night. */
export interface NightFiles {
  published: readonly { title: string; report: PublishedReport }[]
  /** The evidence of the week before last, as an auditor receives it. */
  bundle: ExportedAudit
}
