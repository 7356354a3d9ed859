import { readState } from '../../evidence/log/checkpoint.ts'
import { edgeTiles, type TilePart, TreeEdge } from '../../evidence/log/tree-edge.ts'
import type { CheckpointRow } from '../../evidence/sql/checkpoints.ts'
import { readTiles, type TilePlace, tilesAfter } from '../../evidence/sql/tree-tiles.ts'
import type { Transaction } from '../../warehouse/connect.ts'
import { inRuns } from './in-runs.ts'
import type { Verifying } from './verifying.ts'

/** The root and the time of the last entry, at the size of each checkpoint and of the saved state. */
export type Roots = ReadonlyMap<number, Readonly<Reached>>

interface Reached {
  root: Buffer
  /** The time in the line of the last entry. */
  said: string | undefined
}

/**
 * Rebuilds the tree over all entries, leaf by leaf, and compares it with the tiles. Compares full tiles every
 * `LEAVES_AT_ONCE` leaves, so memory use does not grow with the number of entries.
 */
export class TreeCheck {
  readonly #tx: Transaction
  readonly #verifying: Verifying
  readonly #tree = new TreeEdge()
  readonly #roots = new Map<number, Reached>()
  #said: string | undefined
  /** The sizes whose roots are needed, ascending: those of checkpoints and of the person's saved state. */
  readonly #sizes: number[]
  readonly #wrong: TilePlace[] = []
  #whole: TilePart[] = []

  constructor(tx: Transaction, verifying: Verifying, rows: readonly CheckpointRow[]) {
    this.#tx = tx
    this.#verifying = verifying
    const signed = rows.map(({ size }) => size)
    const noted = readState(verifying.checkpoint ?? '')?.size ?? 0
    const most = Math.max(0, ...signed)
    this.#sizes = [
      ...new Set([...signed, ...(noted > 0 && noted <= most ? [noted] : [])]),
    ].toSorted((a, b) => a - b)
  }

  /** Adds the leaf of the entry with this number. Ignores entries that no checkpoint covers. */
  async add(seq: number, leaf: Buffer, said: string | undefined): Promise<void> {
    this.#seal(seq - 1)
    this.#said = said
    if (this.#sizes.length === 0) return
    this.#tree.add(leaf)
    if (this.#tree.size % LEAVES_AT_ONCE !== 0) return
    this.#whole.push(...this.#tree.take({ whole: true }))
    await this.#compare(this.#whole)
    this.#whole = []
  }

  /** Compares the remaining tiles and returns the roots. */
  async end(): Promise<Roots> {
    this.#seal(Number.POSITIVE_INFINITY)
    const edge = edgeTiles(this.#tree.size)
    const parts = this.#tree.take()
    const empty = edge.filter(({ width }) => width === 0)
    const none = empty.map((place) => ({ ...place, start: 0, hashes: Buffer.alloc(0) }))
    await this.#compare([...parts, ...none])
    const { findings, account } = this.#verifying
    for (const [first, last] of inRuns(this.#wrong, follows))
      findings.add('tile_wrong', nameOf(first, last), {
        expected: 'the hashes of the tree over the entries',
        found: 'other hashes, or no such tile',
      })
    for (const { level, tile } of await tilesAfter(this.#tx, account, edge))
      findings.add('tile_wrong', `tile ${tile} of level ${level}`, {
        expected: `no tile beyond the end of the tree, which has ${this.#tree.size} leaves`,
      })
    return this.#roots
  }

  #seal(upTo: number): void {
    for (let size = this.#sizes[0]; size !== undefined && size <= upTo; size = this.#sizes[0]) {
      this.#roots.set(size, { root: this.#tree.root(), said: this.#said })
      this.#sizes.shift()
    }
  }

  async #compare(parts: readonly TilePart[]): Promise<void> {
    const stored = await readTiles(this.#tx, this.#verifying.account, parts)
    const byPlace = new Map(stored.map((one) => [placeOf(one), one.hashes]))
    for (const part of parts) {
      const hashes = byPlace.get(placeOf(part)) ?? Buffer.alloc(0)
      if (!hashes.equals(part.hashes)) this.#wrong.push(part)
    }
  }
}

function placeOf({ level, tile }: TilePlace): string {
  return `${level}/${tile}`
}

function follows(one: TilePlace, next: TilePlace): boolean {
  return one.level === next.level && one.tile + 1 === next.tile
}

function nameOf(first: TilePlace, last: TilePlace): string {
  const { level, tile } = first
  return tile === last.tile
    ? `tile ${tile} of level ${level}`
    : `tiles ${tile} to ${last.tile} of level ${level}`
}

/** The number of leaves held at once: 64 tiles, whose hashes take half a megabyte. */
const LEAVES_AT_ONCE = 2 ** 14
