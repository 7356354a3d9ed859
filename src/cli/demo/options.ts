import type { ExportedAudit } from '../../engine/export/exporting.ts'
import type { PublishedReport } from '../../engine/report/publish-report.ts'
import type { RunResult } from '../../engine/run/run-types.ts'
import type { OpenAccount } from '../accounts/open-account.ts'
import type { CommonOptions } from '../frame/command.ts'
import type { ChangeCounts } from './demo-service.ts'
import type { DemoState } from './state.ts'

export interface DemoOptions extends CommonOptions {
  mutate?: boolean
  reset?: boolean
  database?: boolean
  out: string
}

/** What one demo did, for its summary. */
export interface DemoOutcome {
  first: boolean
  changes: Record<string, ChangeCounts> | undefined
  results: readonly RunResult[]
  labels: ReturnType<OpenAccount['governor']['stats']>
  published: readonly { title: string; report: PublishedReport }[]
  /** The evidence of a week, as an auditor is given it. */
  bundle: ExportedAudit | undefined
  state: DemoState
  elapsedMs: number
}
