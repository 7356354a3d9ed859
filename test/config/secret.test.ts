import { chmodSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { inspect } from 'node:util'
import { describe, expect, it } from 'vitest'
import { tokenKey } from '../../src/config/token-key.ts'
import { account, useConfigFolder } from './config-folder.ts'

const { inFolder, load } = useConfigFolder()

describe('a secret', () => {
  it('is read from the environment or a file when it is used', () => {
    expect(
      load(account.join('\n'), { SECRET: 's3' }).config.accounts[0]?.clientSecret?.reveal(),
    ).toBe('s3')
    writeFileSync(inFolder('secret'), 'from-file\n', { mode: 0o600 })
    const { config, warnings } = load(account.join('\n').replace('env:SECRET', 'file:secret'))
    expect(config.accounts[0]?.clientSecret?.reveal()).toBe('from-file')
    expect(warnings).toEqual([])
  })

  it('fails with its place in the configuration if it is missing', () => {
    const { config } = load(account.join('\n'))
    expect(() => config.accounts[0]?.clientSecret?.reveal()).toThrow(
      /config\.yaml:7:19 \(accounts\[0\]\.clientSecret\): environment variable SECRET is not set/,
    )
    const named = load(account.join('\n').replace('env:SECRET', 'file:nowhere')).config
    expect(() => named.accounts[0]?.clientSecret?.reveal()).toThrow(
      /the file \/\S+\/nowhere cannot be read: there is no such file.* Restore the file/is,
    )
  })

  it('fails only when it is used if its file cannot be inspected', () => {
    // A link to itself takes the place of a folder without access, which would not stop root.
    symlinkSync('secret', inFolder('secret'))
    const { config, warnings } = load(account.join('\n').replace('env:SECRET', 'file:secret'))
    expect(warnings).toEqual([])
    expect(() => config.accounts[0]?.clientSecret?.reveal()).toThrow(
      /cannot be read: the system reports ELOOP/,
    )
  })

  it('causes a warning if it is in the configuration or others may read its file', () => {
    const inline = load(account.join('\n').replace('env:SECRET', 'topsecret'))
    expect(inline.warnings.join()).toMatch(/config\.yaml:7:19 .* use env:NAME or file:path/)
    expect(inline.warnings.join()).not.toContain('topsecret')
    writeFileSync(inFolder('secret'), 'x')
    chmodSync(inFolder('secret'), 0o644)
    const open = load(account.join('\n').replace('env:SECRET', 'file:secret'))
    expect(open.warnings.join()).toContain('chmod 600')
  })

  it.each([
    ['postgresql://sync@localhost/callsheet', 0],
    ['postgresql:///callsheet?host=/run/postgresql', 0],
    ['postgresql://sync:topsecret@localhost/callsheet', 1],
    ['postgresql://sync:top/secret@localhost/callsheet', 1],
    ['postgresql://localhost/callsheet?password=topsecret', 1],
    ['postgresql://top@secret@localhost/callsheet', 1],
  ])('in a database URL causes a warning only if the URL has a password: %s', (url, many) => {
    const text = account.join('\n').replace('env:SECRET', 'env:OTHER')
    expect(load(`${text}\ndatabase: {url: '${url}'}`).warnings).toHaveLength(many)
  })

  it('is never printed, logged or serialized', () => {
    const { config } = load(account.join('\n').replace('env:SECRET', 'topsecret'))
    const shown = [
      JSON.stringify(config),
      inspect(config, { depth: 9, showHidden: true }),
      `${config.accounts[0]?.clientSecret?.toString()}`,
    ]
    for (const text of shown) expect(text).not.toContain('topsecret')
  })
})

describe('the token key', () => {
  it('is created once, and only its owner can read it', () => {
    const { config } = load(account.join('\n'))
    const key = tokenKey(config)
    expect(key).toHaveLength(32)
    expect(tokenKey(config)).toEqual(key)
    expect(statSync(inFolder('.callsheet/token.key')).mode & 0o777).toBe(0o600)
  })

  it('can be configured, and must have 32 bytes', () => {
    const text = [...account, 'tokenKey: env:KEY'].join('\n')
    expect(tokenKey(load(text, { KEY: 'ab'.repeat(32) }).config)).toEqual(Buffer.alloc(32, 0xab))
    expect(() => tokenKey(load(text, { KEY: 'short' }).config)).toThrow(/32 bytes/)
  })
})
