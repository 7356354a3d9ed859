import { ConfigurationError } from '../../core/errors.ts'
import { testMessage } from '../../service/tell/alert-text.ts'
import { openChannels, openPing } from '../../service/tell/open-channels.ts'
import type { Context } from '../frame/context.ts'
import { describeError, errorLines, type Shown } from '../frame/print-error.ts'

/** Sends a test message to each channel, and says of each whether it took it. Needs no database. */
export async function testAlerts(context: Context): Promise<number> {
  const { output, clock, signal, verbose } = context
  const { config } = await context.loadConfig()
  const ways = await waysOf(context)
  if (ways.length === 0)
    throw new ConfigurationError('no_channel', {
      tried: 'Testing the alerts',
      expected: 'alerts.mail, alerts.webhook, alerts.command or alerts.ping',
      came: 'none of them is set',
      todo: 'set one; docs/alerts.md shows how',
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
