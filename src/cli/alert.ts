import type { Command } from 'commander'
import type { OpenWarehouse } from '../account/wire.ts'
import { withWarehouse } from '../account/with-warehouse.ts'
import { type Cause, nameOfCause } from '../core/define/cause.ts'
import { ConfigurationError } from '../core/errors.ts'
import { utcMinutes } from '../core/time/time.ts'
import { counted } from '../core/values/quantities.ts'
import { testMessage } from '../serve/alerts/alert-text.ts'
import { openChannels, openPing } from '../serve/alerts/open-channels.ts'
import { inOrder } from '../serve/health/causes.ts'
import type { AlertRow } from '../serve/ledger/alerts.ts'
import { calledAs } from './frame/called-as.ts'
import { type CommonOptions, defineCommand, type Runner } from './frame/command.ts'
import type { Context } from './frame/context.ts'
import { describeError, errorLines, type Shown } from './frame/print-error.ts'
import { heading, type TableRow } from './frame/table.ts'

interface AlertOptions extends CommonOptions {
  test?: boolean
}

export function alertCommand(run: Runner): Command {
  return defineCommand('alert', 'List open alerts, or send a test alert', [
    'alert',
    'alert --json',
    'alert --test',
  ])
    .option('--test', "send a test message to every channel and ping the dead man's switch")
    .addHelpText(
      'after',
      '\nExit codes of --test: 0 sent, 1 a channel refused it, 2 no channel is set.',
    )
    .action((options: AlertOptions) =>
      options.test === true
        ? run(options, testAlerts, { databases: 'all' })
        : run(options, showAlerts, { databases: 'each' }),
    )
}

/**
 * Checks the accounts now, and lists open alerts, failed deliveries, and causes for which no alert was sent.
 * Without the check, an empty list would prove nothing.
 */
async function showAlerts(context: Context): Promise<number> {
  const { openAlerts } = await import('../serve/ledger/alerts.ts')
  const { healthJson, notYetText } = await import('./status-lines.ts')
  const { output } = context
  return await withWarehouse(context, { migrate: false }, async (opened) => {
    const found = await openAlerts(opened.warehouse.db, MOST_LISTED + 1)
    const alerts = found.slice(0, MOST_LISTED)
    const { causes, failed } = await judgeNow(opened)
    const { config } = opened.wiring
    const loud = causes.filter(({ level }) => level === 'red' || config.alerts.level === 'amber')
    const sent = new Set(found.map(({ name }) => name))
    const unsent = loud.filter(
      (cause) => cause.quiet === undefined && !sent.has(nameOfCause(cause)),
    )
    if (alerts.length + unsent.length > 0)
      output.table([ALERT_HEADING, ...alerts.map(alertRow), ...unsent.map(unsentRow)])
    if (found.length > alerts.length)
      output.line(`... and more; only the first ${MOST_LISTED} are shown`)
    const quiet = causes.length - loud.length
    const said = sendingRemark(config, { alerts: alerts.length, unsent: unsent.length, quiet })
    if (said !== undefined) output.line(said)
    if (causes.length + alerts.length === 0 && failed.length > 0) output.line(notYetText(failed))
    const json = { alerts: alerts.map(alertJson), unsent: healthJson(unsent) }
    output.result({ ...json, more: found.length > alerts.length })
    return 0
  })
}

/** Checks the accounts as `status` does. Also names the jobs whose last run ended incomplete. */
async function judgeNow(opened: OpenWarehouse): Promise<{ causes: Cause[]; failed: string[] }> {
  const { readHealth } = await import('../serve/health/account-health.ts')
  const { installationHealth } = await import('../serve/health/installation-health.ts')
  const causes = await installationHealth(opened.wiring)
  const failed = new Set<string>()
  for (const settings of opened.wiring.config.accounts) {
    const health = await readHealth(opened, settings)
    causes.push(...health.causes)
    for (const { job, runs } of health.jobs) {
      const last = runs.at(-1)
      if (last?.running === false && last.ending.kind !== 'done') failed.add(job)
    }
  }
  return { causes: inOrder(causes), failed: [...failed] }
}

/** Explains missing alerts, or reports that no cause was found; undefined if every cause has an alert. */
function sendingRemark(
  config: OpenWarehouse['wiring']['config'],
  { alerts, unsent, quiet }: { alerts: number; unsent: number; quiet: number },
): string | undefined {
  const { mail, webhook, command } = config.alerts
  const called = calledAs('callsheet')
  if (unsent > 0 && mail === null && webhook === null && command === null)
    return 'No alert channel is set, so nothing is sent (see docs/alerts.md).'
  if (unsent > 0) return `${called} serve sends what was not sent yet.`
  if (alerts > 0) return undefined
  return quiet === 0
    ? `No open alerts, as checked just now. ${called} status shows all accounts.`
    : `No open alerts: alerts.level leaves out ${counted(quiet, 'amber problem')}. ` +
        `${called} status shows all.`
}

export const ALERT_HEADING = heading(
  ['channel', 'account', 'level', 'cause', 'since (UTC)', 'last sent (UTC)', 'not sent'],
  {
    least: {
      channel: 8,
      account: 12,
      cause: 24,
      'since (UTC)': 10,
      'last sent (UTC)': 10,
      'not sent': 12,
    },
    hide: ['last sent (UTC)', 'channel'],
  },
)

function alertRow({ channel, cause, toldMs, attempts, lastError }: AlertRow): TableRow {
  const { account = '', level, sentence, sinceMs } = cause
  const failed = lastError === undefined ? '' : `${lastError}, ${attempts} times`
  return [channel, account, level, sentence, minutes(sinceMs), minutes(toldMs), failed]
}

/** Returns the table row of a cause for which no alert was sent. */
function unsentRow({ account = '', level, sentence, sinceMs }: Cause): TableRow {
  return ['none', account, level, sentence, minutes(sinceMs), 'not yet', '']
}

function alertJson({ channel, cause, ...alert }: AlertRow): object {
  const { account, sinceMs, ...said } = cause
  return {
    channel,
    account: account ?? null,
    ...said,
    since: iso(sinceMs),
    firstToldAt: iso(alert.firstToldMs),
    lastToldAt: iso(alert.toldMs),
    attempts: alert.attempts,
    lastError: alert.lastError ?? null,
  }
}

function minutes(ms: number | undefined): string {
  return ms === undefined ? 'not yet' : utcMinutes(ms)
}

function iso(ms: number | undefined): string | null {
  return ms === undefined ? null : new Date(ms).toISOString()
}

/** Sends a test message to each channel and reports whether the channel accepted it. Needs no database. */
async function testAlerts(context: Context): Promise<number> {
  const { output, clock, signal, verbose } = context
  const { config } = await context.loadConfig()
  const ways = await waysOf(context)
  if (ways.length === 0)
    throw new ConfigurationError('no_channel', {
      tried: 'Sending a test alert',
      came: 'no alert channel is set',
      todo: 'set alerts.mail, alerts.webhook, alerts.command or alerts.ping (see docs/alerts.md)',
    })
  const tests: Tested[] = []
  for (const { name, send } of ways) {
    try {
      const remark = await send()
      output.line(`${name}: sent${remark === undefined ? '' : `, but ${remark}`}`)
      tests.push({ channel: name, sent: true, ...(remark === undefined ? {} : { remark }) })
    } catch (error) {
      if (signal.aborted) throw error
      const [first = '', ...more] = errorLines(error, verbose)
      output.line(`${name}: ${first}`)
      for (const line of more) output.line(line)
      tests.push({ channel: name, sent: false, error: describeError(error) })
    }
  }
  output.result({ tests, level: config.alerts.level, at: new Date(clock.now()).toISOString() })
  return tests.every(({ sent }) => sent) ? 0 : 1
}

interface Tested {
  channel: string
  sent: boolean
  remark?: string
  error?: Shown
}

async function waysOf({ clock, signal, loadConfig }: Context) {
  const { config } = await loadConfig()
  const channels = await openChannels(config, { clock })
  const ping = openPing(config, { clock })
  const message = testMessage(clock.now())
  return [
    ...channels.map(({ name, send }) => ({ name, send: () => send(message, signal) })),
    ...(ping === undefined
      ? []
      : [{ name: 'ping', send: () => ping(signal).then(() => undefined) }]),
  ]
}

const MOST_LISTED = 1_000
