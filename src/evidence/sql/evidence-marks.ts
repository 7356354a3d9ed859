import type { Transaction } from '../../warehouse/connect.ts'

/** The first run from which a stream's records may lack entries. */
export async function readMark(tx: Transaction, account: string, stream: string): Promise<number> {
  const row = await tx
    .selectFrom('callsheet.evidence_marks')
    .select('run_id')
    .where('account', '=', account)
    .where('stream', '=', stream)
    .executeTakeFirst()
  return row?.run_id ?? 0
}

/** The next mark, once all present records have entries. Open runs may still write records. */
export async function nextMark(tx: Transaction, account: string): Promise<number> {
  const { open, last } = await tx
    .selectFrom('callsheet.runs')
    .select(({ fn }) => [
      fn.min('id').filterWhere('state', '=', 'running').as('open'),
      fn.max('id').as('last'),
    ])
    .where('account', '=', account)
    .executeTakeFirstOrThrow()
  return open ?? last ?? 0
}

export async function setMark(
  tx: Transaction,
  account: string,
  { stream, runId }: { stream: string; runId: number },
): Promise<void> {
  await tx
    .insertInto('callsheet.evidence_marks')
    .values({ account, stream, run_id: runId })
    .onConflict((conflict) =>
      conflict
        .columns(['account', 'stream'])
        .doUpdateSet(({ ref }) => ({ run_id: ref('excluded.run_id') })),
    )
    .execute()
}
