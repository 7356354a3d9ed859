import { ConfigurationError } from '../core/errors.ts'
import type { Proxy } from '../core/values/proxy.ts'

type Variables = Readonly<Record<string, string | undefined>>

/** Returns the process's environment. No other code reads `process.env`. */
export function environment(): Variables {
  return process.env
}

/** Returns only the variables that an external program needs, because the others may contain secrets. */
export function plainEnvironment(): Variables {
  const all = environment()
  return Object.fromEntries(PLAIN.map((name) => [name, all[name]]))
}

/**
 * Returns the proxy in the environment, read as other programs do: `https_proxy` before `HTTPS_PROXY`, an
 * empty value means no proxy, and the scheme is optional.
 */
export function proxyOf(variables: Variables): Proxy | undefined {
  const given = (variables.https_proxy ?? variables.HTTPS_PROXY ?? '').trim()
  if (given === '') return undefined
  const url = URL.parse(given.includes('://') ? given : `http://${given}`)
  const except = variables.no_proxy ?? variables.NO_PROXY ?? ''
  if (url !== null && /^https?:$/.test(url.protocol) && url.hostname !== '')
    return { address: url.href, except }
  throw new ConfigurationError('proxy_unreadable', {
    tried: 'Reading the environment variable HTTPS_PROXY',
    expected: 'the address of an HTTP proxy, such as http://proxy.example.com:3128',
    // Shows only the protocol, because the address may contain a password.
    came: url === null ? 'the value is not a URL' : `the protocol of the URL is ${url.protocol}`,
    todo: 'correct HTTPS_PROXY, or unset it',
  })
}

const PLAIN = ['PATH', 'HOME', 'USER', 'LANG', 'LC_ALL', 'TZ', 'TMPDIR', 'SystemRoot', 'ComSpec']
