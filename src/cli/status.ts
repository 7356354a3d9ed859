import type { Command } from 'commander'
import type { ArchiveStatus } from '../account/archive-deadlines.ts'
import { chooseAccounts } from '../account/choose.ts'
import { reachOf } from '../account/reach-of.ts'
import { withWarehouse } from '../account/with-warehouse.ts'
import type { DoubtfulCall } from '../apply/write-log.ts'
import type { Cause } from '../core/define/cause.ts'
import type { Words } from '../core/define/own-words.ts'
import { DAY_MS } from '../core/time/time.ts'
import { duration } from '../core/values/quantities.ts'
import { inOrder, levelOf } from '../serve/health/causes.ts'
import type { AccountStatus } from '../serve/health/read-status.ts'
import {
  type NotificationStatus,
  notificationStatus,
} from '../serve/notifications/notification-status.ts'
import { type CommonOptions, defineCommand, type Runner } from './frame/command.ts'
import type { Context } from './frame/context.ts'
import type { Output } from './frame/output.ts'
import { NOTHING_DUE } from './frame/run-summary.ts'
import { heading, type TableRow } from './frame/table.ts'

interface StatusOptions extends CommonOptions {
  account?: string
}

export function statusCommand(run: Runner): Command {
  return defineCommand('status', 'Show account health, coverage and data freshness', [
    'status',
    'status --account main --json',
  ])
    .addHelpText('after', NOTES)
    .option('-a, --account <name>', 'only this account (default: all accounts)')
    .action((options: StatusOptions) =>
      run(options, (context) => showStatus(context, options), { databases: 'each' }),
    )
}

export async function showStatus(context: Context, options: StatusOptions): Promise<number> {
  const { jobs } = await import('../account/catalog.ts')
  const { doubtfulCalls } = await import('../apply/write-log.ts')
  const { wordsOf } = await import('../core/notifications/words.ts')
  const { readHealth } = await import('../serve/health/account-health.ts')
  const { installationHealth } = await import('../serve/health/installation-health.ts')
  const { readStatus } = await import('../serve/health/read-status.ts')
  const { archiveJson, healthJson, INSTALLATION_WELL, printHealth } = await import(
    './status-lines.ts'
  )
  const { config } = await context.loadConfig()
  const accounts = chooseAccounts(config, options.account)
  return await withWarehouse(context, { migrate: false }, async (opened) => {
    const statuses: object[] = []
    const shared = await installationHealth(opened.wiring)
    const causes = [...shared]
    printHealth(context.output, shared, INSTALLATION_WELL)
    for (const settings of accounts) {
      const { warehouse } = opened
      const { name: account } = settings
      const nowMs = context.clock.now()
      const scope = { account, jobs, nowMs, ...reachOf(settings) }
      const status = await readStatus(warehouse, scope)
      const sinceMs = context.clock.now() - 30 * DAY_MS
      const calls = await doubtfulCalls(warehouse.db, { account: settings.name, sinceMs })
      const told = await notificationStatus(warehouse.db, { account: settings.name, sinceMs })
      const { causes: health, archive } = await readHealth(opened, settings)
      causes.push(...health)
      const reading = { nowMs: context.clock.now(), words: wordsOf(settings.words) }
      await printStatus(context.output, { status, health, archive, calls, told }, reading)
      statuses.push({
        ...status,
        health: healthJson(health),
        archive: archiveJson(archive),
        doubtfulCalls: calls,
        notifications: told,
      })
    }
    context.output.result({ health: healthJson(inOrder(causes)), accounts: statuses })
    return levelOf(causes) === 'red' ? 1 : 0
  })
}

async function printStatus(
  output: Output,
  {
    status,
    health,
    archive,
    calls,
    told,
  }: {
    status: AccountStatus
    health: readonly Cause[]
    archive: ArchiveStatus
    calls: readonly DoubtfulCall[]
    told: NotificationStatus
  },
  { nowMs, words }: { nowMs: number; words: Words | undefined },
): Promise<void> {
  const lines = await import('./status-lines.ts')
  const busy = status.syncingUntil === undefined ? '' : ' (syncing now)'
  output.line(`Account ${status.account}${busy}`)
  lines.printHealth(output, health, lines.wellText(status.jobs))
  output.table([JOB_HEADING, ...status.jobs.flatMap((job) => jobRows(job, nowMs))])
  lines.printStreams(output, status)
  for (const { id, operation, state, askedAt } of calls)
    output.line(`Call ${id}, ${operation} of ${askedAt}: ${DOUBTS[state]}`)
  lines.printArchive(output, archive)
  lines.printNotifications(output, told, { nowMs, words })
  output.line()
}

const DOUBTS = {
  open: 'may not have finished; check whether it was done',
  partly: 'some of its items failed',
  unknown: 'its response was lost; check whether it was done',
} as const

export const JOB_HEADING = heading(
  ['job', 'table', 'rows', 'slices', 'failed', 'not allowed', 'oldest reading', 'last run (age)'],
  {
    // The last run of a usual row, such as "#1234 complete, 12 min", fits one line.
    least: { job: 19, table: 24, 'oldest reading': 15, 'last run (age)': 22 },
    hide: ['slices', 'not allowed', 'failed', 'oldest reading'],
  },
)

function jobRows(
  { job, lastRun, lastComplete, streams }: AccountStatus['jobs'][number],
  nowMs: number,
) {
  return streams.map((stream, index): TableRow => {
    const cut = stream.slices === 0 && index > 0
    return [
      index === 0 ? job : '',
      stream.stream,
      stream.rows,
      cut ? '' : stream.slices,
      cut ? '' : stream.failed,
      cut ? '' : stream.notAllowed,
      cut ? 'with its parent' : age(stream.oldestReading, nowMs),
      index === 0 ? lastRunText(lastRun, lastComplete, nowMs) : '',
    ]
  })
}

function lastRunText(
  last: AccountStatus['jobs'][number]['lastRun'],
  complete: AccountStatus['jobs'][number]['lastComplete'],
  nowMs: number,
): string {
  if (last === undefined) return 'never run'
  const part = last.partial ? ' (partial)' : ''
  const state = last.isIdle ? NOTHING_DUE : last.state.replaceAll('_', ' ')
  const [ago] = /^\S+ \S+/.exec(duration(Math.max(0, nowMs - Date.parse(last.startedAt)))) ?? []
  const text = `#${last.id} ${state}${part}, ${ago}`
  if (last.state === 'complete' && !last.partial) return text
  return complete === undefined
    ? `${text}; never complete`
    : `${text}; complete ${age(complete.finishedAt, nowMs)}`
}

function age(instant: string | undefined, nowMs: number): string {
  return instant === undefined
    ? 'never'
    : `${duration(Math.max(0, nowMs - Date.parse(instant)))} ago`
}

const NOTES = '\nExit codes: 0 healthy or amber, 1 red. docs/health.md lists all causes.'
