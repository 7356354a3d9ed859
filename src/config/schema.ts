import { z } from 'zod'
import { accountSettings } from './account-settings.ts'
import { alertSettings } from './alert-settings.ts'
import { archiveSettings, evidenceSettings, ledgerSettings } from './archive-settings.ts'
import { type Catalog, cron, type JobDefaults, path, secret, timeZone } from './fields.ts'
import { healthSettings } from './health-settings.ts'
import { mailSettings } from './mail-settings.ts'
import { reportSettings } from './report-settings.ts'
import { serveSettings, taskSettings } from './serve-settings.ts'

/** Every setting with its default. Editors show the descriptions. */
export function configSchema({ jobs, ...made }: Catalog) {
  return z.strictObject({
    stateDirectory: path()
      .default('.callsheet')
      .describe(
        'What the program keeps beside the database: the embedded server, the generated token key.',
      ),
    database: database.prefault({}),
    tokenKey: secret()
      .nullable()
      .default(null)
      .describe(
        'Encrypts stored access tokens: 32 bytes in hex or base64; null makes a key file of mode 0600.',
      ),
    previousTokenKeys: z
      .array(secret())
      .max(5)
      .default([])
      .describe(
        'Previous keys: tokens encrypted with them can still be read, and are encrypted again with tokenKey.',
      ),
    accounts: z
      .array(accountSettings)
      .min(1)
      .max(10_000)
      .refine((list) => new Set(list.map(({ name }) => name)).size === list.length, {
        error: 'accounts with different names',
      })
      .describe('The accounts to sync, each with its own rows, quota and token.'),
    accountsDirectory: path()
      .nullable()
      .default(null)
      .describe('A folder with a YAML file for each further account; null: there is none.'),
    deletionGuard: deletionGuard.prefault({}),
    timezone: timeZone()
      .default('UTC')
      .describe('The zone of all schedules, and whose days and months reports count in.'),
    jobs: jobSettings(jobs).prefault({}),
    archive: archiveSettings.prefault({}),
    evidence: evidenceSettings.prefault({}),
    ledger: ledgerSettings.prefault({}),
    notifications: notificationSettings.prefault({}),
    serve: serveSettings.prefault({}),
    health: healthSettings.prefault({}),
    mail: mailSettings.prefault({}),
    alerts: alertSettings.prefault({}),
    reports: reportSettings(made).prefault({}),
    tasks: taskSettings.prefault({}),
    logging: logging.prefault({}),
  })
}

export type Config = z.output<ReturnType<typeof configSchema>>

const database = z
  .strictObject({
    url: secret()
      .nullable()
      .default(null)
      .describe('A Postgres 15 or newer; null starts an embedded one, enough for one machine.'),
    directory: path()
      .nullable()
      .default(null)
      .describe(
        'Where the embedded Postgres keeps its data; null means postgres in the state directory.',
      ),
    pool: z
      .int()
      .min(2)
      .max(100)
      .default(6)
      .describe('Connections at most, besides one that renews the lease; a process needs few.'),
    allowUnverified: z
      .boolean()
      .default(false)
      .describe(
        'true: a database across the network may be spoken to without a verified certificate.',
      ),
  })
  .describe('Where the tables live.')

const deletionGuard = z
  .strictObject({
    share: z
      .number()
      .min(0)
      .max(1)
      .default(0.1)
      .describe('Share of the rows that a group of slices, or a stream in a run, holds.'),
    rows: z
      .int()
      .min(0)
      .default(50)
      .describe('Rows of a group of slices, or of a stream in a run.'),
  })
  .describe(
    'When more rows are missing than both allow, none is deleted until a person approves it.',
  )

const logging = z
  .strictObject({
    level: z
      .enum(['debug', 'info', 'warn', 'error', 'silent'])
      .default('info')
      .describe('The least important line that is still written.'),
  })
  .describe('What the program says of its work.')

function jobSettings(jobs: readonly JobDefaults[]) {
  const when = ({ schedule }: JobDefaults) =>
    cron().default(schedule).describe('Minute hour day month weekday, or never.')
  return z
    .strictObject(Object.fromEntries(jobs.map((job) => [job.name, when(job)])))
    .describe('When callsheet serve runs which job.')
}

const notificationSettings = z
  .strictObject({
    host: z
      .string({ error: 'an address of this machine' })
      .regex(/^[\w.:-]{1,100}$/, { error: 'an address of this machine' })
      .default('127.0.0.1')
      .describe(
        'The address to listen on; the machine itself, behind what speaks TLS to the world.',
      ),
    port: z.int().min(0).max(65_535).default(8090).describe('The port; 0 takes a free one.'),
  })
  .describe('Where the service tells by itself what happens.')
