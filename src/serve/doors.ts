import { createHash, timingSafeEqual } from 'node:crypto'
import type { HttpBindings } from '@hono/node-server'
import type { MiddlewareHandler } from 'hono'
import { secureHeaders } from 'hono/secure-headers'

type Door = MiddlewareHandler<{ Bindings: HttpBindings }>

/** Whatever a page holds, a browser runs no script of it, and loads nothing that is not from here. */
export const safeHeaders: Door = secureHeaders({
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
 * What is downloaded, should a browser show it after all, is of no origin: it must not reach what is shown
 * here. This stands before `safeHeaders`, whose policy it replaces.
 */
export const sandboxed: Door = async (http, next) => {
  await next()
  http.res.headers.set('content-security-policy', "sandbox; default-src 'none'; style-src 'self'")
}

/** Nothing here changes anything. */
export const onlyReads: Door = async (http, next) => {
  if (http.req.method === 'GET' || http.req.method === 'HEAD') return await next()
  return http.text('this only shows\n', 405, { allow: 'GET, HEAD' })
}

/**
 * An address of this machine alone is asked for by its own names. A page of another site, whose name was made
 * to lead here, is refused: a browser would let it read the answers.
 */
export function ownNames(loopback: boolean): Door {
  return async (http, next) => {
    if (!loopback || OWN_NAMES.test(http.req.header('host') ?? '')) return await next()
    return http.text('this address is asked for as localhost\n', 421)
  }
}

/**
 * Admits who shows the token: as a bearer, or as the password of any name, which is what a browser asks for.
 */
export function tokenNeeded(token: string | undefined): Door {
  return async (http, next) => {
    if (token === undefined || holds(token, http.req.header('authorization'))) return await next()
    const ways = 'Basic realm="callsheet", charset="UTF-8", Bearer'
    return http.text('a token is needed\n', 401, { 'www-authenticate': ways })
  }
}

/** Compares digests, because the comparison must not tell how much of a guess is right. */
function holds(token: string, header = ''): boolean {
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
