import type { Command } from 'commander'
import type { PlanOptions } from '../actions/plan-accounts.ts'
import { defineCommand, type Runner } from '../frame/command.ts'

export function planCommand(run: Runner): Command {
  return defineCommand('plan', 'Say which calls a sync would make and when it would end', [
    'plan',
    'plan session-reports --full',
  ])
    .addHelpText('after', NOTE)
    .argument('[jobs...]', 'which jobs; without names all that are enabled')
    .option('-a, --account <name>', 'only this account')
    .option('--full', 'as for sync --full')
    .action((jobs: string[], options: PlanOptions) =>
      run(options, async (context) => {
        const { planAccounts } = await import('../actions/plan-accounts.ts')
        return await planAccounts(context, jobs, options)
      }),
    )
}

const NOTE = `
For lists that were never read it asks the service for first pages, about five
for each kind of list, and says how many calls that took. It sends nothing else.
As sync does, it brings the tables of the database up to date first.`
