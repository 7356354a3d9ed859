import type { Command } from 'commander'
import type { DemoOptions } from './demo/options.ts'
import { defineCommand, type Runner } from './frame/command.ts'

export function demoCommand(run: Runner): Command {
  return defineCommand(
    'demo',
    'Run everything against a simulated company, from nothing to workbooks',
    ['demo', 'demo --mutate', 'demo --database'],
  )
    .option('--mutate', 'change the company first; the sync then shows exactly these changes')
    .option('--reset', 'forget the company and the database of earlier demos')
    .option('--database', "only start the demo's database and say how to look at it, until Ctrl-C")
    .option('-o, --out <folder>', 'where the workbooks and pages are written', 'out')
    .action((options: DemoOptions) =>
      run(options, async (context) => {
        const { runDemo } = await import('./demo/run-demo.ts')
        return await runDemo(context, options)
      }),
    )
}
