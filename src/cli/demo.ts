import type { Command } from 'commander'
import type { DemoOptions } from './demo/options.ts'
import { defineCommand, type Runner } from './frame/command.ts'

export function demoCommand(run: Runner): Command {
  return defineCommand('demo', 'Try everything against a simulated company', [
    'demo',
    'demo --mutate',
    'demo --database',
    'demo --mutate --database',
  ])
    .option('--mutate', 'change the company first, so that the sync finds changes')
    .option('--reset', 'delete the company and database of earlier demos')
    .option('--database', 'start the database and wait; syncs only with --mutate')
    .option('-o, --out <folder>', 'output folder', 'out')
    .action((options: DemoOptions) =>
      run(options, async (context) => {
        const { runDemo } = await import('./demo/run-demo.ts')
        return await runDemo(context, options)
      }),
    )
}
