import { createInterface } from 'node:readline/promises'
import { chooseOneAccount } from '../../account/choose.ts'
import { credentialsOf, type OpenAccount, openAccount } from '../../account/open-account.ts'
import { withWarehouse } from '../../account/wire.ts'
import { tokenFrom } from '../../api/auth/account-token.ts'
import { beginAuthorization, codeFrom, exchangeCode } from '../../api/auth/authorization-code.ts'
import { awaitDevice } from '../../api/auth/device-login.ts'
import type { GrantedToken } from '../../api/auth/token-endpoint.ts'
import { needsLogin } from '../../core/define/app-kind.ts'
import type { StoredToken, TokenStore } from '../../core/define/ports.ts'
import { AuthenticationError, ConfigurationError } from '../../core/errors.ts'
import { point } from '../../core/kill-point.ts'
import type { CommonOptions } from '../frame/command.ts'
import type { Context } from '../frame/context.ts'
import { duration } from '../frame/output.ts'
import { awaitCallback } from './login-callback.ts'

export interface LoginOptions extends CommonOptions {
  account?: string
  paste?: boolean
}

/** Brings the account's first token, as its kind of app wants it, and stores it. */
export async function logIn(context: Context, options: LoginOptions): Promise<number> {
  const { config } = await context.loadConfig()
  const settings = chooseOneAccount(config, options.account, 'Logging in')
  const { name, app } = settings
  if (!needsLogin(app))
    throw new ConfigurationError('no_login', {
      tried: `Logging account ${name} in`,
      expected: 'an app that a person allows',
      came: `app: ${app}, which asks for its tokens by itself`,
      todo: 'nothing: callsheet doctor shows whether it gets one',
    })
  return await withWarehouse(context, { migrate: true }, async (opened) => {
    const account = await openAccount(opened, settings)
    try {
      const askedAtMs = context.clock.now()
      const granted =
        app === 'device'
          ? await logInByDevice(context, account)
          : await logInByBrowser(context, account, options.paste === true)
      if (granted.refreshToken === undefined) throw withoutRefresh()
      const stored = await keep(account.tokens, tokenFrom(granted, askedAtMs))
      const endsAt = new Date(stored.grant?.endsAtMs ?? 0).toISOString()
      context.output.line(`Account ${name} is logged in, with ${stored.scope.length} scopes.`)
      context.output.line(`Every renewal prolongs it; unused, it ends on ${endsAt.slice(0, 10)}.`)
      context.output.result({ account: name, app, scopes: stored.scope, endsAt })
      return 0
    } finally {
      await account.close()
    }
  })
}

async function logInByBrowser(
  context: Context,
  { settings, endpoint }: OpenAccount,
  paste: boolean,
): Promise<GrantedToken> {
  const { output, signal } = context
  const redirectUrl = settings.redirectUrl ?? ''
  const authorization = await beginAuthorization(credentialsOf(settings), redirectUrl)
  const read = (address: URL): string => codeFrom(address, authorization)
  const show = (): void => {
    output.note('Open this address in a browser, and allow the app:')
    output.note(`  ${authorization.url}`)
  }
  if (paste) {
    show()
    output.note('Then paste the address that the browser ended at:')
    return await exchangeCode(endpoint, authorization, read(await pastedAddress(signal)))
  }
  const code = await awaitCallback({
    redirectUrl,
    read,
    signal,
    onListening: () => {
      show()
      output.note(`Waiting for it to come back to ${redirectUrl} (Ctrl-C stops).`)
    },
  })
  return await exchangeCode(endpoint, authorization, code)
}

/** From standard input, never from the arguments: the address holds the code. */
async function pastedAddress(signal: AbortSignal): Promise<URL> {
  const lines = createInterface({ input: process.stdin, signal })
  try {
    for await (const line of lines) {
      if (line.trim() === '') continue
      const address = URL.parse(line.trim())
      if (address !== null) return address
      break
    }
  } finally {
    lines.close()
  }
  throw new ConfigurationError('no_address', {
    tried: 'Reading the address that the browser ended at',
    expected: 'one line with the whole address, as the browser shows it',
    came: 'something else',
  })
}

async function logInByDevice(
  { output, clock, signal }: Context,
  { endpoint }: OpenAccount,
): Promise<GrantedToken> {
  const code = await endpoint.deviceCode()
  const { userCode, verificationUri, verificationUriComplete, expiresInSeconds } = code
  output.note(`Open ${verificationUri} on any device, and enter the code`)
  output.note(`  ${userCode}`)
  if (verificationUriComplete !== undefined)
    output.note(`or open ${verificationUriComplete}, where it is filled in.`)
  output.note(`The code is good for ${duration(expiresInSeconds * 1000)} (Ctrl-C stops).`)
  return await awaitDevice(endpoint, code, { clock, signal })
}

/** A login stands above whatever is stored; another process may be renewing that meanwhile. */
async function keep(
  store: TokenStore,
  token: Omit<StoredToken, 'version' | 'needsReauth'>,
): Promise<StoredToken> {
  for (;;) {
    const version = (await store.read())?.version ?? 0
    await point('login:persisting')
    const saved = await store.save(token, version)
    if (saved.accessToken !== token.accessToken) continue
    await point('login:persisted')
    return saved
  }
}

function withoutRefresh(): AuthenticationError {
  return new AuthenticationError('no_refresh_token', {
    tried: 'logging in',
    expected: 'a token that can be renewed',
    came: 'one without a refresh token',
    todo: 'check the kind of app in the settings: app',
  })
}
