import { z } from 'zod'
import { accountSettings } from './account-settings.ts'
import { alertSettings } from './alert-settings.ts'
import { archiveSettings, evidenceSettings, ledgerSettings } from './archive-settings.ts'
import { databaseSettings, moreDatabases } from './database-settings.ts'
import {
  type Catalog,
  cron,
  type JobDefaults,
  orNull,
  ownAddress,
  path,
  secret,
  timeZone,
  whole,
} from './fields.ts'
import { healthSettings } from './health-settings.ts'
import { hookSettings } from './hook-settings.ts'
import { mailSettings } from './mail-settings.ts'
import { mcpSettings } from './mcp-settings.ts'
import { reportSettings } from './report-settings.ts'
import { serveSettings, taskSettings } from './serve-settings.ts'

/** Every setting with its default. Editors show the descriptions. */
export function configSchema({ jobs, ...made }: Catalog) {
  return z.strictObject({
    stateDirectory: path()
      .default('.callsheet')
      .describe('Folder for local data, such as the embedded database and generated keys.'),
    database: databaseSettings.prefault({}),
    databases: moreDatabases.prefault({}),
    tokenKey: orNull(
      secret(),
      'Key that encrypts stored tokens: 32 bytes in hex or base64; null: generate a key file once.',
    ),
    previousTokenKeys: z
      .array(secret())
      .max(5)
      .default([])
      .describe(
        'Previous keys, to read tokens stored with them; these are encrypted again with tokenKey.',
      ),
    columnsKey: orNull(
      secret(),
      'Key of hashed columns (accounts[].columns), as in tokenKey; null: generate a key file once.',
    ),
    accounts: z
      .array(accountSettings)
      .min(1)
      .refine((list) => new Set(list.map(({ name }) => name)).size === list.length, {
        error: 'accounts with different names',
      })
      .describe('Accounts to sync, each with its own rows, quota and token.'),
    accountsDirectory: orNull(
      path(),
      'Folder with one YAML file per additional account; null: none.',
    ),
    deletionGuard: deletionGuard.prefault({}),
    timezone: timeZone()
      .default('UTC')
      .describe('Time zone of schedules and of the days and months in reports.'),
    jobs: jobSettings(jobs).prefault({}),
    archive: archiveSettings.prefault({}),
    evidence: evidenceSettings.prefault({}),
    ledger: ledgerSettings.prefault({}),
    notifications: notificationSettings.prefault({}),
    serve: serveSettings.prefault({}),
    mcp: mcpSettings.prefault({}),
    health: healthSettings.prefault({}),
    mail: mailSettings.prefault({}),
    alerts: alertSettings.prefault({}),
    reports: reportSettings(made).prefault({}),
    tasks: taskSettings.prefault({}),
    hooks: hookSettings({ jobs, ...made }),
    logging: logging.prefault({}),
  })
}

/** The configuration as written, with defaults. */
export type WrittenConfig = z.output<ReturnType<typeof configSchema>>
/** The loaded configuration: all paths are absolute. */
export type Config = WrittenConfig & {
  database: { directory: string }
  /** The other databases; set only in the configuration of a single one (`databasesOf`). */
  otherDatabases?: readonly OtherDatabase[]
}

export interface OtherDatabase {
  name: string
  settings: WrittenConfig['database'] & { directory: string }
}

const deletionGuard = z
  .strictObject({
    share: z
      .number()
      .min(0)
      .max(1)
      .default(0.1)
      .describe(
        'Trips if more than this share of the rows of a slice group, or of a stream in a run, is missing ...',
      ),
    rows: z.int().min(0).default(50).describe('... and more than this many rows.'),
  })
  .describe('If more rows are missing than both limits allow, none is deleted without approval.')

const logging = z
  .strictObject({
    level: z
      .enum(['debug', 'info', 'warn', 'error', 'silent'])
      .default('info')
      .describe('Lowest log level to write.'),
  })
  .describe('Logging.')

function jobSettings(jobs: readonly JobDefaults[]) {
  const when = ({ schedule }: JobDefaults) =>
    cron().default(schedule).describe('Minute hour day month weekday, or never.')
  return z
    .strictObject(Object.fromEntries(jobs.map((job) => [job.name, when(job)])))
    .describe('When callsheet serve runs each job.')
}

const notificationSettings = z
  .strictObject({
    host: ownAddress().describe('Listen address; put a reverse proxy with TLS in front of it.'),
    port: whole(0, 65_535).default(8090).describe('Port; 0: any free port.'),
  })
  .describe('Where callsheet serve receives notifications.')
