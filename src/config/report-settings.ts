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
      directory: path().default('out').describe('Where workbooks and pages are written.'),
      formats: formats().default(['xlsx', 'html']).describe('What is written of each report.'),
      jobs: z
        .strictObject(Object.fromEntries(reportJobs.map((job) => [job.name, jobSettings(job)])))
        .prefault({})
        .describe('When callsheet serve makes which report.'),
      settings: z
        .strictObject(
          Object.fromEntries(
            reports.flatMap(({ name, settings }) =>
              settings === undefined ? [] : [[name, settings.strict().prefault({})]],
            ),
          ),
        )
        .prefault({})
        .describe('What a report takes besides the tables.'),
    })
    .describe('How reports are made.')
}

const deliver = z
  .strictObject({
    mail: z
      .array(mailAddress())
      .max(50, { error: 'at most 50 addresses' })
      .default([])
      .describe('Who gets it by the server of the setting mail.'),
    webhook: z
      .strictObject(webhookSecrets)
      .nullable()
      .default(null)
      .describe('{url, bearer}: posts it, with its files, as JSON.'),
    s3: z
      .boolean()
      .default(false)
      .describe('Puts it into the bucket of archive.s3, below PREFIX-reports/ACCOUNT.'),
  })
  .describe('Where it is sent, besides its folder.')

function jobSettings({ schedule }: JobDefaults) {
  return z
    .strictObject({
      schedule: cron()
        .default(schedule)
        .describe(
          'When it is due: minute hour day month weekday; never: callsheet report makes it.',
        ),
      deliver: deliver.prefault({}),
    })
    .prefault({})
}
