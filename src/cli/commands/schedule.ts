import type { Command } from 'commander'
import type { ScheduleOptions } from '../actions/keep-schedule.ts'
import { defineCommand, type Runner } from '../frame/command.ts'

export function scheduleCommand(run: Runner): Command {
  return defineCommand('schedule', 'Keep running and sync each job when it is due', [
    'schedule',
    'schedule --account main',
  ])
    .option('-a, --account <name>', 'only this account')
    .addHelpText('after', '\nWhat was due while it did not run is caught up at the start.')
    .action((options: ScheduleOptions) =>
      run(options, async (context) => {
        const { keepSchedule } = await import('../actions/keep-schedule.ts')
        return await keepSchedule(context, options)
      }),
    )
}
