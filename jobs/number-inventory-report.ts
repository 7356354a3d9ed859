import numberInventory from '../reports/number-inventory.ts'
import { defineReportJob } from '../src/core/define/job.ts'

export default defineReportJob({
  name: 'number-inventory-report',
  title: 'Number inventory, each week',
  schedule: '0 6 * * 1',
  report: numberInventory,
  span: 'present',
})
