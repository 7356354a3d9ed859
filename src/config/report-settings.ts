import { z } from 'zod'
import { cron, type JobDefaults, path, timeZone } from './fields.ts'

const FORMATS = ['xlsx', 'html', 'csv'] as const

const formats = () => z.array(z.enum(FORMATS)).min(1)

/** Where reports are written, and which are made on a schedule. */
export function reportSettings(jobs: readonly JobDefaults[]) {
  return z
    .strictObject({
      directory: path().default('out').describe('Where workbooks and pages are written.'),
      timezone: timeZone()
        .default('UTC')
        .describe('The zone whose days and months a report counts in.'),
      formats: formats().default(['xlsx', 'html']).describe('What is written of each report.'),
      month: z
        .enum(['previous', 'current'])
        .default('previous')
        .describe('The month of a monthly report when none is named.'),
      jobs: z
        .strictObject(Object.fromEntries(jobs.map((job) => [job.name, jobSettings(job)])))
        .prefault({})
        .describe('When callsheet serve makes which report.'),
    })
    .describe('How reports are made.')
}

function jobSettings({ schedule }: JobDefaults) {
  return z
    .strictObject({
      schedule: cron().default(schedule).describe('When it is due: minute hour day month weekday.'),
      timezone: timeZone().default('UTC').describe('The zone that the schedule is read in.'),
      enabled: z.boolean().default(true).describe('false: only callsheet report makes it.'),
      deadlineHours: z
        .int()
        .min(0)
        .max(720)
        .default(24)
        .describe('How long it waits for the jobs that read what it needs.'),
      formats: formats().nullable().default(null).describe('null: those of reports.formats.'),
      directory: path().nullable().default(null).describe('null: reports.directory.'),
    })
    .prefault({})
}
