import { defineJob } from '../src/core/define/job.ts'
import { recordingAudioFiles, recordingDetails } from '../src/resources/recording-details.ts'
import { storageLocationDetails, storageLocations } from '../src/resources/storage-locations.ts'

export default defineJob({
  name: 'recording-details',
  title:
    'Details of recordings that no list shows: the sound of each participant, and where they may be kept',
  schedule: '20 4 * * *',
  streams: [recordingDetails, recordingAudioFiles, storageLocations, storageLocationDetails],
})
