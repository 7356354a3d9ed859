import { describe, expect, it } from 'vitest'
import { ConfigurationError } from '../../src/core/errors.ts'
import { parseDatabaseUrl } from '../../src/warehouse/database-url.ts'

describe('a database url', () => {
  it('is read with its encoded parts', () => {
    expect(parseDatabaseUrl('postgresql://a%40b:p%2Fw@localhost:5433/my%20db')).toEqual({
      host: 'localhost',
      port: 5433,
      user: 'a@b',
      password: 'p/w',
      database: 'my db',
      ssl: false,
    })
  })

  it.each([
    ['postgres://u@127.0.0.1/d', '127.0.0.1'],
    ['postgres://u@[::1]/d', '::1'],
    ['postgres://u@/d?host=/var/run/postgresql', '/var/run/postgresql'],
    ['postgres:///d', 'localhost'],
  ])('for this machine needs no certificate: %s', (url, host) => {
    expect(parseDatabaseUrl(url)).toMatchObject({ host, ssl: false, database: 'd' })
  })

  it.each(['', '?sslmode=disable', '?sslmode=require', '?sslmode=verify-ca'])(
    'for a remote host is refused with the query "%s"',
    (query) => {
      const url = `postgres://u:canary@db.example.com/d${query}`
      expect(() => parseDatabaseUrl(url)).toThrow(ConfigurationError)
      expect(() => parseDatabaseUrl(url)).toThrow('sslmode=verify-full')
      expect(() => parseDatabaseUrl(url)).not.toThrow('canary')
    },
  )

  it('for this machine is refused with sslmode=require, and the error names the remedy', () => {
    const url = 'postgres://u@localhost/d?sslmode=require'
    expect(() => parseDatabaseUrl(url)).toThrow('remove sslmode from database.url')
  })

  it('for a host whose name only resembles this machine’s is treated as remote', () => {
    for (const host of ['127.0.0.1.example.com', 'localhost.example.com', '10.0.0.1'])
      expect(() => parseDatabaseUrl(`postgres://u@${host}/d`)).toThrow('verify-full')
  })

  it('for a remote host requires a verified name, unless a setting allows otherwise', () => {
    const url = 'postgres://u@db.example.com/d'
    expect(parseDatabaseUrl(`${url}?sslmode=verify-full`).ssl).toEqual({
      rejectUnauthorized: true,
      servername: 'db.example.com',
    })
    expect(parseDatabaseUrl(url, true).ssl).toBe(false)
  })

  it.each(['canary', 'mysql://u:canary@h/d', 'postgres://u:ca#nary@h:x/d'])(
    'that cannot be parsed is not quoted: %s',
    (url) => {
      expect(() => parseDatabaseUrl(url)).toThrow(ConfigurationError)
      expect(() => parseDatabaseUrl(url)).not.toThrow('ca')
    },
  )

  it('with an unknown parameter is refused, and the error names the parameter', () => {
    expect(() => parseDatabaseUrl('postgres://u@localhost/d?sslmod=x')).toThrow('sslmod')
  })
})
