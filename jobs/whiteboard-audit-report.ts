import whiteboardAudit from '../reports/whiteboard-audit.ts'
import { defineReportJob } from '../src/core/define/job.ts'

export default defineReportJob({
  name: 'whiteboard-audit-report',
  title: 'Whiteboard audit of the month before',
  schedule: '30 6 1 * *',
  report: whiteboardAudit,
  span: 'month before',
})
