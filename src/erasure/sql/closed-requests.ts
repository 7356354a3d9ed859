import { sql } from 'kysely'
import type { Identity } from '../../core/persons/identity.ts'
import type { Transaction } from '../../warehouse/connect.ts'
import { now } from '../../warehouse/schema/expressions.ts'
import { namesNobody, personOf, readRequests } from './erasure-requests.ts'

/** Returns the open requests for one of these persons, by the request's subject or by its identities. */
export async function openRequestsOf(
  tx: Transaction,
  account: string,
  persons: readonly Identity[],
): Promise<number[]> {
  const isOne = (one: Identity): boolean =>
    persons.some(({ kind, text }) => kind === one.kind && text === one.text)
  const requests = await readRequests(tx, account)
  return requests
    .filter(({ subject, identities }) => [personOf(subject), ...identities].some(isOne))
    .map(({ id }) => id)
}

/** Closes requests as readmitted and removes their names. */
export async function closeRequests(
  tx: Transaction,
  account: string,
  ids: readonly number[],
): Promise<void> {
  await tx
    .updateTable('callsheet.erasure_requests')
    .set({ ...namesNobody('readmitted'), state: 'readmitted', ended_at: now })
    .where('account', '=', account)
    .where('id', '=', sql<number>`any(${[...ids]}::bigint[])`)
    .execute()
}

/**
 * Adds a closed request that names nobody, so that identities on the suppression list can refer to an erasure
 * that the restored backup lacks. Returns its ID, or the ID of the existing one.
 */
export async function addRestoredRequest(
  tx: Transaction,
  account: string,
  { name, askedAt, byName }: { name: string; askedAt: string; byName: boolean },
): Promise<number> {
  const at = { asked_at: askedAt, requested_at: askedAt, due_at: askedAt }
  const subject = `restored:${name}`
  await tx
    .insertInto('callsheet.erasure_requests')
    .values({ account, subject, source: RESTORED, ...at, by_name: byName, state: 'done' })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  const { id } = await tx
    .updateTable('callsheet.erasure_requests')
    .set(({ fn }) => ({ ended_at: fn.coalesce('ended_at', now) }))
    .where('account', '=', account)
    .where('subject', '=', subject)
    .where('source', '=', RESTORED)
    .where('asked_at', '=', sql<string>`${askedAt}::timestamptz`)
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

const RESTORED = 'restored'
