import { createSecureContext } from 'node:tls'
import { ConfigurationError } from '../core/errors.ts'
import { MOST_SETTINGS_BYTES, readSmallFile } from '../core/read-small-file.ts'

export interface ConnectionTarget {
  host: string
  port: number
  user: string | undefined
  password: string | undefined
  database: string
  ssl: false | { rejectUnauthorized: true; servername?: string; ca?: string }
}

/**
 * Reads a database url. The driver's own parser is not used, because it lets the url override the program's
 * settings. A remote host needs a verified certificate unless `allowUnverified` is set; loopback and unix
 * sockets need none.
 */
export function parseDatabaseUrl(text: string, allowUnverified = false): ConnectionTarget {
  const url = readUrl(text)
  const parameters = new Map(url.searchParams)
  const host = parameters.get('host') ?? decodeURIComponent(url.hostname).replace(/^\[|\]$/g, '')
  const sslmode = parameters.get('sslmode')
  refuseUnknown(parameters)
  const target = {
    host: host === '' ? 'localhost' : host,
    port: url.port === '' ? 5432 : Number(url.port),
    user: part(url.username),
    password: part(url.password),
    database: part(url.pathname.slice(1)) ?? part(url.username) ?? 'postgres',
  }
  if (sslmode === 'verify-full') return { ...target, ssl: verified(target.host, parameters) }
  if (sslmode === undefined || sslmode === 'disable' || sslmode === 'prefer') {
    if (isLocal(target.host) || allowUnverified) return { ...target, ssl: false }
  }
  throw new ConfigurationError('database_tls', {
    tried: `Reading database.url for the host ${target.host}`,
    expected: isLocal(target.host)
      ? 'no sslmode, because the host is this machine, or verify-full'
      : 'sslmode=verify-full, because the host is on the network',
    came: sslmode === undefined ? 'sslmode is missing' : `sslmode is ${sslmode}`,
    todo: isLocal(target.host)
      ? 'remove sslmode from database.url'
      : 'set sslmode=verify-full in database.url (and sslrootcert=FILE for a private certificate ' +
        'authority), or, inside a network that nobody else can reach, ' +
        `${sslmode === undefined ? '' : 'remove sslmode and '}set database.allowUnverified`,
  })
}

export function isLocal(host: string): boolean {
  return host.startsWith('/') || LOOPBACK.test(host)
}

function readUrl(text: string): URL {
  // `user@` without a host is valid for Postgres, because a parameter can name the host, but not for `URL`.
  const url = URL.parse(text.replace(/^(postgres(?:ql)?:\/\/[^/?#]*@)(?=\/)/, '$1localhost'))
  if (url !== null && /^postgres(ql)?:$/.test(url.protocol)) return url
  // The text itself may contain a password, so it is not quoted.
  throw new ConfigurationError('database_url', {
    tried: 'Reading database.url',
    expected: 'postgresql://user:password@host:port/database',
    came: url === null ? 'the text is not a valid URL' : `the URL begins with ${url.protocol}`,
    todo:
      url === null
        ? 'check the form of the URL, and encode special characters of the password (%40 for @, %2F for /)'
        : 'begin database.url with postgresql://',
  })
}

function refuseUnknown(parameters: ReadonlyMap<string, string>): void {
  const unknown = [...parameters.keys()].filter((name) => !PARAMETERS.has(name))
  if (unknown.length === 0) return
  throw new ConfigurationError('database_url', {
    tried: 'Reading database.url',
    expected: `only the parameters ${[...PARAMETERS].join(', ')}`,
    came: `the URL has unsupported parameters: ${unknown.join(', ')}`,
    todo: 'remove these parameters from database.url',
  })
}

function verified(
  host: string,
  parameters: ReadonlyMap<string, string>,
): Exclude<ConnectionTarget['ssl'], false> {
  const file = parameters.get('sslrootcert')
  const ca = file === undefined || file === 'system' ? {} : { ca: readAuthority(file) }
  // TLS forbids IP addresses as server names.
  const name = /^[\d.]+$|:/.test(host) ? {} : { servername: host }
  return { rejectUnauthorized: true, ...name, ...ca }
}

/** Checks the file here, because a bad one would otherwise fail only in the handshake. */
function readAuthority(file: string): string {
  try {
    const text = readSmallFile(file, MOST_SETTINGS_BYTES).toString('utf8')
    createSecureContext({ ca: text })
    if (text.includes('-----BEGIN CERTIFICATE-----')) return text
  } catch {
    // An unreadable file and a bad certificate get the same message.
  }
  throw new ConfigurationError('database_tls', {
    tried: `Reading the certificates of sslrootcert=${file}`,
    expected: 'a file with certificates in PEM',
    came: 'the file cannot be read, or contains no certificate',
    todo: 'set sslrootcert to the certificate of the authority that signed the server certificate',
  })
}

function part(text: string): string | undefined {
  return text === '' ? undefined : decodeURIComponent(text)
}

const PARAMETERS = new Set(['host', 'sslmode', 'sslrootcert'])
const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|::1)$/
