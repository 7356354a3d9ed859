import type { LiveAccount, TextRow } from '../../core/define/desired.ts'
import { updateClassificationLabel } from '../../resources/classification-labels.ts'

/** A change to a label that Callsheet sent and nobody has published: its fields as text. */
export interface LabelDraft {
  fields: Map<string, string>
  askedAtMs: number
}

/**
 * Returns the unpublished drafts by label ID. No call returns a draft, so they come from Callsheet's own
 * record of calls. A later change to the label has published the draft or discarded it.
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
    // Only one label is the default, so the last draft that sets one clears it in the others.
    if (body.is_default === true)
      for (const other of drafts.values()) other.fields.delete('is_default')
    const fields = Object.entries(body).map(([name, value]) => [name, String(value)] as const)
    drafts.set(id, { fields: new Map([...(drafts.get(id)?.fields ?? []), ...fields]), askedAtMs })
  }
  return drafts
}
