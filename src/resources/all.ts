import type { Operation } from '../core/declare/operation.ts'
import type { Stream } from '../core/declare/stream.ts'
import * as boardDetails from './board-details.ts'
import * as classificationLabels from './classification-labels.ts'
import * as me from './me.ts'
import * as numberChanges from './number-changes.ts'
import * as numberSettings from './number-settings.ts'
import * as peeringNumbers from './peering-numbers.ts'
import * as phoneNumberDetails from './phone-number-details.ts'
import * as phoneNumbers from './phone-numbers.ts'
import * as portedOrderDetails from './ported-order-details.ts'
import * as recordingChanges from './recording-changes.ts'
import * as recordingDetails from './recording-details.ts'
import * as recordingDownloads from './recording-downloads.ts'
import * as recordings from './recordings.ts'
import * as sessionReports from './session-reports.ts'
import * as smsConsentDetails from './sms-consent-details.ts'
import * as smsConsents from './sms-consents.ts'
import * as storageLocations from './storage-locations.ts'
import * as userDetails from './user-details.ts'
import * as users from './users.ts'
import * as whiteboardArchives from './whiteboard-archives.ts'
import * as whiteboardCollaborators from './whiteboard-collaborators.ts'
import * as whiteboardContent from './whiteboard-content.ts'
import * as whiteboards from './whiteboards.ts'

/**
 * Every file that declares operations or streams. What the command line, the sandbox and the tests list, and
 * the types of the tables, come from here.
 */
const FILES = [
  users,
  userDetails,
  me,
  whiteboardArchives,
  classificationLabels,
  whiteboardCollaborators,
  whiteboardContent,
  whiteboards,
  boardDetails,
  storageLocations,
  recordings,
  recordingDetails,
  recordingDownloads,
  recordingChanges,
  sessionReports,
  peeringNumbers,
  numberChanges,
  phoneNumbers,
  phoneNumberDetails,
  smsConsents,
  smsConsentDetails,
  numberSettings,
  portedOrderDetails,
] as const

type Declared = (typeof FILES)[number]
type InFile<File> = File extends unknown ? File[keyof File] : never
/** Every stream that is declared, with its own columns. */
export type DeclaredStream = Extract<InFile<Declared>, Stream>

const declared: readonly unknown[] = FILES.flatMap((file) => Object.values(file) as unknown[])

/** Every operation of the API, by its ID. */
export const operations: readonly Operation[] = declared
  .filter(isOperation)
  .toSorted((a, b) => (a.id < b.id ? -1 : 1))

function isOperation(value: unknown): value is Operation {
  return isRecord(value) && 'method' in value && 'path' in value && 'response' in value
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}
