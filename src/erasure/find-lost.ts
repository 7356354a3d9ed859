import { findLostCheckpoints, type LostCheckpoints } from '../evidence/enter-break.ts'
import { readKey } from '../warehouse/keep-out/suppressions.ts'
import { findRestored, type Restored } from '../warehouse/ledger/lineage.ts'
import { refuseElsewhere } from '../warehouse/ledger/moved.ts'
import type { ErasureDeps } from './erasing.ts'
import { type NotedErasure, readNotedErasures } from './noted-erasures.ts'
import { idOfKey, readKeys } from './noted-key.ts'
import { listedSuppressions } from './sql/suppressions.ts'

/** Facts that a restored database lacks and that exist outside it. */
export interface Lost {
  /** Undefined if the database knows everything that this machine has noted. */
  restored: Restored | undefined
  checkpoints: LostCheckpoints | undefined
  erasures: LostErasures
}

export interface LostErasures {
  /** Noted erasures, with the same key, that are missing from the database's suppression list. */
  lost: readonly NotedErasure[]
  /** The key of these erasures' digests, if the database has none. */
  key: Buffer | undefined
  /** The number of unlisted erasures whose digests have another key, or one that no key here can open. */
  sealed: number
  /** The number of notes that cannot be read, or that none of our keys signed. */
  strange: number
}

/** Finds lost facts without changing anything. */
export async function findLost(deps: ErasureDeps, account: string): Promise<Lost> {
  const { warehouse, key, previousKeys, store } = deps
  await refuseElsewhere(warehouse, account)
  const entering = { account, store, key: key(), previousKeys }
  return {
    restored: await findRestored(warehouse, account),
    checkpoints: await findLostCheckpoints({
      ...entering,
      inTransaction: (work) => warehouse.transaction(work),
    }),
    erasures: await findLostErasures(deps, account),
  }
}

async function findLostErasures(deps: ErasureDeps, account: string): Promise<LostErasures> {
  const { db } = deps.warehouse
  const { erasures, strange } = await readNotedErasures(deps, account)
  const listed = new Set((await listedSuppressions(db, account)).map(({ token }) => token))
  const own = await readKey(db, account)
  const keys = erasures.length === 0 ? NO_KEYS : await readKeys(deps, account)
  return { ...lostAmong(erasures, { listed, own, keys }), strange }
}

const NO_KEYS: ReadonlyMap<string, Buffer> = new Map()

/** Returns the unlisted erasures whose digests have the key at hand, and counts the others. */
export function lostAmong(
  erasures: readonly NotedErasure[],
  {
    listed,
    own,
    keys,
  }: { listed: ReadonlySet<string>; own: Buffer | undefined; keys: ReadonlyMap<string, Buffer> },
): Omit<LostErasures, 'strange'> {
  const unlisted = erasures.filter(({ tokens }) => tokens.some(([token]) => !listed.has(token)))
  if (unlisted.length === 0) return { lost: [], key: undefined, sealed: 0 }
  const [newest] = unlisted.toReversed()
  const key = own ?? keys.get(newest?.key_id ?? '')
  const id = key && idOfKey(key)
  const lost = unlisted.filter(({ key_id: of }) => of === id)
  return {
    lost,
    key: own === undefined ? key : undefined,
    sealed: unlisted.length - lost.length,
  }
}
