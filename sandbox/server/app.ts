import { type HttpBindings } from '@hono/node-server'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import { Hono, type Context as HonoContext } from 'hono'
import { itemsOf, type Operation } from '../../src/core/define/operation.ts'
import { addLoginPages } from '../access/login-pages.ts'
import { confidentialApp, type TokenRequest } from '../access/token-grants.ts'
import { encodingNamed } from '../forms/envelope-answer.ts'
import { shapeHeaders, shapeRefusal } from '../forms/shape-answer.ts'
import type { Answering } from '../protocol/call.ts'
import type { Fault } from '../protocol/faults.ts'
import { fileAnswer, SandboxFile } from '../protocol/file-bytes.ts'
import { askedAtFileHost, isAtFileHost } from '../protocol/file-host.ts'
import { refuse, SandboxRefusal } from '../protocol/refusal.ts'
import { type MatchedRoute, router } from '../protocol/routes.ts'
import type { Readings } from '../readings/readings.ts'
import { plainId } from '../seed-data/ids.ts'
import { addAdmin } from './admin.ts'
import type { SandboxContext } from './context.ts'
import { FILE_FAULTS, missingAt, strikeFile } from './file-faults.ts'
import { proxyAnswer } from './proxy-answer.ts'
import { type Answered, callServer } from './serve-call.ts'

type Http = HonoContext<{ Bindings: HttpBindings }>

/** Serves `/oauth/...`, `/v2/...` for the operations, and `/__sandbox/...` for tests and the demo. */
export function makeApp(
  context: SandboxContext,
  operations: readonly Operation[],
  answers: Readonly<Record<string, Answering>>,
): Hono<{ Bindings: HttpBindings }> {
  const app = new Hono<{ Bindings: HttpBindings }>()
  addAdmin(app, context)
  addLoginPages(app, context)
  const { authorizer, readings } = context
  app.post('/oauth/token', (http) => answerForm(context, http, authorizer.issueToken))
  app.post('/oauth/revoke', (http) => answerForm(context, http, authorizer.revoke))
  app.post('/oauth/devicecode', (http) =>
    answerForm(context, http, (asked) => newDevice(context, asked)),
  )
  const match = router(operations, readings)
  const serve = callServer(context, answers)
  let serial = 0
  app.all('*', async (http) => {
    const raw = http.env.incoming.url ?? '/'
    const [rawPath, rawQuery] = split(raw)
    const matched = rawPath.startsWith('/v2/')
      ? match(http.req.method, rawPath.slice(3))
      : undefined
    const headers = ownHeaders(context, serial++)
    if (matched === undefined) return print(refuse(404, 404, 'No such path.'), headers, readings)
    const query = new URLSearchParams(rawQuery)
    const host = http.req.header('host')
    const other = proxyAnswer(context, { path: raw, host }, serial)
    if (other !== undefined) return print(other, headers, readings)
    const fault = context.faults.strike(matched.operation, [
      ...Object.values(matched.path),
      ...query.values(),
    ])
    const authorization = http.req.header('authorization') ?? ''
    const sent = await http.req.text()
    const compute = (limitedBy?: 'per-second' | 'daily'): Response =>
      attempt(
        () => {
          const asked = { ...matched, authorization, query, body: parseBody(sent) }
          const elsewhere = isAtFileHost(context, host)
          return serve(elsewhere ? askedAtFileHost(context, asked) : asked, limitedBy)
        },
        headers,
        readings,
      )
    return fault === undefined
      ? compute()
      : strike(context, { http, fault, headers, compute, matched })
  })
  return app
}

/** Answers a form. Parameters may be in the query too, unless an app without a secret exchanges a code. */
async function answerForm(
  context: SandboxContext,
  http: Http,
  answer: (asked: TokenRequest) => object,
): Promise<Response> {
  const query = new URL(http.req.url).searchParams
  const form = new URLSearchParams(await http.req.text())
  const both = new URLSearchParams([...query, ...form])
  const authorization = http.req.header('authorization') ?? ''
  const isPublic = authorization === '' && both.get('grant_type') === 'authorization_code'
  const parameters = isPublic ? form : both
  return attempt(
    () => ({ status: 200, body: answer({ authorization, parameters, query }) }),
    ownHeaders(context, context.stats.tokenRenewals),
    context.readings,
  )
}

/** Issues a device code. The app must be named in the query; a form is ignored. */
function newDevice(context: SandboxContext, { authorization, query }: TokenRequest): object {
  const asked = confidentialApp(context.apps, authorization)
  if (query.get('client_id') !== asked.clientId)
    throw new SandboxRefusal(400, { reason: 'client_id mismatch', error: 'invalid_request' })
  // The documents have no error for this, so the code is OAuth's own.
  if (!asked.deviceUse)
    throw new SandboxRefusal(400, { reason: 'Device use is off', error: 'unauthorized_client' })
  const { deviceCode, device } = context.authorizer.devices.newDevice(asked)
  const address = `${context.baseUrl.replace(/\/v2$/, '')}/oauth/device`
  return {
    device_code: deviceCode,
    user_code: device.userCode,
    verification_uri: address,
    verification_uri_complete: `${address}?user_code=${device.userCode}`,
    expires_in: Math.round((device.expiresMs - context.clock.now()) / 1000),
    interval: device.intervalMs / 1000,
  }
}

function parseBody(text: string): unknown {
  if (text === '') return undefined
  try {
    return JSON.parse(text)
  } catch {
    throw refuse(400, 300, 'The body is not JSON.')
  }
}

function attempt(
  answer: () => Answered,
  headers: Record<string, string>,
  readings: Readings,
): Response {
  try {
    const { status, body } = answer()
    if (body === undefined) return new Response(null, { status, headers: withoutType(headers) })
    if (!(body instanceof SandboxFile))
      return new Response(JSON.stringify(body), {
        status,
        headers: { ...headers, ...encodingNamed(readings) },
      })
    return fileAnswer(body, headers, readings.fileLength)
  } catch (error) {
    if (error instanceof SandboxRefusal) return print(error, headers, readings)
    throw error
  }
}

function withoutType({ 'content-type': _type, ...rest }: Record<string, string>) {
  return rest
}

function print(
  { status, body, headers: own }: SandboxRefusal,
  headers: Record<string, string>,
  readings: Readings,
): Response {
  const isPage = typeof body === 'string'
  const type = isPage ? { 'content-type': 'text/html' } : {}
  return new Response(isPage ? body : JSON.stringify(shapeRefusal(readings, body)), {
    status,
    headers: { ...headers, ...type, ...own },
  })
}

/** Returns the usual headers, with the sandbox's time (which may be frozen) and a tracking ID. */
function ownHeaders(context: SandboxContext, serial: number): Record<string, string> {
  return shapeHeaders(context.readings, {
    'content-type': 'application/json;charset=UTF-8',
    date: new Date(context.clock.now()).toUTCString(),
    'x-svc-trackingid': `sbx_${plainId(context.seed, 0x7ac, serial)}`,
  })
}

async function strike(
  context: SandboxContext,
  call: {
    http: Http
    fault: Fault
    headers: Record<string, string>
    compute(limitedBy?: 'per-second' | 'daily'): Response
    matched: MatchedRoute
  },
): Promise<Response> {
  const { http, fault, headers, compute } = call
  const { stats, readings } = context
  stats.faults[fault.kind] = (stats.faults[fault.kind] ?? 0) + 1
  if (FILE_FAULTS.has(fault.kind))
    return await strikeFile(http.env, fault, {
      whole: compute,
      sleep: (ms) => context.clock.sleep(ms),
      missing: () => print(missingAt(context, call.matched), headers, context.readings),
    })
  switch (fault.kind) {
    case 'status':
      return print(
        new SandboxRefusal(fault.status, { code: fault.status, message: 'Fault injected.' }),
        headers,
        readings,
      )
    case 'html':
      return new Response('<html><body>Please wait</body></html>', {
        headers: { ...headers, 'content-type': 'text/html' },
      })
    case 'broken-json':
      return new Response((await compute().text()).slice(0, -7), { headers })
    case 'truncated':
      return truncate(http, await compute().arrayBuffer(), headers)
    case 'reset':
      http.env.incoming.socket.resetAndDestroy()
      return RESPONSE_ALREADY_SENT
    case 'slow':
      await context.clock.sleep(fault.delayMs)
      return compute()
    case 'rate-limited':
      return compute('per-second')
    case 'daily-limit':
      return compute('daily')
    case 'invalid-token':
      return print(refuse(401, 124, 'Invalid access token.'), headers, readings)
    case 'error-in-200':
      return new Response('{"code":200,"message":"You do not have the right permissions"}', {
        headers,
      })
    case 'empty-list': {
      const items = itemsOf(call.matched.operation)
      const body = items === undefined ? [] : { next_page_token: '', [items]: [] }
      return new Response(JSON.stringify(body), { headers })
    }
    default:
      return print(refuse(400, 300, 'No such fault.'), headers, readings)
  }
}

/** Announces the whole body, but closes the connection after a part of it. */
function truncate(http: Http, body: ArrayBuffer, headers: Record<string, string>): Response {
  const bytes = Buffer.from(body)
  const { outgoing } = http.env
  outgoing.writeHead(200, { ...headers, 'content-length': String(bytes.length) })
  outgoing.write(bytes.subarray(0, Math.floor(bytes.length / 2)), () => outgoing.destroy())
  return RESPONSE_ALREADY_SENT
}

function split(raw: string): [string, string] {
  const mark = raw.indexOf('?')
  return mark < 0 ? [raw, ''] : [raw.slice(0, mark), raw.slice(mark + 1)]
}
