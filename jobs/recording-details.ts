import { defineJob } from '../src/core/job.ts'
import { recordingAudioFiles, recordingDetails } from '../src/resources/recording-details.ts'

export default defineJob({
  name: 'recording-details',
  title: 'What only its details tell of a recording: the sound of each participant',
  schedule: '20 4 * * *',
  streams: [recordingDetails, recordingAudioFiles],
})
