import { type Command, InvalidArgumentError } from 'commander'
import { type CommonOptions, defineCommand, type Runner } from '../command.ts'

export interface RunsOptions extends CommonOptions {
  account?: string
  limit: number
}

export function runsCommand(run: Runner): Command {
  return defineCommand('runs', 'List the latest runs, or show one in detail', [
    'runs',
    'runs 42',
    'runs --account main --limit 100 --json',
  ])
    .argument('[id]', 'the number of one run', whole)
    .option('-a, --account <name>', 'only this account')
    .option('-n, --limit <count>', 'how many runs at most', whole, 20)
    .action((id: number | undefined, options: RunsOptions) =>
      run(options, async (context) => {
        const { showRuns } = await import('../actions/show-runs.ts')
        return await showRuns(context, id, options)
      }),
    )
}

function whole(value: string): number {
  if (!/^[1-9]\d{0,14}$/.test(value)) throw new InvalidArgumentError('Expected a whole number.')
  return Number(value)
}
