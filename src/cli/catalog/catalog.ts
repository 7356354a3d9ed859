import type { Migration } from 'kysely/migration'
import numberDetails from '../../../jobs/number-details.ts'
import numberSettings from '../../../jobs/number-settings.ts'
import phoneNumbers from '../../../jobs/phone-numbers.ts'
import recordingDetails from '../../../jobs/recording-details.ts'
import recordings from '../../../jobs/recordings.ts'
import sessionReports from '../../../jobs/session-reports.ts'
import userDetails from '../../../jobs/user-details.ts'
import users from '../../../jobs/users.ts'
import whiteboardArchives from '../../../jobs/whiteboard-archives.ts'
import whiteboards from '../../../jobs/whiteboards.ts'
import * as engine from '../../../migrations/0001_engine.ts'
import * as usersTables from '../../../migrations/0002_users.ts'
import * as whiteboardTables from '../../../migrations/0003_whiteboard_archives.ts'
import * as sessionReportTables from '../../../migrations/0004_session_reports.ts'
import * as recordingTables from '../../../migrations/0005_recordings.ts'
import * as phoneNumberTables from '../../../migrations/0006_phone_numbers.ts'
import * as reportViews from '../../../migrations/0007_report_views.ts'
import * as partitionsAndPublic from '../../../migrations/0008_partitions_and_public.ts'
import * as batchTables from '../../../migrations/0009_batches.ts'
import * as archiveTables from '../../../migrations/0010_archive_files.ts'
import * as evidenceTables from '../../../migrations/0011_evidence.ts'
import * as whiteboardListTables from '../../../migrations/0012_whiteboards.ts'
import * as activityTimes from '../../../migrations/0013_activity_times.ts'
import * as callTables from '../../../migrations/0014_calls.ts'
import * as numberSettingTables from '../../../migrations/0015_number_settings.ts'
import * as loginColumns from '../../../migrations/0016_logins.ts'
import * as phoneNumberDetailTables from '../../../migrations/0017_phone_number_details.ts'
import * as portedOrderDetailTables from '../../../migrations/0018_ported_order_details.ts'
import * as recordingDetailTables from '../../../migrations/0019_recording_details.ts'
import * as userDetailTables from '../../../migrations/0020_user_details.ts'
import * as storageLocationTables from '../../../migrations/0021_storage_locations.ts'
import * as peeringNumberTables from '../../../migrations/0022_peering_numbers.ts'
import * as notificationTables from '../../../migrations/0023_notifications.ts'
import * as locationDetailTables from '../../../migrations/0024_storage_location_details.ts'
import * as erasureTables from '../../../migrations/0025_erasures.ts'
import * as enteredFiles from '../../../migrations/0026_entered_files.ts'
import * as enteredAfter from '../../../migrations/0027_entered_after.ts'
import * as partialRuns from '../../../migrations/0028_partial_runs.ts'
import * as appliedLabelCalls from '../../../migrations/0029_applied_label_calls.ts'
import * as callsToFollow from '../../../migrations/0030_calls_to_follow.ts'
import * as suppressionsByRequest from '../../../migrations/0031_suppressions_by_request.ts'
import * as noList from '../../../migrations/0032_no_list.ts'
import * as foundReadings from '../../../migrations/0033_found_readings.ts'
import * as warrants from '../../../migrations/0034_warrants.ts'
import * as placedFiles from '../../../migrations/0037_placed_files.ts'
import * as unveiled from '../../../migrations/0038_unveiled.ts'
import * as windowsAsAsked from '../../../migrations/0039_windows_as_asked.ts'
import * as filesSaidAbsent from '../../../migrations/0041_files_said_absent.ts'
import * as plainValues from '../../../migrations/0049_plain_values.ts'
import * as documentedFields from '../../../migrations/0050_documented_fields.ts'
import * as apiUrls from '../../../migrations/0055_api_urls.ts'
import * as lostFiles from '../../../migrations/0056_lost_files.ts'
import * as provenSuppressions from '../../../migrations/0057_proven_suppressions.ts'
import * as unreadableInstants from '../../../migrations/0058_unreadable_instants.ts'
import * as runsOfBackslashes from '../../../migrations/0059_runs_of_backslashes.ts'
import * as fieldWords from '../../../migrations/0060_field_words.ts'
import numberInventory from '../../../reports/number-inventory.ts'
import sessionQuality from '../../../reports/session-quality.ts'
import whiteboardAudit from '../../../reports/whiteboard-audit.ts'
import whiteboardPerson from '../../../reports/whiteboard-person.ts'
import type { Desired } from '../../core/declare/desired.ts'
import type { Job } from '../../core/declare/job.ts'
import type { Report } from '../../core/declare/report.ts'
import type { Stream } from '../../core/declare/stream.ts'
import { desiredBoards } from '../../desired/boards.ts'
import { desiredConsents } from '../../desired/consents.ts'
import { desiredLabels } from '../../desired/labels.ts'
import { desiredNumbers } from '../../desired/numbers.ts'
import { desiredRecordings } from '../../desired/recordings.ts'

/** Every job there is, in the order in which a full sync lists them; what lists parents comes first. */
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

/** Every stream that a job reads, and so every table of data. */
export const streams: readonly Stream[] = jobs.flatMap((job) => job.streams)

/** Every report there is. */
export const reports: readonly Report[] = [
  sessionQuality,
  numberInventory,
  whiteboardAudit,
  whiteboardPerson,
]

/** Everything of which a file can say how it shall be, in the order in which it is sent. */
export const desired = [
  desiredNumbers,
  desiredConsents,
  desiredLabels,
  desiredBoards,
  desiredRecordings,
] as readonly Desired<unknown>[]

/** By name, in the order in which they are applied. */
export const migrations: Readonly<Record<string, Migration>> = {
  '0001_engine': engine,
  '0002_users': usersTables,
  '0003_whiteboard_archives': whiteboardTables,
  '0004_session_reports': sessionReportTables,
  '0005_recordings': recordingTables,
  '0006_phone_numbers': phoneNumberTables,
  '0007_report_views': reportViews,
  '0008_partitions_and_public': partitionsAndPublic,
  '0009_batches': batchTables,
  '0010_archive_files': archiveTables,
  '0011_evidence': evidenceTables,
  '0012_whiteboards': whiteboardListTables,
  '0013_activity_times': activityTimes,
  '0014_calls': callTables,
  '0015_number_settings': numberSettingTables,
  '0016_logins': loginColumns,
  '0017_phone_number_details': phoneNumberDetailTables,
  '0018_ported_order_details': portedOrderDetailTables,
  '0019_recording_details': recordingDetailTables,
  '0020_user_details': userDetailTables,
  '0021_storage_locations': storageLocationTables,
  '0022_peering_numbers': peeringNumberTables,
  '0023_notifications': notificationTables,
  '0024_storage_location_details': locationDetailTables,
  '0025_erasures': erasureTables,
  '0026_entered_files': enteredFiles,
  '0027_entered_after': enteredAfter,
  '0028_partial_runs': partialRuns,
  '0029_applied_label_calls': appliedLabelCalls,
  '0030_calls_to_follow': callsToFollow,
  '0031_suppressions_by_request': suppressionsByRequest,
  '0032_no_list': noList,
  '0033_found_readings': foundReadings,
  '0034_warrants': warrants,
  '0037_placed_files': placedFiles,
  '0038_unveiled': unveiled,
  '0039_windows_as_asked': windowsAsAsked,
  '0041_files_said_absent': filesSaidAbsent,
  '0049_plain_values': plainValues,
  '0050_documented_fields': documentedFields,
  '0055_api_urls': apiUrls,
  '0056_lost_files': lostFiles,
  '0057_proven_suppressions': provenSuppressions,
  '0058_unreadable_instants': unreadableInstants,
  '0059_runs_of_backslashes': runsOfBackslashes,
  '0060_field_words': fieldWords,
}
