import { chunksOf } from '../core/chunks.ts'
import { AS_FOUND, BASELINE, ROW_LEDGERS } from '../core/records/statement.ts'
import type { Transaction } from '../warehouse/connect.ts'
import { addVouched, type EntryFact } from './add-entries.ts'
import { lineContent } from './log/digest.ts'
import { mergeBySubject } from './merge-by-subject.ts'
import type { Appending } from './sql/appending.ts'
import { lastCheckpoint } from './sql/checkpoints.ts'
import type { RowLedger } from './sql/ledger-lines.ts'
import { lastEntry, type ManifestRow } from './sql/manifest.ts'
import { statementAbout, statementsOf } from './sql/statements.ts'
import { unstatedRows } from './sql/unstated-rows.ts'
import { ledgerFacts } from './statement-facts.ts'

/**
 * States ledger rows that no statement covers. The first call does so for all ledgers (the baseline); later
 * calls only for incidents, holds and time stamps. Everything else is stated in the transaction that writes
 * it. Even the first run states the stream rows that it writes, so that later changes are detected.
 */
export async function enterLedgers(appending: Appending): Promise<void> {
  const { account, key, inTransaction, warehouse } = appending
  const isFirst = (await statementAbout(warehouse.db, account, BASELINE)) === undefined
  const ledgers = isFirst ? (['slices', ...ROW_LEDGERS] as const) : AS_FOUND
  await inTransaction(async (tx) => {
    const vouching = { account, key, basis: isFirst ? 'baseline' : 'as found' }
    for (const ledger of ledgers) {
      // Skips stamps if nothing else is new: each statement needs a checkpoint, which gets another stamp.
      if (ledger === 'stamps' && !(await anyUnsigned(tx, account))) continue
      for await (const facts of chunksOf(unstated(tx, account, ledger), LOT))
        await addVouched(tx, vouching, facts)
    }
    if (isFirst && (await statementAbout(tx, account, BASELINE)) === undefined)
      await addVouched(tx, vouching, [
        { kind: 'statement', subject: BASELINE, size: 0, content: lineContent('') },
      ])
  })
}

async function anyUnsigned(tx: Transaction, account: string): Promise<boolean> {
  const [last, newest] = [await lastEntry(tx, account), await lastCheckpoint(tx, account)]
  return (last?.seq ?? 0) > (newest?.size ?? 0)
}

/** The rows of a ledger that no statement covers; omits changes by other programs (`unstatedRows`). */
async function* unstated(
  tx: Transaction,
  account: string,
  ledger: RowLedger | 'slices',
): AsyncGenerator<EntryFact> {
  const said = statementsOf(tx, account, `ledger/${ledger}`)
  const later = ledger === 'rows' ? await unstatedRows(tx, account) : []
  const strange = new Set(later.map(({ batch }) => `ledger/rows/${batch}`))
  for await (const { left, right } of mergeBySubject<EntryFact, ManifestRow>(
    ledgerFacts(tx, account, ledger),
    said,
  ))
    if (right.length === 0) yield* left.filter(({ subject }) => !strange.has(subject))
}

const LOT = 2_000
