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
import {
  downloadArchivedFile,
  getWhiteboardSession,
  listWhiteboardSessions,
} from '../../resources/whiteboard-archives.ts'
import * as collaborators from '../../resources/whiteboard-collaborators.ts'
import * as content from '../../resources/whiteboard-content.ts'
import { listWhiteboards } from '../../resources/whiteboards.ts'
import { allocationAnswers } from '../numbers/allocation-answers.ts'
import { carrierNumberAnswers } from '../numbers/carrier-number-answers.ts'
import { consentAnswers } from '../numbers/consent-answers.ts'
import { consentNumberAnswers } from '../numbers/consent-number-answers.ts'
import { numberAnswers } from '../numbers/number-answers.ts'
import { numberSettingAnswers } from '../numbers/number-setting-answers.ts'
import { peeringAnswers } from '../numbers/peering-answers.ts'
import type { Answering } from '../protocol/call.ts'
import { userAnswers } from '../users/user-answers.ts'
import { recordingAnswers } from '../video/recording-answers.ts'
import { recordingChangeAnswers } from '../video/recording-changes.ts'
import { recordingDownloadAnswers } from '../video/recording-downloads.ts'
import { sessionAnswers } from '../video/session-answers.ts'
import { storageAnswers } from '../video/storage-answers.ts'
import { activityFileAnswers } from '../whiteboards/activity-files.ts'
import { boardAnswers } from '../whiteboards/board-answers.ts'
import { classificationAnswers } from '../whiteboards/classification-answers.ts'
import { collaboratorAnswers } from '../whiteboards/collaborator-answers.ts'
import { contentAnswers } from '../whiteboards/content-answers.ts'
import { labelAnswers } from '../whiteboards/label-answers.ts'
import { whiteboardAnswers } from '../whiteboards/whiteboard-answers.ts'
import { meAnswers } from './me-answers.ts'

/**
 * Routes only: paths, methods, labels to count under, and which bearer. What is answered is the sandbox's
 * own.
 */
export const operations: readonly Operation[] = [
  listUsers,
  getUser,
  me.updateMe,
  me.getMyToken,
  me.listMyMeetings,
  me.createMyMeeting,
  listPhoneNumbers,
  getPhoneNumber,
  listSessionReports,
  listRecordings,
  getSessionRecordings,
  recordingChanges.deleteRecordings,
  recordingChanges.recoverRecordings,
  recordingChanges.deleteRecordingFile,
  recordingChanges.recoverRecordingFile,
  recordingChanges.createSession,
  listWhiteboardSessions,
  getWhiteboardSession,
  listWhiteboards,
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
  downloadArchivedFile,
  downloadRecordingFile,
  peering.listCarrierPeeringNumbers,
  peering.listPeeringNumbers,
  peering.addPeeringNumbers,
  peering.removePeeringNumbers,
  peering.updatePeeringNumbers,
  numberChanges.allocateNumbers,
  numberChanges.addSuppliedNumbers,
  numberChanges.deleteNumbers,
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
  storage.updateStorageSettings,
  storage.listStorageLocations,
  storage.createStorageLocation,
  storage.getStorageLocation,
  storage.deleteStorageLocation,
  storage.updateStorageLocation,
]

export const answers: Readonly<Record<string, Answering>> = {
  ...userAnswers,
  ...peeringAnswers,
  ...allocationAnswers,
  ...carrierNumberAnswers,
  ...meAnswers,
  ...numberAnswers,
  ...consentAnswers,
  ...consentNumberAnswers,
  ...numberSettingAnswers,
  ...sessionAnswers,
  ...recordingAnswers,
  ...recordingChangeAnswers,
  ...recordingDownloadAnswers,
  ...whiteboardAnswers,
  ...boardAnswers,
  ...labelAnswers,
  ...classificationAnswers,
  ...collaboratorAnswers,
  ...contentAnswers,
  ...activityFileAnswers,
  ...storageAnswers,
}
