import type { Command } from 'commander'
import { withWarehouse } from '../account/with-warehouse.ts'
import { ConfigurationError } from '../core/errors.ts'
import { utcMinutes } from '../core/time/time.ts'
import { testMessage } from '../serve/alerts/alert-text.ts'
import { openChannels, openPing } from '../serve/alerts/open-channels.ts'
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

/** Lists the alerts that `serve` has opened. Does not check the accounts itself. */
async function showAlerts(context: Context): Promise<number> {
  const { openAlerts } = await import('../serve/ledger/alerts.ts')
  const { output } = context
  return await withWarehouse(context, { migrate: false }, async ({ warehouse }) => {
    const found = await openAlerts(warehouse.db, MOST_LISTED + 1)
    const alerts = found.slice(0, MOST_LISTED)
    const more = found.length > alerts.length
    if (alerts.length > 0) output.table([ALERT_HEADING, ...alerts.map(alertRow)])
    else output.line(NONE_OPEN)
    if (more) output.line(`... and more; only the first ${MOST_LISTED} are shown`)
    output.result({ alerts: alerts.map(alertJson), more })
    return 0
  })
}

const NONE_OPEN =
  `No open alerts. Only ${calledAs('callsheet')} serve opens one; ` +
  `${calledAs('callsheet')} status checks all accounts now.`

export const ALERT_HEADING = heading(
  ['channel', 'account', 'level', 'cause', 'since (UTC)', 'last sent (UTC)', 'not sent'],
  {
    least: {
      channel: 8,
      account: 12,
      cause: 24,
      'since (UTC)': 16,
      'last sent (UTC)': 16,
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

/** Sends a test message to each channel, pings the switch, and reports each result. Needs no database. */
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
