import { z } from 'zod'
import { REPORT_FORMATS } from '../core/define/report-format.ts'
import { webhookSecrets } from './alert-settings.ts'
import { type Catalog, cron, type JobDefaults, path } from './fields.ts'
import { mailAddress } from './mail-settings.ts'

const formats = () => z.array(z.enum(REPORT_FORMATS)).min(1)

/** The output folder, formats, schedules and settings of reports. */
export function reportSettings({ reportJobs = [], reports = [] }: Omit<Catalog, 'jobs'>) {
  return z
    .strictObject({
      directory: path().default('out').describe('Output folder of workbooks and pages.'),
      formats: formats().default(['xlsx', 'html']).describe('Formats of each report.'),
      chromium: path()
        .nullable()
        .default(null)
        .describe('Path of the Chromium that makes the format pdf; null: the first one on PATH.'),
      jobs: z
        .strictObject(Object.fromEntries(reportJobs.map((job) => [job.name, jobSettings(job)])))
        .prefault({})
        .describe('When callsheet serve creates each report.'),
      settings: z
        .strictObject(
          Object.fromEntries(
            reports.flatMap(({ name, settings, sharedSettings = {} }) => {
              if (settings === undefined) return []
              const shared = Object.values(sharedSettings).flat()
              const own = Object.entries(settings.shape).filter(([one]) => !shared.includes(one))
              return [[name, z.strictObject(Object.fromEntries(own)).prefault({})]]
            }),
          ),
        )
        .prefault({})
        .describe('Settings of single reports.'),
    })
    .describe('Reports: output, settings, schedules and delivery.')
}

const deliver = z
  .strictObject({
    mail: z
      .array(mailAddress())
      .max(50, { error: 'at most 50 addresses' })
      .default([])
      .describe('Recipients by mail, through the server in mail.'),
    webhook: z
      .strictObject(webhookSecrets)
      .nullable()
      .default(null)
      .describe('{url, bearer}: post the report with its files as JSON.'),
    s3: z
      .boolean()
      .default(false)
      .describe('Store the report in the bucket of archive.s3, below PREFIX-reports/ACCOUNT.'),
  })
  .describe('Where to send the report besides its folder.')

function jobSettings({ schedule }: JobDefaults) {
  return z
    .strictObject({
      schedule: cron()
        .default(schedule)
        .describe(
          'Cron schedule: minute hour day month weekday; never: only callsheet report creates it.',
        ),
      deliver: deliver.prefault({}),
    })
    .prefault({})
}
