import { hash, pick } from '../base/random.ts'
import type { ContentChanges, SavedObject } from '../seed-data/board-patches.ts'
import { plainId } from '../seed-data/ids.ts'
import type { SeedData } from '../seed-data/seed-data.ts'
import type { SeedState } from '../seed-data/state.ts'
import { boardAt } from './boards.ts'

type Json = Record<string, unknown>

export const MOST_OBJECTS = 10_000

/** Returns the first page of a board, with at most ten thousand of its objects. */
export function contentOf(seedData: SeedData, state: SeedState, index: number): Json {
  return {
    whiteboard_id: seedData.ids.boards.of(index),
    page_id: pageOf(seedData, state, index),
    content_objects: shownObjects(seedData, state, index),
  }
}

export function contentTruth(seedData: SeedData, state: SeedState, index: number): Json {
  const { length } = shownObjects(seedData, state, index)
  return {
    whiteboard_id: seedData.ids.boards.of(index),
    page_id: pageOf(seedData, state, index),
    object_count: String(length),
    possibly_truncated: length === MOST_OBJECTS,
  }
}

export function pageOf(seedData: SeedData, state: SeedState, index: number): string {
  return `page-${hash(boardAt(seedData, state, index).h, 10, 0).toString(36)}`
}

/** Returns all objects of the page, including those beyond the ten thousandth. */
export function objectsOf(seedData: SeedData, state: SeedState, index: number): SavedObject[] {
  const patch = state.boards.patches.get(index)
  const usual = usualObjects(seedData, state, index)
  if (patch?.content === undefined) return usual
  const deleted = new Set(patch.content.deleted)
  const saved = new Map(patch.content.saved.map((object) => [object.id, object]))
  const kept = usual
    .filter(({ id }) => !deleted.has(id))
    .map(({ id, ...rest }) => {
      const other = saved.get(id)
      saved.delete(id)
      return other ?? { id, ...rest }
    })
  return [...kept, ...saved.values()]
}

/**
 * Saves objects on a page. An object with a known ID replaces the existing one. Any other object is added,
 * and gets an ID if it has none.
 */
export function saveObjects(
  seedData: SeedData,
  index: number,
  objects: readonly Json[],
): { content: ContentChanges; added: number; updated: number } {
  const { state, idSeed } = seedData
  const before = state.boards.patches.get(index)?.content ?? NO_CHANGES
  const there = new Set(objectsOf(seedData, state, index).map(({ id }) => id))
  const saved = new Map(before.saved.map((object) => [object.id, object]))
  const counts = { added: 0, updated: 0 }
  let { named } = before
  for (const object of objects) {
    const id =
      typeof object.id === 'string'
        ? object.id
        : `obj-${plainId(idSeed, hash(index, 134, 0), named++)}`
    counts[there.has(id) ? 'updated' : 'added']++
    there.add(id)
    saved.set(id, { ...object, id })
  }
  return { content: { ...before, saved: [...saved.values()], named }, ...counts }
}

/** Returns the changed page or, if an ID is not on the page, the position of the first such ID. */
export function deleteObjects(
  seedData: SeedData,
  index: number,
  ids: readonly string[],
): { unknown: number } | { content: ContentChanges } {
  const { state } = seedData
  const before = state.boards.patches.get(index)?.content ?? NO_CHANGES
  const there = new Set(objectsOf(seedData, state, index).map(({ id }) => id))
  const unknown = ids.findIndex((id) => !there.has(id))
  if (unknown >= 0) return { unknown }
  const gone = new Set(ids)
  const deleted = [...new Set([...before.deleted, ...ids])]
  return {
    content: { ...before, deleted, saved: before.saved.filter(({ id }) => !gone.has(id)) },
  }
}

function shownObjects(seedData: SeedData, state: SeedState, index: number): SavedObject[] {
  return objectsOf(seedData, state, index).slice(0, MOST_OBJECTS)
}

/**
 * Returns a page's original objects: some dozens on most pages, none on some, and on one in five hundred more
 * than is ever shown.
 */
function usualObjects(seedData: SeedData, state: SeedState, index: number): SavedObject[] {
  const { h } = boardAt(seedData, state, index)
  const patch = state.boards.patches.get(index)
  const edits = patch?.edits ?? 0
  const count = patch?.objects ?? (index % 500 === 250 ? 10_400 : hash(h, 8, 0) % 60)
  return Array.from({ length: count }, (_, place) => {
    const o = hash(h, 9, place)
    const written = place === 0 && edits > 0 ? `edited ${String(edits)} times` : undefined
    return {
      id: `obj-${o.toString(36)}`,
      type: pick(TYPES, o >>> 3),
      x: o % 4000,
      y: (o >>> 9) % 3000,
      ...(o % 3 === 0 || written !== undefined ? { text: written ?? pick(TEXTS, o >>> 5) } : {}),
    }
  })
}

const NO_CHANGES: ContentChanges = { saved: [], deleted: [], named: 0 }
const TYPES = ['shape', 'text', 'image', 'connector', 'sticky_note']
const TEXTS = ['Start here', 'Überblick', '次', '"quoted"', 'two\nlines', 'Q3 goals']
