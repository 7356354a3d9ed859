import type { Config } from '../config/schema.ts'
import { previousTokenKeys, tokenKey } from '../config/token-key.ts'
import { ConfigurationError } from '../core/errors.ts'
import type { Sealing } from '../erasure/noted-key.ts'
import { createCipher } from '../warehouse/ledger/token-cipher.ts'

/**
 * Seals what an account keeps outside the database with the key of its tokens: all machines of an account
 * have that key, and it can be rotated. What it sealed here opens as no token, and no token as this.
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
