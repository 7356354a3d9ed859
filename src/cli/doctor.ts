import type { Command } from 'commander'
import { type RawBuilder, sql } from 'kysely'
import { jobs } from '../account/catalog.ts'
import { chooseAccounts } from '../account/choose.ts'
import { migrations } from '../account/migrations.ts'
import { type OpenAccount, openAccount } from '../account/open-account.ts'
import { passingStores } from '../account/passing-stores.ts'
import { hasNotificationSecrets } from '../account/request-secrets.ts'
import { type OpenWarehouse, withWarehouse } from '../account/wire.ts'
import { isLoopbackHost } from '../api/call/url-policy.ts'
import type { AccountSettings } from '../config/account-settings.ts'
import type { Config } from '../config/schema.ts'
import { migrationStatus } from '../warehouse/migrate.ts'
import { examineAccount } from './doctor/examine-account.ts'
import { examineArchive } from './doctor/examine-archive.ts'
import { examineLineage } from './doctor/examine-lineage.ts'
import { examineMachines } from './doctor/examine-machines.ts'
import { attempt, type Finding, printFindings } from './doctor/findings.ts'
import { type CommonOptions, defineCommand, type Runner } from './frame/command.ts'
import type { Context } from './frame/context.ts'

interface DoctorOptions extends CommonOptions {
  account?: string
}

export function doctorCommand(run: Runner): Command {
  return defineCommand('doctor', 'Check everything a sync needs, and say what to do', [
    'doctor',
    'doctor --account main --json',
  ])
    .option('-a, --account <name>', 'only this account')
    .addHelpText('after', HELP)
    .action((options: DoctorOptions) => run(options, (context) => examine(context, options)))
}

/** Checks in the order in which a sync would fail, each by doing the thing itself. */
async function examine(context: Context, options: DoctorOptions): Promise<number> {
  const loaded = await context.loadConfig({ quiet: true })
  const accounts = chooseAccounts(loaded.config, options.account)
  // The findings say what failed; the log would say it twice.
  await context.observer(true)
  const findings: Finding[] = [
    { check: 'configuration', state: 'ok', text: loaded.file },
    ...loaded.warnings.map(
      (warning): Finding => ({ check: 'configuration', state: 'warning', text: warning }),
    ),
    ...examineModes(process.platform),
    { check: 'schedule', state: 'ok', text: `${jobs.length} jobs` },
  ]
  if (accounts.some(hasNotificationSecrets)) findings.push(...examineDoor(loaded.config))
  for (const settings of accounts.filter(hasNotificationSecrets))
    findings.push(
      ...(await attempt(`${settings.name} notifications`, () => examineSecrets(settings))),
    )
  const database = await attempt('database', () =>
    withWarehouse(context, { migrate: 'unchecked' }, async (opened) => {
      const found = await examineDatabase(opened)
      findings.push(...found)
      // A first look comes before the tables are made, and makes none.
      const made = found.some(({ check, state }) => check === 'tables' && state === 'ok')
      if (made) findings.push(...(await attempt('machines', () => examineMachines(opened))))
      const given = { retryRules: IMPATIENT, ...(made ? {} : { stores: passingStores() }) }
      for (const settings of accounts) {
        if (made) findings.push(...(await examineLineage(opened, settings.name)))
        findings.push(
          ...(await attempt(settings.name, async () =>
            examineOne(context, opened, await openAccount(opened, settings, given)),
          )),
        )
      }
      return []
    }),
  )
  const archive = await examineArchive({ ...context, config: loaded.config }, accounts)
  findings.push(...database, ...archive)
  printFindings(context.output, findings)
  return findings.some(({ state }) => state === 'failed') ? 1 : 0
}

/** What others may write is a warning of the configuration, but where nothing can be known of it. */
export function examineModes(platform: NodeJS.Platform): Finding[] {
  if (platform !== 'win32') return []
  const text =
    'not checked who may write the configuration, keys and state directory: no modes here'
  const todo = 'let only the user of Callsheet write them (icacls)'
  return [{ check: 'file modes', state: 'warning', text, todo }]
}

/** By reading them: where they stand is known once they were there. */
async function examineSecrets({ name, notificationSecrets }: AccountSettings): Promise<Finding[]> {
  for (const secret of notificationSecrets) secret.reveal()
  const { length } = notificationSecrets
  const text = `signed with ${length === 1 ? 'one secret' : `one of ${length} secrets`}`
  return await Promise.resolve([{ check: `${name} notifications`, state: 'ok', text }])
}

/** What listens speaks plain HTTP, which is for this machine and a proxy on it. */
function examineDoor({ notifications: { host } }: Config): Finding[] {
  if (isLoopbackHost(host)) return []
  const todo =
    'let a proxy with TLS stand before it, and listen on 127.0.0.1 where that is possible'
  return [{ check: 'notifications', state: 'warning', text: `plain HTTP on ${host}`, todo }]
}

async function examineOne(
  { signal }: Context,
  { wiring }: OpenWarehouse,
  open: OpenAccount,
): Promise<Finding[]> {
  try {
    return await examineAccount(open, wiring.config.archive, signal)
  } finally {
    await open.close()
  }
}

/** Where the tables really lie: as root that may be another place than the configuration names. */
async function dataDirectory({ db }: OpenWarehouse['warehouse']): Promise<string> {
  const { place } = await db
    .selectNoFrom(setting('data_directory').as('place'))
    .executeTakeFirstOrThrow()
  return place
}

async function examineDatabase({ warehouse, embedded }: OpenWarehouse): Promise<Finding[]> {
  const { version, versionNumber, readOnly } = await warehouse.db
    .selectNoFrom(({ cast }) => [
      setting('server_version').as('version'),
      cast<number>(setting('server_version_num'), 'integer').as('versionNumber'),
      setting('transaction_read_only').as('readOnly'),
    ])
    .executeTakeFirstOrThrow()
  const place = embedded ? `, embedded, in ${await dataDirectory(warehouse)}` : ''
  const check = 'database'
  const findings: Finding[] = [
    versionNumber >= OLDEST_VERSION
      ? { check, state: 'ok', text: `Postgres ${version}${place}` }
      : { check, state: 'failed', text: `Postgres ${version}`, todo: 'use Postgres 15 or newer' },
  ]
  if (readOnly === 'on')
    findings.push({
      check,
      state: 'failed',
      text: 'it only lets us read',
      todo: 'name the primary server, or a user that may write, in database.url',
    })
  const states = await migrationStatus(warehouse, migrations)
  const pending = states.filter(({ executedAt }) => executedAt === undefined).length
  findings.push(
    pending === 0
      ? { check: 'tables', state: 'ok', text: 'up to date' }
      : {
          check: 'tables',
          state: 'warning',
          text: `${pending} migrations are to be applied`,
          todo: 'callsheet migrate, or let the next sync do it',
        },
  )
  return findings
}

function setting(name: string): RawBuilder<string> {
  return sql<string>`current_setting(${name})`
}

const HELP = `
It reads one small page of each stream and compares its records with what the documents say: which cannot be
stored, which values cannot be read, which fields no document names. It tries whether the archive's folder or
bucket can be written and whether the evidence key can be read, and leaves nothing behind but the token.`

// A person waits for the answer; a sync is more patient.
const IMPATIENT = { maxTries: 2, baseMs: 500, capMs: 1_000 }
const OLDEST_VERSION = 150_000
