import sessionQuality from '../reports/session-quality.ts'
import { defineReportJob } from '../src/core/define/job.ts'

export default defineReportJob({
  name: 'session-quality-report',
  title: 'Session quality of the month before',
  schedule: '0 6 1 * *',
  report: sessionQuality,
  span: 'month before',
})
