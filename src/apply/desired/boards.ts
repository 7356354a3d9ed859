import { z } from 'zod'
import {
  defineDesired,
  type LiveAccount,
  type NamedItem,
  type Placed,
  type PlanItem,
  presentItem,
  refusedItem,
  type Send,
  type TextRow,
} from '../../core/define/desired.ts'
import {
  applyClassification,
  classificationLabels,
  removeClassification,
} from '../../resources/classification-labels.ts'
import { whiteboards } from '../../resources/whiteboards.ts'
import { findLabel, labelMade } from './labels.ts'

const entry = z.strictObject({
  whiteboard_id: z.string().min(1),
  label: z.string().min(1).nullable().describe('A name or an ID; null takes the label off'),
})

export type BoardWish = z.infer<typeof entry>

/**
 * Plans the label on each board. No call returns a board's label, so only labels that Callsheet set or
 * removed are known.
 */
export const desiredBoards = defineDesired<BoardWish>({
  name: 'boards',
  title: 'Labels on whiteboards',
  entry,
  reads: [whiteboards, classificationLabels],
  writes: [applyClassification, removeClassification],
  async plan(entries, live) {
    const labels = await live.rows({
      stream: classificationLabels,
      columns: ['classification_id', 'name'],
    })
    const values = entries.map(({ entry: wish }) => wish.whiteboard_id)
    const boards = await live.rows({
      stream: whiteboards,
      columns: ['whiteboard_id'],
      by: { column: 'whiteboard_id', values },
    })
    const known = new Set(boards.map(({ whiteboard_id: id }) => id))
    const carried = await readCarried(live, labels)
    return entries.map((placed): PlanItem => {
      const { whiteboard_id: id } = placed.entry
      const item = { key: id, what: `board ${id}`, place: placed.place }
      if (!known.has(id)) return refusedItem(item, 'there is no such whiteboard')
      return planBoard(item, { placed, labels, carried: carried.get(id) })
    })
  },
})

/** The label on a board; undefined if it is not known. */
type Carried = { id: string | null } | undefined

async function readCarried(
  live: LiveAccount,
  labels: readonly TextRow[],
): Promise<Map<string, Carried>> {
  const there = new Set(labels.map(({ classification_id: id }) => id))
  const carried = new Map<string, Carried>()
  for (const write of await live.writes([applyClassification, removeClassification])) {
    const given = write.operation === applyClassification.id ? write.body.classification_id : null
    const id = typeof given === 'string' && there.has(given) ? given : null
    carried.set(write.path.whiteboardId ?? '', write.state === 'done' ? { id } : undefined)
  }
  return carried
}

function planBoard(
  item: NamedItem,
  facts: { placed: Placed<BoardWish>; labels: readonly TextRow[]; carried: Carried },
): PlanItem {
  const { placed, labels, carried } = facts
  const { whiteboard_id: whiteboardId, label } = placed.entry
  const nameOf = (id: string) => labels.find(({ classification_id: one }) => one === id)?.name ?? id
  const from =
    carried === undefined ? 'not known' : carried.id === null ? 'none' : nameOf(carried.id)
  const common = {
    args: { path: { whiteboardId } },
    together: whiteboardId,
    most: 1,
    member: whiteboardId,
  }
  if (label === null) {
    if (carried?.id === null) return presentItem(item)
    const send: Send = { ...common, operation: removeClassification }
    return { ...item, action: 'remove', details: `label ${from} → none`, sends: [send] }
  }
  const found =
    findLabel({ name: label }, labels) ?? findLabel({ classification_id: label }, labels)
  if (found !== undefined && 'why' in found) return refusedItem(item, found.why)
  const id = found?.row.classification_id ?? undefined
  if (id !== undefined && carried?.id === id) return presentItem(item)
  const send: Send = {
    ...common,
    operation: applyClassification,
    body: (_members, made) => ({ classification_id: id ?? made.get(labelMade(label)) }),
  }
  const action = carried?.id === null || carried === undefined ? 'add' : 'change'
  const details = `label ${from} → ${found?.row.name ?? label}`
  const needs = id === undefined ? { needs: labelMade(label) } : {}
  return { ...item, ...needs, action, details, sends: [send] }
}
