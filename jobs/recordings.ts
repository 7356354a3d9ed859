import { defineJob } from '../src/core/define/job.ts'
import { recordingFileSource } from '../src/resources/recording-downloads.ts'
import {
  recordingFiles,
  recordingParticipantFiles,
  recordingSessions,
  trashedRecordingFiles,
  trashedRecordings,
} from '../src/resources/recordings.ts'

export default defineJob({
  name: 'recordings',
  title: 'Recordings, their files, and the trash',
  schedule: '30 2 * * *',
  streams: [
    recordingSessions,
    recordingFiles,
    recordingParticipantFiles,
    trashedRecordings,
    trashedRecordingFiles,
  ],
  archive: recordingFileSource,
})
