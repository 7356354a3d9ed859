import { z } from 'zod'
import type { Report } from '../core/define/report.ts'
import { REPORT_FORMATS } from '../core/define/report-format.ts'
import { commonPattern } from '../core/values/common-pattern.ts'
import { slug } from '../core/values/slug.ts'
import { webhookSecrets } from './alert-settings.ts'
import { type Catalog, cron, flag, type JobDefaults, orNull, path } from './fields.ts'
import { mailAddress } from './mail-settings.ts'

const formats = () => z.array(z.enum(REPORT_FORMATS)).min(1)

/** The output folder, formats, schedules and settings of reports. */
export function reportSettings({ reportJobs = [], reports = [] }: Omit<Catalog, 'jobs'>) {
  return z
    .strictObject({
      directory: path().default('out').describe('Output folder of workbooks and pages.'),
      formats: formats().default(['xlsx', 'html']).describe('Formats of each report.'),
      chromium: orNull(
        path(),
        'Path of the Chromium that makes the format pdf; null: the first one on PATH.',
      ),
      jobs: z
        .strictObject(Object.fromEntries(reportJobs.map((job) => [job.name, jobSettings(job)])))
        .prefault({})
        .describe('When callsheet serve creates each report.'),
      owners: z
        .array(owner)
        .max(100, { error: 'at most 100 owners' })
        .refine((owners) => new Set(owners.map(({ name }) => slug(name))).size === owners.length, {
          error: 'owners whose names differ in letters or digits, as file names contain them',
        })
        .default([])
        .describe(
          'Owners, for each of whom a report can be cut; a row belongs to the first that matches.',
        ),
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

const exactly = (what: string) =>
  z
    .array(z.string({ error: 'a name in quotes' }).min(1).max(200))
    .max(200)
    .default([])
    .describe(what)

const owner = z
  .strictObject({
    name: z
      .string()
      .max(60)
      .regex(/[a-z0-9]/i, { error: 'a name with a letter or digit, of at most 60 characters' })
      .describe(
        'The name of a team, not of a person: file names and subjects of mails contain it.',
      ),
    mail: z
      .array(mailAddress())
      .max(50, { error: 'at most 50 addresses' })
      .default([])
      .describe('Who receives the cuts of the report jobs with deliver.owners.'),
    sessionKeys: z
      .array(commonPattern())
      .max(50, { error: 'at most 50 expressions' })
      .default([])
      .describe('Regular expressions of session keys: session-quality, recordings.'),
    sites: exactly('Sites of numbers: number-inventory.'),
    departments: exactly('Departments of users: number-inventory, access-review.'),
  })
  .refine(
    ({ sessionKeys, sites, departments }) => [sessionKeys, sites, departments].flat().length > 0,
    {
      error: 'sessionKeys, sites or departments',
    },
  )

const deliver = z
  .strictObject({
    mail: z
      .array(mailAddress())
      .max(50, { error: 'at most 50 addresses' })
      .default([])
      .describe('Recipients by mail, through the server in mail.'),
    webhook: orNull(
      z.strictObject(webhookSecrets),
      '{url, bearer}: post the report with its files as JSON.',
    ),
    s3: flag(false, 'Store the report in the bucket of archive.s3, below PREFIX-reports/ACCOUNT.'),
    owners: flag(
      false,
      'Also make the cut of each owner in reports.owners, and mail it to this owner alone.',
    ),
  })
  .describe('Where to send the report besides its folder.')

function jobSettings({ schedule, report }: JobDefaults & { report?: Pick<Report, 'cut'> }) {
  const uncut = deliver.refine(({ owners }) => !owners, {
    path: ['owners'],
    error: 'false, because this report is about the whole account',
  })
  return z
    .strictObject({
      schedule: cron()
        .default(schedule)
        .describe(
          'Cron schedule: minute hour day month weekday; never: only callsheet report creates it.',
        ),
      deliver: (report?.cut === undefined ? uncut : deliver).prefault({}),
    })
    .prefault({})
}
