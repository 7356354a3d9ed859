import type { Stream } from '../../src/core/stream.ts'
import * as numbers from '../../src/resources/phone-numbers.ts'
import * as recordings from '../../src/resources/recordings.ts'
import { sessionReports } from '../../src/resources/session-reports.ts'
import { users } from '../../src/resources/users.ts'
import * as whiteboards from '../../src/resources/whiteboard-archives.ts'

export const ALL_STREAMS: readonly Stream[] = [
  users,
  sessionReports,
  numbers.phoneNumbers,
  numbers.phoneNumberAssignments,
  whiteboards.whiteboardSessions,
  whiteboards.whiteboardParticipants,
  whiteboards.whiteboardActivities,
  recordings.recordingSessions,
  recordings.recordingFiles,
  recordings.recordingParticipantFiles,
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
