import { z } from 'zod'
import {
  defineDesired,
  type LiveAccount,
  type NamedItem,
  type Placed,
  type PlanItem,
  presentItem,
  refusedItem,
  type TextRow,
} from '../../core/define/desired.ts'
import { utcMinutes } from '../../core/time/time.ts'
import {
  classificationLabels,
  createClassificationLabel,
  deleteClassificationLabel,
  updateClassificationLabel,
} from '../../resources/classification-labels.ts'

const entry = z
  .strictObject({
    classification_id: z.string().min(1).optional(),
    name: z.string().min(1).optional(),
    color: z
      .string()
      .regex(/^#[0-9A-Fa-f]{6}$/, 'a hex color code, e.g. "#1A9C4B"')
      .optional(),
    sensitivity_level: z.number().int().optional(),
    description: z.string().optional(),
    guideline_url: z
      .url({ protocol: /^https$/, error: 'an address that begins with https://' })
      .optional(),
    is_default: z.boolean().optional(),
    absent: z.literal(true).optional(),
  })
  .refine(
    ({ classification_id: id, name }) => id !== undefined || name !== undefined,
    'classification_id or name is needed',
  )

export type LabelWish = z.infer<typeof entry>

/** Plans the classification labels. A change is a draft until a person publishes it. */
export const desiredLabels = defineDesired<LabelWish>({
  name: 'labels',
  title: 'Classification labels',
  entry,
  reads: [classificationLabels],
  writes: [createClassificationLabel, deleteClassificationLabel, updateClassificationLabel],
  async plan(entries, live) {
    const labels = await live.rows({ stream: classificationLabels, columns: COLUMNS })
    const drafts = await readDrafts(live, labels)
    let free = MOST_LABELS - labels.length
    const defaults = entries.filter(({ entry: wish }) => wish.is_default === true)
    const keys = new Map<string | null | undefined, string>()
    return entries.map((placed): PlanItem => {
      const found = findLabel(placed.entry, labels)
      const { wish, item } = named(placed, { found, keys })
      if (found !== undefined && 'why' in found) return refusedItem(item, found.why)
      if (wish.is_default === true && defaults.length > 1)
        return refusedItem(item, `${defaults.length} labels are to be the default: one can be`)
      if (wish.absent === true) {
        if (found === undefined) return presentItem(item)
        free++
        return deletion(item, found.row)
      }
      if (found !== undefined) return change(item, { wish, row: found.row, drafts })
      if (wish.classification_id !== undefined)
        return refusedItem(item, 'there is no label of this classification_id')
      return free-- > 0 ? creation(item, wish) : refusedItem(item, LIMIT_REACHED)
    })
  },
})

type Found = { row: TextRow } | { why: string } | undefined
/** Finds a label by its ID or name, or reports why it is ambiguous. */
export function findLabel(
  {
    classification_id: id,
    name,
  }: { classification_id?: string | undefined; name?: string | undefined },
  labels: readonly TextRow[],
): Found {
  const same = labels.filter((row) =>
    id === undefined ? row.name === name : row.classification_id === id,
  )
  if (same.length > 1)
    return { why: `${same.length} labels are called so: name it by its classification_id` }
  return same[0] === undefined ? undefined : { row: same[0] }
}

/**
 * Gives each label one key, whether an entry uses its ID or its name: the text in its first entry. The key
 * cannot always be the ID, because a new label gets an ID only when it is created.
 */
function named(
  { place, entry: wish }: Placed<LabelWish>,
  { found, keys }: { found: Found; keys: Map<string | null | undefined, string> },
) {
  const row = found !== undefined && 'row' in found ? found.row : undefined
  const what = row?.name ?? wish.name ?? wish.classification_id ?? ''
  const written = wish.classification_id ?? wish.name ?? ''
  const key = row === undefined ? written : (keys.get(row.classification_id) ?? written)
  if (row !== undefined) keys.set(row.classification_id, key)
  return { wish, item: { key, what, place } }
}

function creation(item: NamedItem, wish: LabelWish): PlanItem {
  const { name = '', color, sensitivity_level: level } = wish
  if (color === undefined || level === undefined)
    return refusedItem(item, 'a new label needs a color and a sensitivity_level')
  const { absent: _absent, classification_id: _id, ...fields } = wish
  const send = {
    operation: createClassificationLabel,
    args: {},
    together: name,
    most: 1,
    member: name,
    body: () => fields,
    makes: { name: labelMade(name), id: idOf },
  }
  const details = `${color}, sensitivity ${level}${wish.is_default === true ? ', the default' : ''}`
  return { ...item, action: 'add', details, sends: [send] }
}

function deletion(item: NamedItem, row: TextRow): PlanItem {
  const path = { classificationId: row.classification_id ?? '' }
  const boards = row.whiteboard_count
  const carried = boards === null || boards === undefined ? '' : ` (${boards} boards carry it)`
  const send = {
    operation: deleteClassificationLabel,
    args: { path },
    together: path.classificationId,
    most: 1,
    member: path.classificationId,
  }
  return { ...item, action: 'remove', details: `permanently deleted${carried}`, sends: [send] }
}

function change(
  item: NamedItem,
  { wish, row, drafts }: { wish: LabelWish; row: TextRow; drafts: ReadonlyMap<string, LabelDraft> },
): PlanItem {
  const path = { classificationId: row.classification_id ?? '' }
  const draft = drafts.get(path.classificationId)
  const given = Object.entries(wish).filter(([name]) => SETTABLE.has(name))
  const open = given.filter(([name, value]) => (row[name] ?? '') !== String(value))
  /** Returns the value in the label's draft, or otherwise the label's own value. */
  const drafted = (name: string) => draft?.fields.get(name) ?? row[name] ?? undefined
  const fresh = given.filter(([name, value]) => (drafted(name) ?? '') !== String(value))
  if (fresh.length === 0 && draft !== undefined && open.length > 0) {
    const since = utcMinutes(draft.askedAtMs)
    const why = `our draft of ${since} UTC has to be published at the service`
    return { ...item, action: 'waiting', why, sends: [] }
  }
  if (fresh.length === 0) return presentItem(item)
  const send = {
    operation: updateClassificationLabel,
    args: { path },
    together: path.classificationId,
    most: 1,
    member: path.classificationId,
    body: () => Object.fromEntries(fresh),
  }
  const parts = fresh.map(
    ([name, value]) => `${name} ${drafted(name) ?? 'none'} → ${String(value)}`,
  )
  return {
    ...item,
    action: 'change',
    details: `${parts.join('; ')} (a draft at first)`,
    sends: [send],
  }
}

/** Returns the name under which the ID of a label made by this plan is stored. */
export function labelMade(name: string): string {
  return `label ${name}`
}

function idOf(answer: unknown): string {
  return (answer as { classification_id: string }).classification_id
}

/** A change to a label that Callsheet sent and nobody published: the fields as text. */
interface LabelDraft {
  fields: Map<string, string>
  askedAtMs: number
}

/**
 * Returns the unpublished drafts by label ID. No call returns a draft, so they come from Callsheet's own
 * record of calls. A later change to the label has published the draft or discarded it.
 */
async function readDrafts(
  live: LiveAccount,
  labels: readonly TextRow[],
): Promise<Map<string, LabelDraft>> {
  const changedAt = new Map(
    labels.map(({ classification_id: id, modify_time: at }) => [id, Date.parse(at ?? '') || 0]),
  )
  const drafts = new Map<string, LabelDraft>()
  for (const write of await live.writes([updateClassificationLabel])) {
    const { state, askedAtMs, path, body } = write
    const id = path.classificationId ?? ''
    const changedMs = changedAt.get(id)
    if (state !== 'done' || changedMs === undefined || askedAtMs < changedMs) continue
    // Only one label can be the default, so the last draft that sets a default clears it in the other drafts.
    if (body.is_default === true)
      for (const other of drafts.values()) other.fields.delete('is_default')
    const fields = Object.entries(body).map(([name, value]) => [name, String(value)] as const)
    drafts.set(id, { fields: new Map([...(drafts.get(id)?.fields ?? []), ...fields]), askedAtMs })
  }
  return drafts
}

const MOST_LABELS = 30
const LIMIT_REACHED = `the account has ${MOST_LABELS} labels, which is the most: delete one first`
const SETTABLE = new Set([
  'name',
  'color',
  'sensitivity_level',
  'description',
  'guideline_url',
  'is_default',
])
const COLUMNS = ['classification_id', 'modify_time', 'whiteboard_count', ...SETTABLE]
