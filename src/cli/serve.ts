import { type Command, Option } from 'commander'
import { databaseOf } from '../config/databases.ts'
import type { Work } from '../serve/queue/dispatcher.ts'
import type { ReceiverAddress } from '../serve/work/open-receiver.ts'
import type { DoTask, TaskName, TaskToDo } from '../serve/work/run-task.ts'
import type { ScheduleOptions } from '../serve/work/scheduled-work.ts'
import type { ServiceDeps } from '../serve/work/serve.ts'
import { type CommonOptions, defineCommand, type Runner } from './frame/command.ts'
import type { Context } from './frame/context.ts'
import { type Output, terminalWidth } from './frame/output.ts'
import { heading, layOut } from './frame/table.ts'

export function serveCommand(run: Runner): Command {
  return defineCommand('serve', 'Run scheduled jobs, receive notifications, report health', [
    'serve',
    'serve --only notifications',
  ])
    .addOption(
      new Option('--only <part>', 'run only one part').choices(['schedule', 'notifications']),
    )
    .addHelpText(
      'after',
      '\nJobs that were missed while it was stopped run at the start. Several machines\n' +
        'with the same configuration and database share the work.\n' +
        'Accounts with notificationSecrets receive notifications. Register a public HTTPS\n' +
        'URL with the service that forwards to the address in the log.',
    )
    .action((options: CommonOptions & ScheduleOptions) =>
      run(options, (context) => runService(context, options), {
        keepsRunning: true,
        databases: 'all',
      }),
    )
}

async function runService(context: Context, options: ScheduleOptions): Promise<number> {
  const { serve } = await import('../serve/work/serve.ts')
  return await serve(await serviceDeps(context), options)
}

export async function serviceDeps(context: Context): Promise<ServiceDeps> {
  const { clock, signal, output } = context
  const { config } = await context.loadConfig()
  return {
    config,
    clock,
    observer: await context.observer(),
    signal,
    doTask: taskDoer(context),
    onStarted: (works, addresses) => showStarted(output, works, addresses),
  }
}

/** Prints the schedule on a terminal; a log has one line for it. */
function showStarted(
  output: Output,
  works: readonly Work[],
  addresses: readonly ReceiverAddress[],
): void {
  if (!output.terminal) return
  const due = works.map(({ account, job, schedule, timezone }) => [
    account,
    job,
    schedule,
    timezone,
  ])
  if (due.length > 0)
    for (const text of layOut([DUE_HEADING, ...due], terminalWidth())) output.note(text)
  for (const { account, url } of addresses) output.note(`Notifications of ${account}: ${url}`)
  output.note('Running until it is stopped (Ctrl-C).')
}

const DUE_HEADING = heading(['account', 'job', 'due', 'time zone'], {
  least: { account: 16, due: 11, 'time zone': 14 },
})

/** Runs a task as its command would. Logs the command's notes, and returns its exit code and JSON result. */
function taskDoer(context: Context): DoTask {
  return async (todo) => {
    const { account, task: job, signal } = todo
    const observer = await context.observer()
    let result: unknown
    const output: Output = {
      terminal: false,
      line: () => {},
      table: () => {},
      result: (value) => {
        result = value
      },
      note: (reason) => observer.event('note', { account, job, reason }),
    }
    // The task sees only the account's database.
    const loadConfig: Context['loadConfig'] = async (given) => {
      const loaded = await context.loadConfig(given)
      return { ...loaded, config: databaseOf(loaded.config, account)?.config ?? loaded.config }
    }
    const code = await COMMANDS[job]({ ...context, output, signal, loadConfig }, todo)
    return { code, result }
  }
}

const COMMANDS: Readonly<Record<TaskName, (context: Context, todo: TaskToDo) => Promise<number>>> =
  {
    verify: async (context, { account }) => {
      const { verifyAccounts } = await import('./verify.ts')
      return await verifyAccounts(context, { account })
    },
    'archive-prune': async (context, { account }) => {
      const { pruneArchives } = await import('./archive-prune.ts')
      return await pruneArchives(context, { account, yes: true })
    },
    'audit-export': async (context, { account, days }) => {
      const { exportAudits } = await import('./audit.ts')
      return await exportAudits(context, { account, ...days })
    },
    'ledger-prune': async (context) => {
      const { pruneLedgers } = await import('./ledger.ts')
      return await pruneLedgers(context, { yes: true })
    },
  }
