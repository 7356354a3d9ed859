import { randomBytes } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ConfigurationError } from '../core/errors.ts'
import type { Config } from './schema.ts'

/**
 * The key that stored tokens are encrypted with: the setting's, or one made once in the state
 * directory.
 */
export function tokenKey(config: Pick<Config, 'tokenKey' | 'stateDirectory'>): Buffer {
  if (config.tokenKey !== null) return decode(config.tokenKey.reveal(), 'the setting tokenKey')
  const file = join(config.stateDirectory, 'token.key')
  mkdirSync(config.stateDirectory, { recursive: true })
  try {
    // `wx`: of two processes that start at once, one writes and the other reads.
    writeFileSync(file, `${randomBytes(32).toString('hex')}\n`, { mode: 0o600, flag: 'wx' })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
  return decode(readFileSync(file, 'utf8').trim(), file)
}

function decode(text: string, source: string): Buffer {
  const key = /^[0-9a-f]{64}$/i.test(text) ? Buffer.from(text, 'hex') : Buffer.from(text, 'base64')
  if (key.length === 32) return key
  throw new ConfigurationError('token_key_invalid', {
    tried: `Reading the token key from ${source}`,
    expected: '32 bytes as 64 hex digits or in base64',
    came: 'something else',
    todo: 'make one with `openssl rand -hex 32`',
  })
}
