import type { Command } from 'commander'
import type { LoginOptions } from '../actions/log-in.ts'
import { defineCommand, type Runner } from '../frame/command.ts'

export function loginCommand(run: Runner): Command {
  return defineCommand('login', 'Let a person allow the app, once; later runs renew it', [
    'login',
    'login --account main --paste',
  ])
    .option('-a, --account <name>', 'of which account; needed where there are several')
    .option('--paste', 'the browser is on another machine: paste the address it ends at')
    .action((options: LoginOptions) =>
      run(options, async (context) => {
        const { logIn } = await import('../actions/log-in.ts')
        return await logIn(context, options)
      }),
    )
}
