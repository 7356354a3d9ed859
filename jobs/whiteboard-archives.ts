import { defineJob } from '../src/core/define/job.ts'
import {
  activityFiles,
  whiteboardActivities,
  whiteboardParticipants,
  whiteboardSessions,
} from '../src/resources/whiteboard-archives.ts'

export default defineJob({
  name: 'whiteboard-archives',
  title: 'Archived whiteboard sessions, participants and activities',
  schedule: '0 */6 * * *',
  streams: [whiteboardSessions, whiteboardParticipants, whiteboardActivities],
  archive: activityFiles,
})
