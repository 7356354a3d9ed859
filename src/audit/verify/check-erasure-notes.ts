import { nameOf, notedBy } from '../../erasure/noted-erasures.ts'
import { readRequests } from '../../erasure/sql/erasure-requests.ts'
import { listedSuppressions } from '../../erasure/sql/suppressions.ts'
import { unprovenSuppressions } from '../../erasure/suppression-proof.ts'
import type { Verifying } from './verifying.ts'

/**
 * Compares the suppression list with the store's notes of erasures, in both directions. Without the note,
 * restoring a backup from before the erasure would silently bring the person back; without the list entry,
 * the next full sync would.
 */
export async function checkErasureNotes(verifying: Verifying): Promise<void> {
  const { account, findings, keys, ownKey, store, warehouse } = verifying
  const unproven = await unprovenSuppressions(warehouse.db, account, { ownKey, keys })
  const doubted = new Set(unproven.map(({ requestId }) => requestId))
  const listed = Map.groupBy(
    await listedSuppressions(warehouse.db, account),
    ({ requestId }) => requestId,
  )
  const { erasures, strange } = await notedBy({ store, account }, keys)
  const noted = new Map(erasures.map((one) => [nameOf(one), one]))
  const all = new Set([...listed.values()].flat().map(({ token }) => token))
  for (const { id, askedAt, state } of await readRequests(warehouse.db, account, 'all')) {
    const name = nameOf({ request: id, asked_at: askedAt })
    const note = noted.get(name)
    noted.delete(name)
    const tokens = listed.get(id)?.map(({ token, counts }) => `${token} ${counts}`)
    const said = note?.tokens.map((one) => one.join(' ')).toSorted()
    const what = `the store's note of the erasure by request ${id}`
    // An interrupted erasure gets its note when it continues; `checkUnexplained` reports unproven identities.
    const due = tokens !== undefined && !doubted.has(id) && state !== 'under_way'
    if (note === undefined && due)
      findings.add('erasure_note_missing', what, {
        expected: `a note in ${store.place}`,
        found: 'no such note',
      })
    if (said !== undefined && said.join() !== (tokens ?? []).toSorted().join())
      findings.add('erasure_note_differs', what, {
        expected: `the ${tokens?.length ?? 0} identities that the suppression list has for this request`,
        found: `a different set of ${said.length} identities`,
      })
  }
  // These notes are from before a backup was restored: the list has their identities under other requests.
  for (const { request, asked_at: askedAt, tokens } of noted.values())
    if (tokens.some(([token]) => !all.has(token)))
      findings.add('erasure_lost', `the erasure ${request}, requested at ${askedAt}`, {
        expected: `a suppression list with all ${tokens.length} identities in the store's note`,
        found: 'a list that lacks some of them',
      })
  if (strange > 0)
    findings.add('erasure_note_strange', `${strange} of the store's notes of erasures`, {
      expected: 'a signature by one of your keys',
      found: 'no valid signature',
    })
}
