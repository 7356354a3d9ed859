import { addOddText, cleanText } from '../base/clean-text.ts'
import { hash, pick, unit } from '../base/random.ts'
import { HOUR_MS, trueTime, wireTime } from '../base/wire-time.ts'
import { arrayListing, type Listing } from '../protocol/listing.ts'
import type { SeedData } from '../seed-data/seed-data.ts'
import { emptyState, type SeedState } from '../seed-data/state.ts'
import { TEAMS, WHITEBOARD_TOPICS } from '../seed-data/words.ts'
import { userAt } from '../users/users.ts'

type Json = Record<string, unknown>

/** A whiteboard in its present state. Responses omit undefined fields and contain null ones. */
export interface Board {
  index: number
  h: number
  id: string
  name: string | null
  /** The index of its creator. */
  creator: number
  createdMs: number
  modifiedMs: number
  project_id: string | undefined
  locked: boolean | undefined
  trashed: boolean | undefined
  non_cloud: boolean | undefined
  link: { share_scope: number; share_role: number | null } | undefined
  advanced:
    | { can_share: boolean; external_can_share: boolean; share_to_external: boolean }
    | undefined
}

export function boardCount(seedData: SeedData, state: SeedState): number {
  return seedData.sizes.boards + state.boards.added
}

export function firstNameOf(index: number): string {
  return `${pick(WHITEBOARD_TOPICS, index)} ${pick(TEAMS, index >>> 4)}`
}

export function boardAt(seedData: SeedData, state: SeedState, index: number): Board {
  const h = hash(seedData.seed, 101, index)
  const patch = state.boards.patches.get(index) ?? {}
  // The service sometimes omits a flag that is false.
  const flag = (value: boolean): boolean | undefined => (value || h % 4 > 0 ? value : undefined)
  const share_scope = patch.share_scope ?? pick(SCOPES, h >>> 7)
  const share_role = share_scope === 0 ? null : 2 + ((h >>> 11) % 3)
  const name = patch.whiteboard_name ?? addOddText(firstNameOf(index), hash(h, 1, 0))
  return {
    index,
    h,
    id: seedData.ids.boards.of(index),
    name: h % 90 === 3 ? null : name,
    creator: (h >>> 3) % activeUsers(seedData),
    ...datesOf(seedData, state, index),
    project_id: h % 3 === 0 ? `prj-${String((h >>> 9) % 40)}` : undefined,
    locked: flag(patch.locked ?? h % 11 === 0),
    trashed: flag(patch.trashed ?? h % 17 === 5),
    non_cloud: flag(h % 29 === 3),
    link: share_scope === 0 && h % 5 === 0 ? undefined : { share_scope, share_role },
    advanced:
      h % 13 === 2
        ? undefined
        : {
            can_share: (h & 16) > 0,
            external_can_share: (h & 32) > 0,
            share_to_external: (h & 64) > 0,
          },
  }
}

export function ownerOf(state: SeedState, { index, creator }: Board): number {
  return state.boards.patches.get(index)?.people?.owner ?? creator
}

/** Whether the board's collaborators and content are forbidden, by default for one board in 500. */
export function isWithheld(state: SeedState, index: number): boolean {
  return state.boards.patches.get(index)?.withheld ?? index % 500 === 333
}

/** Returns how many users may own boards or take part. */
export function activeUsers(seedData: SeedData): number {
  return Math.max(1, Math.floor(seedData.sizes.users * 0.8))
}

export function datesOf(
  seedData: SeedData,
  state: SeedState,
  index: number,
): { createdMs: number; modifiedMs: number } {
  const patch = state.boards.patches.get(index)
  const createdMs = patch?.createdMs ?? seedData.boardTimes.startMs(index)
  if (patch?.modifiedMs !== undefined) return { createdMs, modifiedMs: patch.modifiedMs }
  const spanMs = Math.max(0, seedData.originMs - HOUR_MS - createdMs)
  const share = unit(seedData.seed, 102, index) ** 2
  return { createdMs, modifiedMs: createdMs + Math.floor((share * spanMs) / 1000) * 1000 }
}

export type BoardDate = 'created_date' | 'modified_date'

/**
 * Lists boards whose date lies between the bounds (both exclusive), latest first. Cached per state, because
 * finding them reads every board.
 */
export function boardsBetween(
  seedData: SeedData,
  state: SeedState,
  asked: { date: BoardDate; fromMs: number; toMs: number },
): Listing {
  const kept = LISTS.get(state) ?? new Map<string, Listing>()
  LISTS.set(state, kept)
  const name = `${seedData.accountId} ${asked.date} ${String(asked.fromMs)} ${String(asked.toMs)}`
  const known = kept.get(name)
  if (known !== undefined) return known
  const found: { index: number; ms: number }[] = []
  for (let index = 0; index < boardCount(seedData, state); index++) {
    if (state.boards.gone.has(index)) continue
    const { createdMs, modifiedMs } = datesOf(seedData, state, index)
    const ms = asked.date === 'created_date' ? createdMs : modifiedMs
    if (ms > asked.fromMs && ms < asked.toMs) found.push({ index, ms })
  }
  found.sort((a, b) => b.ms - a.ms || a.index - b.index)
  const listing = arrayListing(found.map(({ index }) => index))
  if (kept.size >= MOST_LISTS) kept.clear()
  kept.set(name, listing)
  return listing
}

export function boardItem(seedData: SeedData, board: Board): Json {
  const { h, link, advanced } = board
  return {
    whiteboard_id: board.id,
    whiteboard_name: board.name,
    created_by_display_name: creatorName(seedData, board),
    created_date: wireTime(board.createdMs, h),
    modified_date: wireTime(board.modifiedMs, h >>> 4),
    project_id: board.project_id,
    locked: board.locked,
    readonly: board.locked,
    trashed: board.trashed,
    non_cloud: board.non_cloud,
    share_link_setting: link,
    advanced_share_setting: advanced,
  }
}

export function boardTruth(seedData: SeedData, board: Board): Json {
  const { h, link, advanced } = board
  const role = link?.share_role ?? null
  return {
    whiteboard_id: board.id,
    whiteboard_name: board.name === null ? null : cleanText(board.name),
    created_by_display_name: cleanText(creatorName(seedData, board)),
    created_date: trueTime(board.createdMs, h),
    modified_date: trueTime(board.modifiedMs, h >>> 4),
    project_id: board.project_id ?? null,
    locked: board.locked ?? null,
    readonly: board.locked ?? null,
    trashed: board.trashed ?? null,
    non_cloud: board.non_cloud ?? null,
    share_scope: link === undefined ? null : String(link.share_scope),
    share_role: role === null ? null : String(role),
    can_share: advanced?.can_share ?? null,
    external_can_share: advanced?.external_can_share ?? null,
    share_to_external: advanced?.share_to_external ?? null,
  }
}

/** Returns the creator's name at the time of creation. */
function creatorName(seedData: SeedData, { creator }: Board): string {
  const { first_name, last_name } = userAt(seedData, UNCHANGED, creator)
  return `${first_name} ${last_name}`
}

const UNCHANGED = emptyState()
const SCOPES = [0, 0, 0, 0, 1, 1, 1, 2, 3]
const LISTS = new WeakMap<SeedState, Map<string, Listing>>()
const MOST_LISTS = 64
