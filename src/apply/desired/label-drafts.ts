import type { LiveAccount, TextRow } from '../../core/define/desired.ts'
import { updateClassificationLabel } from '../../resources/classification-labels.ts'

/** What we changed of a label and nobody has published: its fields as text. */
export interface LabelDraft {
  fields: Map<string, string>
  askedAtMs: number
}

/**
 * The drafts that wait, by their label's ID. No call shows a draft, so our own record of what we sent is all
 * there is; whatever changed the label after that has published it, or passed it over.
 */
export async function readDrafts(
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
    // One label alone is the default, so the last draft that names one takes it from the others.
    if (body.is_default === true)
      for (const other of drafts.values()) other.fields.delete('is_default')
    const fields = Object.entries(body).map(([name, value]) => [name, String(value)] as const)
    drafts.set(id, { fields: new Map([...(drafts.get(id)?.fields ?? []), ...fields]), askedAtMs })
  }
  return drafts
}
