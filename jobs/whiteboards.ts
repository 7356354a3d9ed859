import { defineJob } from '../src/core/define/job.ts'
import { classificationLabels } from '../src/resources/classification-labels.ts'
import { whiteboardCollaborators } from '../src/resources/whiteboard-collaborators.ts'
import { whiteboardContent } from '../src/resources/whiteboard-content.ts'
import { whiteboards } from '../src/resources/whiteboards.ts'

export default defineJob({
  name: 'whiteboards',
  title: 'Whiteboards, their collaborators and first pages, and classification labels',
  schedule: '30 3 * * *',
  streams: [whiteboards, classificationLabels, whiteboardCollaborators, whiteboardContent],
})
