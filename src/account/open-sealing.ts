import type { Config } from '../config/schema.ts'
import { previousTokenKeys, tokenKey } from '../config/token-key.ts'
import { ConfigurationError } from '../core/errors.ts'
import type { Sealing } from '../erasure/noted-key.ts'
import { createCipher } from '../warehouse/ledger/token-cipher.ts'

/**
 * Encrypts an account's data outside the database. It uses the token key, which all machines of the account
 * have and which can be rotated. Such data cannot be opened as a token, nor a token as such data.
 */
export function openSealing(
  config: Pick<Config, 'previousTokenKeys' | 'stateDirectory' | 'tokenKey'>,
  account: string,
): Sealing {
  const cipher = createCipher({
    key: tokenKey(config),
    previousKeys: previousTokenKeys(config),
    context: [account, 'suppression key'],
  })
  return {
    name: cipher.keyId,
    seal: (plain) => cipher.seal(plain),
    open(sealed) {
      try {
        return cipher.open(sealed)
      } catch (error) {
        if (error instanceof ConfigurationError) return undefined
        throw error
      }
    },
  }
}
