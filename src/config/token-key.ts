import { hkdfSync, randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { ConfigurationError } from '../core/errors.ts'
import { makePrivateDirectory } from '../core/private-directory.ts'
import { makeKeyFile, readKeyFile } from './key-file.ts'
import type { Config } from './schema.ts'

/** Returns the key that encrypts stored tokens: the configured one, or one made in the state directory. */
export function tokenKey(config: Pick<Config, 'tokenKey' | 'stateDirectory'>): Buffer {
  if (config.tokenKey !== null) return decode(config.tokenKey.reveal(), 'the setting tokenKey')
  return ownKey(config, 'token.key')
}

/** Returns the key of an account's hashed columns. Accounts share one secret, but no digests. */
export function columnsKey(
  config: Pick<Config, 'columnsKey' | 'stateDirectory'>,
  account: string,
): Uint8Array {
  const secret =
    config.columnsKey === null
      ? ownKey(config, 'columns.key')
      : decode(config.columnsKey.reveal(), 'the setting columnsKey')
  return new Uint8Array(hkdfSync('sha256', secret, '', `columns of ${account}`, 32))
}

/** Returns the key in a file of the state directory, made at the first use. */
function ownKey({ stateDirectory }: Pick<Config, 'stateDirectory'>, name: string): Buffer {
  const file = join(stateDirectory, name)
  makePrivateDirectory(stateDirectory)
  if (!existsSync(file)) makeKeyFile(file, `${randomBytes(32).toString('hex')}\n`)
  return decode(readKeyFile(file).trim(), file)
}

/** Returns the keys from before a rotation, which still decrypt stored tokens. */
export function previousTokenKeys({ previousTokenKeys: keys }: Pick<Config, 'previousTokenKeys'>) {
  return keys.map((key) => decode(key.reveal(), 'the setting previousTokenKeys'))
}

function decode(text: string, source: string): Buffer {
  const key = /^[0-9a-f]{64}$/i.test(text) ? Buffer.from(text, 'hex') : Buffer.from(text, 'base64')
  if (key.length === 32) return key
  throw new ConfigurationError('token_key_invalid', {
    tried: `Reading the key from ${source}`,
    expected: '32 bytes as 64 hex digits or in base64',
    came: 'the text is not a key of 32 bytes',
    todo:
      'restore the key from a backup; only if nothing was ever stored with it, create one with ' +
      'openssl rand -hex 32',
  })
}
