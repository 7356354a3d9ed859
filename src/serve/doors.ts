import { createHash, timingSafeEqual } from 'node:crypto'
import type { HttpBindings } from '@hono/node-server'
import type { MiddlewareHandler } from 'hono'
import { secureHeaders } from 'hono/secure-headers'

type Guard = MiddlewareHandler<{ Bindings: HttpBindings }>

/** Prevents browsers from running scripts of the pages and from loading anything from other origins. */
export const safeHeaders: Guard = secureHeaders({
  contentSecurityPolicy: {
    defaultSrc: ["'none'"],
    styleSrc: ["'self'"],
    imgSrc: ["'self'"],
    formAction: ["'none'"],
    frameAncestors: ["'none'"],
    baseUri: ["'none'"],
  },
  xFrameOptions: 'DENY',
})

/**
 * Sandboxes downloads, so that a browser that displays one gives it no access to this origin. Install it
 * before `safeHeaders`, whose policy it replaces.
 */
export const sandboxed: Guard = async (http, next) => {
  await next()
  http.res.headers.set('content-security-policy', "sandbox; default-src 'none'; style-src 'self'")
}

/** Refuses every method but GET and HEAD. */
export const onlyReads: Guard = async (http, next) => {
  if (http.req.method === 'GET' || http.req.method === 'HEAD') return await next()
  return http.text('this only shows\n', 405, { allow: 'GET, HEAD' })
}

/**
 * Accepts only local names in the Host header if the address is a loopback address. This prevents DNS
 * rebinding, by which another site's page could read the responses.
 */
export function ownNames(loopback: boolean): Guard {
  return async (http, next) => {
    if (!loopback || OWN_NAMES.test(http.req.header('host') ?? '')) return await next()
    return http.text('this address is asked for as localhost\n', 421)
  }
}

/**
 * Requires the token, if one is set: as a bearer token, or with any user name as the password, for which
 * browsers prompt.
 */
export function tokenNeeded(token: string | undefined): Guard {
  return async (http, next) => {
    if (token === undefined || isToken(token, http.req.header('authorization'))) return await next()
    const ways = 'Basic realm="callsheet", charset="UTF-8", Bearer'
    return http.text('a token is needed\n', 401, { 'www-authenticate': ways })
  }
}

/** Compares digests in constant time, so that timing does not reveal how much of a guess is right. */
function isToken(token: string, header = ''): boolean {
  const [, scheme = '', given = ''] = /^(\w+) +(\S+) *$/.exec(header) ?? []
  const shown = scheme.toLowerCase() === 'basic' ? passwordIn(given) : given
  const known = ['basic', 'bearer'].includes(scheme.toLowerCase())
  return timingSafeEqual(digest(token), digest(shown)) && known
}

function passwordIn(credentials: string): string {
  const pair = Buffer.from(credentials, 'base64').toString('utf8')
  return pair.slice(pair.indexOf(':') + 1)
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}

const OWN_NAMES = /^(localhost|127\.\d{1,3}\.\d{1,3}\.\d{1,3}|\[::1\])(:\d{1,5})?$/i
