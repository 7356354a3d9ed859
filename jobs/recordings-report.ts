import recordings from '../reports/recordings.ts'
import { defineReportJob } from '../src/core/define/job.ts'

export default defineReportJob({
  name: 'recordings-report',
  title: 'Recordings: what is stored, what leaves, what is missing',
  schedule: '30 6 * * 1',
  report: recordings,
  span: 'present',
})
