import reconciliation from '../reports/reconciliation.ts'
import { defineReportJob } from '../src/core/define/job.ts'

export default defineReportJob({
  name: 'reconciliation-report',
  title: 'Reconciliation of the day before',
  schedule: '0 7 * * *',
  report: reconciliation,
  span: 'day before',
})
