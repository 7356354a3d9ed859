import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { AuthenticationError, ConfigurationError } from '../../core/errors.ts'

export interface CallbackOptions<T> {
  redirectUrl: string
  /** Throws an AuthenticationError for an address that is worth nothing: `foreign_answer` for a stray one. */
  read(address: URL): T
  /** Called when the browser may come. */
  onListening(): void
  signal: AbortSignal
}

/**
 * Waits on this machine for the browser to come back, once. What does not belong to this login (another
 * page, a scan of ports, an answer to an older try) is turned away, and the wait goes on.
 */
export async function awaitCallback<T>(options: CallbackOptions<T>): Promise<T> {
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
  if (!ours || address === null) return say(response, 404, 'Nothing is here.')
  try {
    const value = read(address)
    say(response, 200, 'It worked. You can close this page and go back to the terminal.')
    resolve(value)
  } catch (error) {
    if (error instanceof AuthenticationError && error.code === 'foreign_answer')
      return say(response, 400, 'This answer does not belong to the login that is under way.')
    say(response, 403, 'The app was not allowed. The terminal says more.')
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
      expected: 'a free port',
      came: (error as NodeJS.ErrnoException).code ?? 'it cannot be listened on',
      todo: 'stop what has the port, or log in with --paste',
    })
  }
}
