import type { Command } from 'commander'
import { chooseOneAccount } from '../account/choose.ts'
import type { OpenAccount } from '../account/open-account.ts'
import { needsLogin } from '../core/define/app-kind.ts'
import { point } from '../core/kill-point.ts'
import { type CommonOptions, defineCommand, type Runner } from './frame/command.ts'
import type { Context } from './frame/context.ts'
import { withAccount } from './frame/each-account.ts'

interface LogoutOptions extends CommonOptions {
  account?: string
}

export function logoutCommand(run: Runner): Command {
  return defineCommand('logout', "Revoke and delete an account's token", [
    'logout',
    'logout --account main',
  ])
    .option('-a, --account <name>', 'the account (required if there are several)')
    .action((options: LogoutOptions) => run(options, (context) => logOut(context, options)))
}

/**
 * Revokes the account's access token at the service, then deletes all its stored token data, even if the
 * revocation fails, because the token expires within an hour.
 */
export async function logOut(context: Context, options: LogoutOptions): Promise<number> {
  const { config } = await context.loadConfig()
  const settings = chooseOneAccount(config, options.account, 'Logging out')
  const { name, app } = settings
  const { output } = context
  return await withAccount(context, settings, async (account) => {
    const stored = await account.tokens.read()
    if (stored === undefined || stored.accessToken === '') {
      output.line(`Account ${name} has no token.`)
      output.result({ account: name, revoked: false, forgotten: false })
      return 0
    }
    const refusal = await revoke(account, stored.accessToken)
    await point('logout:forgetting')
    await account.tokens.forget(needsLogin(app) ? 'it was logged out' : undefined)
    await point('logout:forgotten')
    const revoked = refusal === undefined
    output.line(`The token of account ${name} was ${revoked ? 'revoked and ' : ''}deleted.`)
    if (!needsLogin(app)) output.line('The next run requests a new one.')
    if (refusal !== undefined)
      output.note(
        'The service did not confirm that it revoked the token, which expires within an hour. ' +
          refusal.message,
      )
    output.result({ account: name, revoked, forgotten: true })
    return revoked ? 0 : 1
  })
}

/** Returns the error if the service did not revoke the token. */
async function revoke({ endpoint }: OpenAccount, accessToken: string): Promise<Error | undefined> {
  await point('logout:revoking')
  try {
    await endpoint.revoke(accessToken)
  } catch (error) {
    return error as Error
  }
  await point('logout:revoked')
  return undefined
}
