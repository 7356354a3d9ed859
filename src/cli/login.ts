import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { createInterface } from 'node:readline/promises'
import type { Command } from 'commander'
import { chooseOneAccount } from '../account/choose.ts'
import type { OpenAccount } from '../account/open-account.ts'
import { tokenFrom } from '../api/auth/account-token.ts'
import { awaitDevice } from '../api/auth/device-login.ts'
import type { GrantedToken } from '../api/auth/token-endpoint.ts'
import { needsLogin } from '../core/define/app-kind.ts'
import type { StoredToken, TokenStore } from '../core/define/ports.ts'
import { AuthenticationError, ConfigurationError } from '../core/errors.ts'
import { point } from '../core/kill-point.ts'
import { duration } from '../core/values/quantities.ts'
import { type CommonOptions, defineCommand, type Runner } from './frame/command.ts'
import type { Context } from './frame/context.ts'
import { withAccount } from './frame/each-account.ts'

interface LoginOptions extends CommonOptions {
  account?: string
  paste?: boolean
}

export function loginCommand(run: Runner): Command {
  return defineCommand('login', 'Authorize an app that needs a person to sign in once', [
    'login',
    'login --account main --paste',
  ])
    .option('-a, --account <name>', 'the account (required if there are several)')
    .option('--paste', 'browser on another machine: paste the final address')
    .action((options: LoginOptions) => run(options, (context) => logIn(context, options)))
}

/** Gets a token for the account, by the flow of its kind of app, and stores it. */
export async function logIn(context: Context, options: LoginOptions): Promise<number> {
  const { config } = await context.loadConfig()
  const settings = chooseOneAccount(config, options.account, 'Logging in')
  const { name, app } = settings
  if (!needsLogin(app))
    throw new ConfigurationError('no_login', {
      tried: `Logging account ${name} in`,
      came: `the app of this account is of the kind ${app}, which needs no login`,
      todo: 'nothing; callsheet doctor checks the token',
    })
  return await withAccount(context, settings, async (account) => {
    const askedAtMs = context.clock.now()
    const granted =
      app === 'device'
        ? await logInByDevice(context, account)
        : await logInByBrowser(context, account, options.paste === true)
    if (granted.refreshToken === undefined) throw withoutRefresh()
    const stored = await keep(account.tokens, tokenFrom(granted, askedAtMs))
    const endsAt = new Date(stored.grant?.endsAtMs ?? 0).toISOString()
    context.output.line(`Account ${name} is logged in, with ${stored.scope.length} scopes.`)
    context.output.line(
      `Each run renews the login. Without a run, it expires on ${endsAt.slice(0, 10)}.`,
    )
    context.output.result({ account: name, app, scopes: stored.scope, endsAt })
    return 0
  })
}

async function logInByBrowser(
  context: Context,
  { settings, endpoint }: OpenAccount,
  paste: boolean,
): Promise<GrantedToken> {
  const { credentialsOf } = await import('../account/open-account.ts')
  const { beginAuthorization, codeFrom, exchangeCode } = await import(
    '../api/auth/authorization-code.ts'
  )
  const { output, signal } = context
  const redirectUrl = settings.redirectUrl ?? ''
  const authorization = await beginAuthorization(credentialsOf(settings), redirectUrl)
  const read = (address: URL): string => codeFrom(address, authorization)
  const show = (): void => {
    output.note('Open this URL in a browser and authorize the app:')
    output.note(`  ${authorization.url}`)
  }
  if (paste) {
    show()
    output.note('Then paste the URL that the browser ends at:')
    return await exchangeCode(endpoint, authorization, read(await pastedAddress(signal)))
  }
  const code = await awaitCallback({
    redirectUrl,
    read,
    signal,
    onListening: () => {
      show()
      output.note(`Waiting for the browser to return to ${redirectUrl} (Ctrl-C to cancel).`)
    },
  })
  return await exchangeCode(endpoint, authorization, code)
}

/** Reads the address from standard input and not from the arguments, because it contains the code. */
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
    tried: 'Reading the URL from the browser',
    came: 'the pasted text is not a URL',
    todo: 'log in again and paste the whole URL from the address bar as one line',
  })
}

async function logInByDevice(
  { output, clock, signal }: Context,
  { endpoint }: OpenAccount,
): Promise<GrantedToken> {
  const code = await endpoint.deviceCode()
  const { userCode, verificationUri, verificationUriComplete, expiresInSeconds } = code
  output.note(`Open ${verificationUri} on any device and enter this code:`)
  output.note(`  ${userCode}`)
  if (verificationUriComplete !== undefined)
    output.note(`Or open ${verificationUriComplete}, which contains the code.`)
  output.note(`The code expires in ${duration(expiresInSeconds * 1000)} (Ctrl-C to cancel).`)
  return await awaitDevice(endpoint, code, { clock, signal })
}

/** Stores the new token. A login replaces any stored token, even one that another process is renewing. */
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
    tried: 'Logging in',
    came: 'the service returned a token without a refresh token, so the login cannot be renewed',
    todo: 'set accounts[].app to the kind that the page of the app at the service shows, then log in again',
  })
}

interface CallbackOptions<T> {
  redirectUrl: string
  /**
   * Throws an AuthenticationError for an unusable address; `foreign_answer` means another login's address.
   */
  read(address: URL): T
  /** Called once the server is ready for the browser. */
  onListening(): void
  signal: AbortSignal
}

/**
 * Waits on this machine for one redirect of the browser. Rejects requests that do not belong to this login
 * (another page, a port scan, a response to an older attempt) and continues to wait.
 */
async function awaitCallback<T>(options: CallbackOptions<T>): Promise<T> {
  const { redirectUrl, onListening, signal } = options
  const server = createServer({ requestTimeout: 10_000, maxHeaderSize: 16_384 })
  const answered = new Promise<T>((resolve, reject) => {
    server.on('request', (request: IncomingMessage, response: ServerResponse) =>
      answer({ request, response }, options, { resolve, reject }),
    )
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true })
  })
  answered.catch(() => {})
  await listen(server, redirectUrl)
  try {
    signal.throwIfAborted()
    onListening()
    return await answered
  } finally {
    server.close()
    server.closeIdleConnections()
  }
}

function answer<T>(
  { request, response }: { request: IncomingMessage; response: ServerResponse },
  { redirectUrl, read }: CallbackOptions<T>,
  { resolve, reject }: { resolve(value: T): void; reject(error: unknown): void },
): void {
  const due = new URL(redirectUrl)
  const address = URL.parse(request.url ?? '/', redirectUrl)
  const ours =
    request.method === 'GET' &&
    request.headers.host === due.host &&
    address?.pathname === due.pathname
  if (!ours || address === null) return say(response, 404, 'Not found.')
  try {
    const value = read(address)
    say(response, 200, 'You are logged in. You can close this page and return to the terminal.')
    resolve(value)
  } catch (error) {
    if (error instanceof AuthenticationError && error.code === 'foreign_answer')
      return say(response, 400, 'This response does not belong to the current login.')
    say(response, 403, 'The app was not authorized. See the terminal for details.')
    reject(error)
  }
}

function say(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'",
    'referrer-policy': 'no-referrer',
    'cache-control': 'no-store',
    connection: 'close',
  })
  response.end(
    `<!doctype html><html lang="en"><meta charset="utf-8"><title>Callsheet</title>` +
      `<body style="font: 16px/1.5 system-ui, sans-serif; margin: 4rem auto; max-width: 34rem">` +
      `<h1>Callsheet</h1><p>${text}</p></body></html>\n`,
  )
}

async function listen(server: Server, redirectUrl: string): Promise<void> {
  const { hostname, port } = new URL(redirectUrl)
  try {
    server.listen(Number(port), hostname.replace(/^\[|\]$/g, ''))
    await once(server, 'listening')
  } catch (error) {
    throw new ConfigurationError('callback_unavailable', {
      tried: `Waiting for the browser at ${redirectUrl}`,
      came: `the port cannot be opened (${(error as NodeJS.ErrnoException).code ?? 'unknown reason'})`,
      todo:
        'log in with --paste; to use the port, end the program that has it open, or set ' +
        'redirectUrl to a free port of 1024 or above',
    })
  }
}
