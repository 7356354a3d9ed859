import { defineJob } from '../src/core/define/job.ts'
import { sessionReports } from '../src/resources/session-reports.ts'

export default defineJob({
  name: 'session-reports',
  title: 'Video-session reports with quality and use, six months back',
  schedule: '0 2 * * *',
  streams: [sessionReports],
})
