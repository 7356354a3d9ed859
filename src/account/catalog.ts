import accessReviewReport from '../../jobs/access-review-report.ts'
import numberDetails from '../../jobs/number-details.ts'
import numberInventoryReport from '../../jobs/number-inventory-report.ts'
import numberSettings from '../../jobs/number-settings.ts'
import phoneNumbers from '../../jobs/phone-numbers.ts'
import reconciliationReport from '../../jobs/reconciliation-report.ts'
import recordingDetails from '../../jobs/recording-details.ts'
import recordings from '../../jobs/recordings.ts'
import recordingsReport from '../../jobs/recordings-report.ts'
import sessionQualityReport from '../../jobs/session-quality-report.ts'
import sessionReports from '../../jobs/session-reports.ts'
import userDetails from '../../jobs/user-details.ts'
import users from '../../jobs/users.ts'
import whiteboardArchives from '../../jobs/whiteboard-archives.ts'
import whiteboardAuditReport from '../../jobs/whiteboard-audit-report.ts'
import whiteboards from '../../jobs/whiteboards.ts'
import accessReview from '../../reports/access-review.ts'
import numberInventory from '../../reports/number-inventory.ts'
import reconciliation from '../../reports/reconciliation.ts'
import recordingStock from '../../reports/recordings.ts'
import sessionQuality from '../../reports/session-quality.ts'
import whiteboardAudit from '../../reports/whiteboard-audit.ts'
import { desiredBoards } from '../apply/desired/boards.ts'
import { desiredConsents } from '../apply/desired/consents.ts'
import { desiredLabels } from '../apply/desired/labels.ts'
import { desiredNumbers } from '../apply/desired/numbers.ts'
import { desiredRecordings } from '../apply/desired/recordings.ts'
import type { Desired } from '../core/define/desired.ts'
import type { Job, ReportJob } from '../core/define/job.ts'
import type { Report } from '../core/define/report.ts'
import type { Stream } from '../core/define/stream.ts'

/** All jobs, in the order of a full sync; jobs that list parents come first. */
export const jobs: readonly Job[] = [
  users,
  phoneNumbers,
  numberSettings,
  whiteboardArchives,
  whiteboards,
  sessionReports,
  recordings,
  numberDetails,
  recordingDetails,
  userDetails,
]

export const reportJobs: readonly ReportJob[] = [
  sessionQualityReport,
  numberInventoryReport,
  accessReviewReport,
  recordingsReport,
  whiteboardAuditReport,
  reconciliationReport,
]

/** All streams that jobs read, and so all data tables. */
export const streams: readonly Stream[] = jobs.flatMap((job) => job.streams)

export const reports: readonly Report[] = [
  sessionQuality,
  numberInventory,
  accessReview,
  recordingStock,
  whiteboardAudit,
  reconciliation,
]

/** All file sources, whose rows represent files. */
export const files = jobs.flatMap(({ archive }) => (archive === undefined ? [] : [archive]))

export const catalog = { jobs, reportJobs, reports, streams, files }

/** Everything that `callsheet apply` can change, in the order in which changes are sent. */
export const desired = [
  desiredNumbers,
  desiredConsents,
  desiredLabels,
  desiredBoards,
  desiredRecordings,
] as readonly Desired<unknown>[]
