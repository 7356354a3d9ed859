import type { Command } from 'commander'
import type { DoctorOptions } from '../actions/examine.ts'
import { defineCommand, type Runner } from '../command.ts'

export function doctorCommand(run: Runner): Command {
  return defineCommand('doctor', 'Check everything a sync needs, and say what to do', [
    'doctor',
    'doctor --account main --json',
  ])
    .option('-a, --account <name>', 'only this account')
    .addHelpText('after', '\nIt reads one small page of each job and writes nothing but the token.')
    .action((options: DoctorOptions) =>
      run(options, async (context) => {
        const { examine } = await import('../actions/examine.ts')
        return await examine(context, options)
      }),
    )
}
