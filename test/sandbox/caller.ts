import { createHmac } from 'node:crypto'
import type { Sandbox } from '../../sandbox/server/server.ts'

export interface Answered {
  status: number
  headers: Headers
  body: Record<string, unknown>
}

/** Calls the sandbox with plain `fetch`, so that these tests do not depend on the client. */
export interface Caller {
  get(path: string, query?: Record<string, string>): Promise<Answered>
  /** Sends any call, with the body as JSON. A response without a body gives `{}`. */
  send(method: string, path: string, body?: unknown): Promise<Answered>
  /** Returns all records of a token-paged list, in order. */
  drain(path: string, items: string, query?: Record<string, string>): Promise<unknown[]>
}

export async function fetchToken(sandbox: Sandbox, ordinal = 0): Promise<Answered> {
  const app = sandbox.credentials[ordinal]
  const basic = Buffer.from(`${app?.clientId}:${app?.clientSecret}`).toString('base64')
  return answered(
    await fetch(`${sandbox.authUrl}/oauth/token`, {
      method: 'POST',
      headers: { authorization: `Basic ${basic}` },
      body: new URLSearchParams({
        grant_type: 'account_credentials',
        account_id: app?.accountId ?? '',
      }),
    }),
  )
}

export async function oauthCaller(sandbox: Sandbox, ordinal = 0): Promise<Caller> {
  const { body } = await fetchToken(sandbox, ordinal)
  return callerWith(sandbox, String(body.access_token))
}

export function videoCaller(sandbox: Sandbox, ordinal = 0): Caller {
  return callerWith(sandbox, videoToken(sandbox, { ordinal }))
}

export function videoToken(
  sandbox: Sandbox,
  { ordinal = 0, lifetimeSeconds = 3600 }: { ordinal?: number; lifetimeSeconds?: number } = {},
): string {
  const app = sandbox.credentials[ordinal]
  const iat = Math.floor(sandbox.clock.now() / 1000)
  const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')
  const claims = { iss: app?.apiKey, iat, exp: iat + lifetimeSeconds }
  const signed = `${part({ alg: 'HS256', typ: 'JWT' })}.${part(claims)}`
  const signature = createHmac('sha256', app?.apiSecret ?? '').update(signed)
  return `${signed}.${signature.digest('base64url')}`
}

export function callerWith(sandbox: Sandbox, bearer: string): Caller {
  const get: Caller['get'] = async (path, query = {}) => {
    const search = new URLSearchParams(query).toString()
    const url = `${sandbox.baseUrl}${path}${search === '' ? '' : `?${search}`}`
    return answered(await fetch(url, { headers: { authorization: `Bearer ${bearer}` } }))
  }
  return {
    get,
    async send(method, path, body) {
      const headers = { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' }
      const sent = body === undefined ? {} : { body: JSON.stringify(body) }
      return answered(await fetch(`${sandbox.baseUrl}${path}`, { method, headers, ...sent }))
    },
    async drain(path, items, query = {}) {
      const records: unknown[] = []
      for (let token = ''; ; ) {
        const page = await get(path, token === '' ? query : { ...query, next_page_token: token })
        if (page.status !== 200) throw new Error(JSON.stringify(page.body))
        records.push(...(page.body[items] as unknown[]))
        token = (page.body.next_page_token as string | undefined | null) ?? ''
        if (token === '') return records
      }
    },
  }
}

async function answered(response: Response): Promise<Answered> {
  const text = (await response.text()) || '{}'
  const body = JSON.parse(text, keepDigits as Reviver) as Record<string, unknown>
  return { status: response.status, headers: response.headers, body }
}

type Reviver = (this: unknown, key: string, value: unknown) => unknown

/** Keeps integers beyond 2^53 as text, with all their digits. */
function keepDigits(_key: string, value: unknown, context: { source?: string }): unknown {
  const unsafe = typeof value === 'number' && Math.abs(value) > Number.MAX_SAFE_INTEGER
  return unsafe ? context.source : value
}
