import type { Config } from '../../config/schema.ts'
import { dispatchHere } from '../../engine/dispatch/dispatch-here.ts'
import type { Listening } from '../../server/listen.ts'
import type { CommonOptions } from '../frame/command.ts'
import type { Context } from '../frame/context.ts'
import { layOut } from '../frame/output.ts'
import { untilStopped } from '../frame/signals.ts'
import { dispatcherDeps } from './due-work.ts'
import { addressesOf, openReceiver } from './open-receiver.ts'
import { type PartOptions, type Parts, partsOf, syncedWorks } from './parts.ts'
import { runService, type Service } from './run-service.ts'
import { watchHealth } from './watch-health.ts'

export interface ServeOptions extends CommonOptions, PartOptions {}

/**
 * Runs until it is stopped: each job when it is due, the receiver of notifications, and the address that
 * tells whether it is alive and ready. It listens there from the start, and waits for the database.
 */
export async function serve(context: Context, options: ServeOptions): Promise<number> {
  const { config } = await context.loadConfig()
  return await runService(context, partsOf(config, options), async (service) => {
    const { opened, parts, vitals } = service
    const { observer } = opened.wiring
    const { works, told } = parts
    const receiver = told.length === 0 ? undefined : await openReceiver(opened, told)
    try {
      showParts(context, { parts, receiver, config })
      vitals.started = true
      observer.event('service started', { count: works.length })
      await Promise.all([
        dispatchHere(dispatcherDeps(context, service), works, context.signal),
        watching(context, service),
        untilStopped(context.signal),
      ])
    } finally {
      vitals.started = false
      await receiver?.close()
    }
  })
}

/** A process that only receives notifications may not read what health is judged by. */
async function watching({ signal }: Context, service: Service): Promise<void> {
  const { opened, parts, vitals } = service
  const works = syncedWorks(parts)
  const watched = { accounts: parts.accounts, works, awake: vitals.awake }
  if (works.length > 0) await watchHealth(opened, watched, signal)
}

/** A terminal shows what is kept; a log has one line of it. */
function showParts(
  { output }: Context,
  { parts, receiver, config }: { parts: Parts; receiver: Listening | undefined; config: Config },
): void {
  if (!output.terminal) return
  const due = parts.works.map(({ account, job, schedule, timezone }) => [
    account,
    job,
    schedule,
    timezone,
  ])
  if (due.length > 0)
    for (const text of layOut([['account', 'job', 'due', 'time zone'], ...due])) output.note(text)
  if (receiver !== undefined)
    for (const { account, url } of addressesOf(receiver, config, parts.told))
      output.note(`Notifications of ${account}: ${url}`)
  output.note('Running until it is stopped (Ctrl-C).')
}
