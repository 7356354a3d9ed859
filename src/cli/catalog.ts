import phoneNumbers from '../../jobs/phone-numbers.ts'
import recordings from '../../jobs/recordings.ts'
import sessionReports from '../../jobs/session-reports.ts'
import users from '../../jobs/users.ts'
import whiteboardArchives from '../../jobs/whiteboard-archives.ts'
import type { Job } from '../core/job.ts'

/** Every job there is, in the order in which a full sync runs them. */
export const jobs: readonly Job[] = [
  users,
  phoneNumbers,
  whiteboardArchives,
  sessionReports,
  recordings,
]
