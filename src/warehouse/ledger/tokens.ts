import { sql } from 'kysely'
import type { StoredToken, TokenStore, UserGrant } from '../../core/define/ports.ts'
import type { Transaction, Warehouse } from '../connect.ts'
import { isGone, isHolder, thisProcess } from '../holder.ts'
import { wall } from '../schema/expressions.ts'
import { type Cipher, createCipher } from './token-cipher.ts'

export interface TokenStoreOptions {
  account: string
  /** The kind of token, e.g. `oauth:<client id>`: each app has its own. */
  kind: string
  /** 32 bytes. */
  key: Buffer
  previousKeys?: readonly Buffer[]
}

/**
 * Stores the account's token in `callsheet.tokens`. A claim on its renewal expires by the database's wall
 * time, even if the data's clock is frozen. On the same machine, a dead process's claim does not count.
 */
export function createTokenStore(warehouse: Warehouse, options: TokenStoreOptions): TokenStore {
  const { account, kind } = options
  const ciphers: Ciphers = {
    token: createCipher({ ...options, context: [account, kind] }),
    grant: createCipher({ ...options, context: [account, kind, 'grant'] }),
  }
  const own = JSON.stringify({ ...thisProcess(), claim: crypto.randomUUID() })
  const read = async (): Promise<StoredToken | undefined> =>
    tokenOf(ciphers, await readRow(warehouse.db, options))
  return {
    read,
    claimRenewal: (seenVersion, claimMs) =>
      claim(warehouse, options, { own, seenVersion, claimMs }),
    async save(token, seenVersion) {
      if (await saveToken(warehouse, options, { ...token, ciphers, seenVersion }))
        return { ...token, version: seenVersion + 1 }
      // Another process has replaced the token. Ours may be invalid already, so the stored one is returned.
      return (await read()) ?? { ...token, version: seenVersion }
    },
    async demandLogin(reason, seenVersion) {
      await warehouse.db
        .updateTable('callsheet.tokens')
        .set({ needs_reauth: reason, ...UNCLAIMED })
        .where('account', '=', account)
        .where('kind', '=', kind)
        .where('version', '=', seenVersion)
        .execute()
    },
    async forget(reason) {
      await warehouse.db
        .updateTable('callsheet.tokens')
        .set(({ eb }) => ({
          version: eb('version', '+', 1),
          ciphertext: ciphers.token.seal(''),
          expires_at: 'epoch',
          scope: [],
          api_url: null,
          grant_ciphertext: null,
          grant_ends_at: null,
          needs_reauth: reason ?? null,
          ...UNCLAIMED,
        }))
        .where('account', '=', account)
        .where('kind', '=', kind)
        .execute()
    },
    async releaseClaim() {
      await warehouse.db
        .updateTable('callsheet.tokens')
        .set(UNCLAIMED)
        .where('account', '=', account)
        .where('kind', '=', kind)
        .where('claimed_by', '=', sql`${own}::jsonb`)
        .execute()
    },
  }
}

interface Ciphers {
  token: Cipher
  grant: Cipher
}

type Saving = Omit<StoredToken, 'version' | 'needsReauth'> & {
  ciphers: Ciphers
  seenVersion: number
}

/** Replaces the token of `seenVersion`. Returns false if another process has replaced it. */
async function saveToken(
  warehouse: Warehouse,
  { account, kind }: TokenStoreOptions,
  { accessToken, expiresAtMs, scope, apiUrl, grant, ciphers, seenVersion }: Saving,
): Promise<boolean> {
  const sealed = grant === undefined ? null : ciphers.grant.seal(JSON.stringify(grant))
  const endsAt = grant === undefined ? null : new Date(grant.endsAtMs).toISOString()
  const values = {
    version: seenVersion + 1,
    ciphertext: ciphers.token.seal(accessToken),
    expires_at: new Date(expiresAtMs).toISOString(),
    scope: [...scope],
    api_url: apiUrl ?? null,
    grant_ciphertext: sealed,
    grant_ends_at: endsAt,
  }
  const saved = await warehouse.db
    .insertInto('callsheet.tokens')
    .values({ account, kind, ...values })
    .onConflict((conflict) =>
      conflict
        .columns(['account', 'kind'])
        .doUpdateSet({ ...values, needs_reauth: null, ...UNCLAIMED })
        .where('callsheet.tokens.version', '=', seenVersion),
    )
    .returning('version')
    .executeTakeFirst()
  return saved !== undefined
}

function tokenOf(ciphers: Ciphers, row: TokenRow | undefined): StoredToken | undefined {
  if (row === undefined || row.ciphertext === null || row.expires_at === null) return undefined
  const { grant_ciphertext: sealed, needs_reauth: needsReauth, api_url: apiUrl } = row
  return {
    accessToken: ciphers.token.open(row.ciphertext),
    expiresAtMs: Date.parse(row.expires_at),
    scope: row.scope,
    version: row.version,
    ...(apiUrl === null ? {} : { apiUrl }),
    ...(sealed === null ? {} : { grant: JSON.parse(ciphers.grant.open(sealed)) as UserGrant }),
    ...(needsReauth === null ? {} : { needsReauth }),
  }
}

const UNCLAIMED = { claimed_by: null, claimed_until: null }

interface TokenRow {
  version: number
  ciphertext: Buffer | null
  expires_at: string | null
  scope: string[]
  api_url: string | null
  grant_ciphertext: Buffer | null
  needs_reauth: string | null
  claimed_by: unknown
}

async function readRow(
  db: Transaction,
  { account, kind }: TokenStoreOptions,
): Promise<TokenRow | undefined> {
  return await db
    .selectFrom('callsheet.tokens')
    .select(['version', 'ciphertext', 'expires_at', 'scope', 'api_url'])
    .select(['grant_ciphertext', 'needs_reauth', 'claimed_by'])
    .where('account', '=', account)
    .where('kind', '=', kind)
    .executeTakeFirst()
}

interface Claim {
  own: string
  seenVersion: number
  claimMs: number
}

/** Claims the renewal of the token. Our own claim, whose answer was lost, counts as success. */
async function claim(
  { db }: Warehouse,
  options: TokenStoreOptions,
  { own, seenVersion, claimMs }: Claim,
): Promise<boolean> {
  const { account, kind } = options
  const claimedBy = (await readRow(db, options))?.claimed_by
  const dead = isHolder(claimedBy) && isGone(claimedBy) ? JSON.stringify(claimedBy) : null
  const until = sql<string>`callsheet.wall() + make_interval(secs => ${claimMs / 1000})`
  const claimed = await db
    .insertInto('callsheet.tokens')
    .columns(['account', 'kind', 'version', 'claimed_by', 'claimed_until'])
    .expression(
      db
        .selectNoFrom(({ lit, val }) => [
          val(account).as('account'),
          val(kind).as('kind'),
          lit(0).as('version'),
          sql`${own}::jsonb`.as('claimed_by'),
          until.as('claimed_until'),
        ])
        .where(({ exists, lit, or, selectFrom }) => {
          const known = selectFrom('callsheet.tokens')
            .select('version')
            .where('account', '=', account)
            .where('kind', '=', kind)
          return or([lit(seenVersion === 0), exists(known)])
        }),
    )
    .onConflict((conflict) =>
      conflict
        .columns(['account', 'kind'])
        .doUpdateSet(({ ref }) => ({
          claimed_by: ref('excluded.claimed_by'),
          claimed_until: ref('excluded.claimed_until'),
        }))
        .where('callsheet.tokens.version', '=', seenVersion)
        .where(({ eb, or }) =>
          or([
            eb('callsheet.tokens.claimed_until', 'is', null),
            eb('callsheet.tokens.claimed_until', '<=', wall),
            eb('callsheet.tokens.claimed_by', '=', sql`${dead}::jsonb`),
            eb('callsheet.tokens.claimed_by', '=', sql`${own}::jsonb`),
          ]),
        ),
    )
    .returning('version')
    .executeTakeFirst()
  return claimed !== undefined
}
