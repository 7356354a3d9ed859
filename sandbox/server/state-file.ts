import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Sizes } from '../seed-data/options.ts'
import type { SeedData } from '../seed-data/seed-data.ts'
import {
  emptyState,
  type Kind,
  mapKinds,
  type Overlay,
  type SeedState,
} from '../seed-data/state.ts'

interface Saved {
  seed: number
  sizes: Sizes
  originMs: number
  accounts: Record<string, Record<Kind, SavedOverlay>>
}
interface SavedOverlay {
  patches: [number, object][]
  gone: number[]
  added: number
}

export interface StateFile {
  /** The instant for which the company was laid out when the file was made. */
  originMs: number | undefined
  restore(accountId: string): SeedState
  save(all: Iterable<SeedData>): void
}

/** Stores the mutations of all accounts on disk, for the next run of an equal company. */
export function openStateFile(path: string, own: { seed: number; sizes: Sizes }): StateFile {
  const saved = existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as Saved) : undefined
  if (saved !== undefined && !isSame(saved, own))
    throw new RangeError(`${path} belongs to a sandbox with another seed or size; remove the file`)
  return {
    originMs: saved?.originMs,
    restore(accountId) {
      const account = saved?.accounts[accountId]
      // An older file has no rows of newer kinds.
      return { ...emptyState(), ...(account === undefined ? {} : mapKinds(account, revive)) }
    },
    save(given) {
      const all = [...given]
      const accounts = Object.fromEntries(
        all.map(({ accountId, state }) => [accountId, mapKinds(state, flatten)]),
      )
      const text = JSON.stringify({ ...own, originMs: all[0]?.originMs, accounts })
      mkdirSync(dirname(path), { recursive: true })
      // Writes a new file and renames it, so that a kill leaves the old or the new state.
      writeFileSync(`${path}.new`, text)
      renameSync(`${path}.new`, path)
    },
  }
}

function isSame(saved: Saved, own: { seed: number; sizes: Sizes }): boolean {
  return saved.seed === own.seed && JSON.stringify(saved.sizes) === JSON.stringify(own.sizes)
}

function flatten({ patches, gone, added }: Overlay<object>): SavedOverlay {
  return { patches: [...patches], gone: [...gone], added }
}

function revive({ patches, gone, added }: SavedOverlay): Overlay<object> {
  return { patches: new Map(patches), gone: new Set(gone), added }
}
