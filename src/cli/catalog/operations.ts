import type { Operation } from '../../core/declare/operation.ts'
import * as labels from '../../resources/classification-labels.ts'
import * as me from '../../resources/me.ts'
import * as numberChanges from '../../resources/number-changes.ts'
import * as numberSettings from '../../resources/number-settings.ts'
import * as peering from '../../resources/peering-numbers.ts'
import { getPhoneNumber, listPhoneNumbers } from '../../resources/phone-numbers.ts'
import * as recordingChanges from '../../resources/recording-changes.ts'
import { downloadRecordingFile } from '../../resources/recording-downloads.ts'
import { getSessionRecordings, listRecordings } from '../../resources/recordings.ts'
import { listSessionReports } from '../../resources/session-reports.ts'
import * as consents from '../../resources/sms-consents.ts'
import * as storage from '../../resources/storage-locations.ts'
import { getUser, listUsers } from '../../resources/users.ts'
import * as archives from '../../resources/whiteboard-archives.ts'
import * as collaborators from '../../resources/whiteboard-collaborators.ts'
import * as content from '../../resources/whiteboard-content.ts'
import { listWhiteboards } from '../../resources/whiteboards.ts'

/** Every operation of the API, in the order of its documents. */
export const operations: readonly Operation[] = [
  getUser,
  me.updateMe,
  me.getMyToken,
  me.listMyMeetings,
  me.createMyMeeting,
  listUsers,
  archives.listWhiteboardSessions,
  archives.downloadArchivedFile,
  archives.getWhiteboardSession,
  labels.listClassificationLabels,
  labels.createClassificationLabel,
  labels.getClassificationLabel,
  labels.deleteClassificationLabel,
  labels.updateClassificationLabel,
  labels.applyClassification,
  labels.removeClassification,
  collaborators.listWhiteboardCollaborators,
  collaborators.shareWhiteboard,
  collaborators.changeCollaborators,
  collaborators.removeCollaborator,
  content.getWhiteboardContent,
  content.saveWhiteboardContent,
  content.deleteWhiteboardContent,
  listWhiteboards,
  storage.updateStorageSettings,
  storage.listStorageLocations,
  storage.createStorageLocation,
  storage.getStorageLocation,
  storage.deleteStorageLocation,
  storage.updateStorageLocation,
  listRecordings,
  getSessionRecordings,
  recordingChanges.deleteRecordings,
  recordingChanges.recoverRecordings,
  recordingChanges.deleteRecordingFile,
  recordingChanges.recoverRecordingFile,
  downloadRecordingFile,
  listSessionReports,
  recordingChanges.createSession,
  peering.listCarrierPeeringNumbers,
  peering.listPeeringNumbers,
  peering.addPeeringNumbers,
  peering.removePeeringNumbers,
  peering.updatePeeringNumbers,
  numberChanges.allocateNumbers,
  numberChanges.addSuppliedNumbers,
  listPhoneNumbers,
  numberChanges.deleteNumbers,
  getPhoneNumber,
  consents.listSmsConsents,
  consents.createSmsConsent,
  consents.deleteSmsConsents,
  consents.getSmsConsent,
  consents.updateSmsConsent,
  consents.listSmsConsentNumbers,
  consents.addSmsConsentNumbers,
  consents.removeSmsConsentNumbers,
  numberSettings.listPortedOrders,
  numberSettings.getPortedOrder,
  numberSettings.listSipGroups,
  numberSettings.listSipTrunks,
]
