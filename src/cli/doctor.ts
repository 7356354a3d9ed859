import type { Command } from 'commander'
import { chooseAccounts } from '../account/choose.ts'
import type { OpenAccount } from '../account/open-account.ts'
import { hasNotificationSecrets } from '../account/request-secrets.ts'
import { withWarehouse } from '../account/with-warehouse.ts'
import type { AccountSettings } from '../config/account-settings.ts'
import { accountToName } from '../config/databases.ts'
import { isLoopbackHost } from '../config/loopback.ts'
import type { Config } from '../config/schema.ts'
import { withAccount } from '../core/values/account-commands.ts'
import { attempt, type Finding, printFindings } from './doctor/findings.ts'
import { type CommonOptions, defineCommand, type Runner } from './frame/command.ts'
import type { Context } from './frame/context.ts'

interface DoctorOptions extends CommonOptions {
  account?: string
}

export function doctorCommand(run: Runner): Command {
  return defineCommand('doctor', 'Check everything a sync needs, and show how to fix it', [
    'doctor',
    'doctor --account main --json',
  ])
    .option('-a, --account <name>', 'only this account (default: all accounts)')
    .addHelpText('after', HELP)
    .action((options: DoctorOptions) =>
      run(options, (context) => examine(context, options), { databases: 'each' }),
    )
}

/** Checks what a sync needs, in the order of its steps, by using it. */
async function examine(context: Context, options: DoctorOptions): Promise<number> {
  const { jobs } = await import('../account/catalog.ts')
  const { openAccount } = await import('../account/open-account.ts')
  const { examineArchive } = await import('./doctor/examine-archive.ts')
  const { examineChromium } = await import('./doctor/examine-chromium.ts')
  const { examineDatabase } = await import('./doctor/examine-database.ts')
  const { examineLineage } = await import('./doctor/examine-lineage.ts')
  const { examineMachines } = await import('./doctor/examine-machines.ts')
  const loaded = await context.loadConfig({ quiet: true })
  const accounts = chooseAccounts(loaded.config, options.account)
  // Silences the log, because the findings report the same failures.
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
      if (found.some(({ check, state }) => check === 'tables' && state === 'failed')) return []
      findings.push(...(await attempt('machines', () => examineMachines(opened))))
      for (const settings of accounts) {
        findings.push(...(await examineLineage(opened, settings.name)))
        findings.push(
          ...namedIn(
            accountToName(loaded.config, settings.name),
            await attempt(settings.name, async () =>
              examineOne(context, await openAccount(opened, settings, { retryRules: IMPATIENT })),
            ),
          ),
        )
      }
      return []
    }),
  )
  const archive = await examineArchive({ ...context, config: loaded.config }, accounts)
  const chromium = await attempt('PDF', () => examineChromium(loaded.config, context))
  findings.push(...database, ...archive, ...chromium)
  printFindings(context.output, findings)
  return findings.some(({ state }) => state === 'failed') ? 1 : 0
}

/** Warns on Windows, where modes cannot be checked. Elsewhere the configuration has its own warnings. */
export function examineModes(platform: NodeJS.Platform): Finding[] {
  if (platform !== 'win32') return []
  const text = 'could not check who can write to the configuration, keys and state directory'
  const todo = 'grant write access only to the user that runs Callsheet (icacls)'
  return [{ check: 'file modes', state: 'warning', text, todo }]
}

/** Checks the notification secrets by reading them. */
async function examineSecrets({ name, notificationSecrets }: AccountSettings): Promise<Finding[]> {
  for (const secret of notificationSecrets) secret.reveal()
  const { length } = notificationSecrets
  const text = `signed with ${length === 1 ? 'one secret' : `one of ${length} secrets`}`
  return await Promise.resolve([{ check: `${name} notifications`, state: 'ok', text }])
}

/** Warns unless the receiver's address is a loopback address, because the receiver uses plain HTTP. */
function examineDoor({ notifications: { host } }: Config): Finding[] {
  if (isLoopbackHost(host)) return []
  const todo = 'put a TLS proxy in front of it, and listen on 127.0.0.1 if possible'
  return [{ check: 'notifications', state: 'warning', text: `plain HTTP on ${host}`, todo }]
}

/** Makes the commands in the remedies name the account, if one is given. */
function namedIn(account: string | undefined, findings: readonly Finding[]): Finding[] {
  return findings.map(({ todo, ...finding }) =>
    todo === undefined ? finding : { ...finding, todo: withAccount(todo, account) },
  )
}

async function examineOne({ signal }: Context, open: OpenAccount): Promise<Finding[]> {
  const { examineAccount } = await import('./doctor/examine-account.ts')
  try {
    return await examineAccount(open, signal)
  } finally {
    await open.close()
  }
}

const HELP = `
For each stream, doctor reads one small page and compares its records with the
API documents. It also writes a test file to the archive, reads the evidence
key and makes a PDF, if reports have that format. Like sync, it migrates the
database first.`

// A person waits for the result, so a check retries fewer times than a sync.
const IMPATIENT = { maxTries: 2, baseMs: 500, capMs: 1_000 }
