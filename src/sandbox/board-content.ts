import { boardAt } from './boards.ts'
import type { Company } from './company.ts'
import { hash, pick } from './random.ts'
import type { State } from './state.ts'

type Json = Record<string, unknown>

/** The first page of a board, of which no more than ten thousand objects are shown. */
export function contentOf(company: Company, state: State, index: number): Json {
  const { h, id } = boardAt(company, state, index)
  const edits = state.boards.patches.get(index)?.edits ?? 0
  const shown = shownObjects(company, state, index)
  return {
    whiteboard_id: id,
    page_id: pageOf(h),
    content_objects: Array.from({ length: shown }, (_, place) => {
      const o = hash(h, 9, place)
      const written = place === 0 && edits > 0 ? `edited ${String(edits)} times` : undefined
      return {
        id: `obj-${o.toString(36)}`,
        type: pick(TYPES, o >>> 3),
        x: o % 4000,
        y: (o >>> 9) % 3000,
        ...(o % 3 === 0 || written !== undefined ? { text: written ?? pick(TEXTS, o >>> 5) } : {}),
      }
    }),
  }
}

export function contentTruth(company: Company, state: State, index: number): Json {
  const { h, id } = boardAt(company, state, index)
  const shown = shownObjects(company, state, index)
  return {
    whiteboard_id: id,
    page_id: pageOf(h),
    object_count: String(shown),
    possibly_truncated: shown === MOST_SHOWN,
  }
}

/** Most pages hold some dozens, some nothing, and one in five hundred more than is ever shown. */
function shownObjects(company: Company, state: State, index: number): number {
  const { h } = boardAt(company, state, index)
  const usual = index % 500 === 250 ? 10_400 : hash(h, 8, 0) % 60
  return Math.min(state.boards.patches.get(index)?.objects ?? usual, MOST_SHOWN)
}

function pageOf(h: number): string {
  return `page-${hash(h, 10, 0).toString(36)}`
}

const MOST_SHOWN = 10_000
const TYPES = ['shape', 'text', 'image', 'connector', 'sticky_note']
const TEXTS = ['Start here', 'Überblick', '次', '"quoted"', 'two\nlines', 'Q3 goals']
