import type { Command } from 'commander'
import type { LogoutOptions } from '../actions/log-out.ts'
import { defineCommand, type Runner } from '../frame/command.ts'

export function logoutCommand(run: Runner): Command {
  return defineCommand('logout', "Revoke an account's token, and forget it", [
    'logout',
    'logout --account main',
  ])
    .option('-a, --account <name>', 'of which account; needed where there are several')
    .action((options: LogoutOptions) =>
      run(options, async (context) => {
        const { logOut } = await import('../actions/log-out.ts')
        return await logOut(context, options)
      }),
    )
}
