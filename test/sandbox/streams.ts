import type { Stream } from '../../src/core/declare/stream.ts'
import { classificationLabels } from '../../src/resources/classification-labels.ts'
import * as settings from '../../src/resources/number-settings.ts'
import * as peering from '../../src/resources/peering-numbers.ts'
import * as numberDetails from '../../src/resources/phone-number-details.ts'
import * as numbers from '../../src/resources/phone-numbers.ts'
import { portedOrderDetails } from '../../src/resources/ported-order-details.ts'
import * as recordingDetails from '../../src/resources/recording-details.ts'
import * as recordings from '../../src/resources/recordings.ts'
import { sessionReports } from '../../src/resources/session-reports.ts'
import { smsConsentDetails } from '../../src/resources/sms-consent-details.ts'
import * as consents from '../../src/resources/sms-consents.ts'
import { storageLocationDetails, storageLocations } from '../../src/resources/storage-locations.ts'
import * as userDetails from '../../src/resources/user-details.ts'
import { users } from '../../src/resources/users.ts'
import * as archives from '../../src/resources/whiteboard-archives.ts'
import { whiteboardCollaborators } from '../../src/resources/whiteboard-collaborators.ts'
import { whiteboardContent } from '../../src/resources/whiteboard-content.ts'
import * as whiteboards from '../../src/resources/whiteboards.ts'
import type { LabelQuotas } from '../../src/sandbox/company/options.ts'

export const ALL_STREAMS: readonly Stream[] = [
  users,
  userDetails.userDetails,
  userDetails.userPhoneNumbers,
  sessionReports,
  numbers.phoneNumbers,
  numbers.phoneNumberAssignments,
  numberDetails.phoneNumberDetails,
  numberDetails.phoneNumberAssignmentDetails,
  consents.smsConsents,
  smsConsentDetails,
  consents.smsConsentNumbers,
  settings.portedOrders,
  portedOrderDetails,
  settings.sipGroups,
  settings.sipTrunks,
  peering.peeringNumbers,
  peering.carrierPeeringNumbers,
  archives.whiteboardSessions,
  archives.whiteboardParticipants,
  archives.whiteboardActivities,
  whiteboards.whiteboards,
  classificationLabels,
  whiteboardCollaborators,
  whiteboardContent,
  recordings.recordingSessions,
  recordings.recordingFiles,
  recordings.recordingParticipantFiles,
  recordingDetails.recordingDetails,
  recordingDetails.recordingAudioFiles,
  storageLocations,
  storageLocationDetails,
  recordings.trashedRecordings,
  recordings.trashedRecordingFiles,
]

export const SMALL_SIZES = {
  users: 900,
  sessions: 3000,
  whiteboards: 300,
  activities: 4000,
  recordings: 1000,
  numbers: 1100,
}

/** For who reads details one by one, as fast as a machine can. */
export const WIDE_QUOTAS: LabelQuotas = {
  LIGHT: { perSecond: 1_000_000, pool: 'LIGHT' },
  MEDIUM: { perSecond: 1_000_000, pool: 'MEDIUM' },
  HEAVY: { perSecond: 1_000_000, pool: 'HEAVY' },
  'RESOURCE-INTENSIVE': { perMinute: 1_000_000, pool: 'HEAVY' },
}
