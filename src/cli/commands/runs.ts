import type { Command } from 'commander'
import type { RunsOptions } from '../actions/show-runs.ts'
import { defineCommand, type Runner, wholeNumber } from '../frame/command.ts'

export function runsCommand(run: Runner): Command {
  return defineCommand('runs', 'List the latest runs, or show one in detail', [
    'runs',
    'runs 42',
    'runs --account main --limit 100 --json',
  ])
    .argument('[id]', 'the number of one run', wholeNumber)
    .option('-a, --account <name>', 'only this account')
    .option('-n, --limit <count>', 'how many runs at most', wholeNumber, 20)
    .action((id: number | undefined, options: RunsOptions) =>
      run(options, async (context) => {
        const { showRuns } = await import('../actions/show-runs.ts')
        return await showRuns(context, id, options)
      }),
    )
}
