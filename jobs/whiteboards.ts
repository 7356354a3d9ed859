import { defineJob } from '../src/core/job.ts'
import { whiteboardCollaborators, whiteboardContent } from '../src/resources/whiteboard-details.ts'
import { classificationLabels, whiteboards } from '../src/resources/whiteboards.ts'

export default defineJob({
  name: 'whiteboards',
  title: 'Whiteboards, their collaborators and first pages, and classification labels',
  schedule: '30 3 * * *',
  streams: [whiteboards, classificationLabels, whiteboardCollaborators, whiteboardContent],
})
