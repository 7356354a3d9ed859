import accessReview from '../reports/access-review.ts'
import { defineReportJob } from '../src/core/define/job.ts'

export default defineReportJob({
  name: 'access-review-report',
  title: 'Access review, each month',
  schedule: '45 6 1 * *',
  report: accessReview,
  span: 'present',
})
