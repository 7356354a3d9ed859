import { sql } from 'kysely'
import type { StoredToken, TokenStore } from '../core/ports.ts'
import type { Warehouse } from './connect.ts'
import { isGone, isHolder, thisProcess } from './holder.ts'
import { createCipher } from './token-cipher.ts'

export interface TokenStoreOptions {
  account: string
  /** Which token of the account, e.g. `oauth:<client id>`: another app's is another token. */
  kind: string
  /** 32 bytes. */
  key: Buffer
  previousKeys?: readonly Buffer[]
}

/**
 * The account's token in `callsheet.tokens`. A claim expires by the database's wall time, also where the
 * data's time is frozen, and that of a dead process on this machine counts for nothing.
 */
export function createTokenStore(warehouse: Warehouse, options: TokenStoreOptions): TokenStore {
  const { account, kind } = options
  const cipher = createCipher({ ...options, context: [account, kind] })
  const own = JSON.stringify({ ...thisProcess(), claim: crypto.randomUUID() })
  const read = async (): Promise<StoredToken | undefined> => {
    const row = await readRow(warehouse, options)
    if (row === undefined || row.ciphertext === null || row.expires_at === null) return undefined
    return {
      accessToken: cipher.open(row.ciphertext),
      expiresAtMs: Date.parse(row.expires_at),
      scope: row.scope,
      version: row.version,
    }
  }
  return {
    read,
    claimRenewal: (seenVersion, claimMs) =>
      claim(warehouse, options, { own, seenVersion, claimMs }),
    async save({ accessToken, expiresAtMs, scope }, seenVersion) {
      const values = sql`${cipher.seal(accessToken)}, ${new Date(expiresAtMs).toISOString()},
        ${[...scope]}::text[]`
      // Whoever lost its claim meanwhile may hold a token that is dead already: the stored one stays.
      const saved = await sql`
        insert into callsheet.tokens as t (account, kind, version, ciphertext, expires_at, scope)
        values (${account}, ${kind}, ${seenVersion + 1}, ${values})
        on conflict (account, kind) do update set version = excluded.version,
          ciphertext = excluded.ciphertext, expires_at = excluded.expires_at,
          scope = excluded.scope, claimed_by = null, claimed_until = null
        where t.version = ${seenVersion} returning 1`.execute(warehouse.db)
      if (saved.rows.length > 0)
        return { accessToken, expiresAtMs, scope, version: seenVersion + 1 }
      return (await read()) ?? { accessToken, expiresAtMs, scope, version: seenVersion }
    },
    async releaseClaim() {
      await sql`update callsheet.tokens set claimed_by = null, claimed_until = null
        where account = ${account} and kind = ${kind} and claimed_by = ${own}::jsonb`.execute(
        warehouse.db,
      )
    },
  }
}

interface TokenRow {
  version: number
  ciphertext: Buffer | null
  expires_at: string | null
  scope: string[]
  claimed_by: unknown
}

async function readRow(
  warehouse: Warehouse,
  { account, kind }: TokenStoreOptions,
): Promise<TokenRow | undefined> {
  const { rows } = await sql<TokenRow>`
    select version, ciphertext, expires_at, scope, claimed_by from callsheet.tokens
    where account = ${account} and kind = ${kind}`.execute(warehouse.db)
  return rows[0]
}

interface Claim {
  own: string
  seenVersion: number
  claimMs: number
}

/** Our own claim is no other's: it may be there although its answer was lost. */
async function claim(
  warehouse: Warehouse,
  options: TokenStoreOptions,
  { own, seenVersion, claimMs }: Claim,
): Promise<boolean> {
  const { account, kind } = options
  const claimedBy = (await readRow(warehouse, options))?.claimed_by
  const dead = isHolder(claimedBy) && isGone(claimedBy) ? JSON.stringify(claimedBy) : null
  const until = sql`callsheet.wall() + make_interval(secs => ${claimMs / 1000})`
  const { rows } = await sql`
    insert into callsheet.tokens as t (account, kind, version, claimed_by, claimed_until)
    select ${account}, ${kind}, 0, ${own}::jsonb, ${until}
    where ${seenVersion}::bigint = 0 or exists
      (select 1 from callsheet.tokens where account = ${account} and kind = ${kind})
    on conflict (account, kind) do update set
      claimed_by = excluded.claimed_by, claimed_until = excluded.claimed_until
    where t.version = ${seenVersion} and (t.claimed_until is null
      or t.claimed_until <= callsheet.wall() or t.claimed_by = ${dead}::jsonb
      or t.claimed_by = ${own}::jsonb)
    returning 1`.execute(warehouse.db)
  return rows.length > 0
}
