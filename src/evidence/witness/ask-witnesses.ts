import { CallsheetError } from '../../core/errors.ts'
import { point } from '../../core/kill-point.ts'
import { type Cosignature, cosignaturesIn } from '../log/cosignature.ts'
import type { Witness } from '../log/evidence-access.ts'
import { cosignatureNote } from '../log/head.ts'
import { judgeWitnesses, witnessText } from '../log/witness-policy.ts'
import type { Appending } from '../sql/appending.ts'
import { insertCosignature, lastCosigned, readCosignatures } from '../sql/cosignatures.ts'
import type { HeadRow } from '../sql/heads.ts'
import { askWitness } from './ask-witness.ts'
import { type OurLog, ourLog } from './our-log.ts'

/**
 * Has the witnesses cosign the checkpoint of the newest head, those that have not yet. What they say is kept
 * with the head and in the store. Whoever does not answer, or refuses, is asked again by the next call.
 * Returns the problems: each witness that did not cosign, and in words where too few did.
 */
export async function askWitnesses(
  appending: Appending,
  head: HeadRow,
): Promise<{ problems: string[]; tooFew?: string | undefined }> {
  const { account, warehouse, witnesses } = appending
  if (witnesses === undefined) return { problems: [] }
  const { number, checkpoint } = head
  if (checkpoint === null) {
    const tooFew = `head ${number} has no checkpoint that witnesses could cosign`
    return { problems: [tooFew], tooFew }
  }
  const known = await readCosignatures(warehouse.db, account, number)
  const due = witnesses.services.filter(
    ({ key }) => !known.some((row) => row.number === number && row.witness === key.text),
  )
  const log = ourLog(warehouse.db, account, { ...head, checkpoint })
  const last = await lastCosigned(warehouse.db, account)
  const answers = await Promise.all(
    due.map(async (witness) => {
      const before = last.find((one) => one.witness === witness.key.text)?.checkpoint ?? undefined
      return { witness, ...(await answerOf(appending, { witness, log, before, number })) }
    }),
  )
  const problems = answers.flatMap(({ problem }) => (problem === undefined ? [] : [problem]))
  for (const { cosignature } of answers)
    if (cosignature !== undefined) await keep(appending, number, cosignature)
  const lacking = await lackingOf(appending, log, number)
  if (lacking === undefined) return { problems }
  return { problems: [...problems, `${lacking}; the next run asks again`], tooFew: lacking }
}

/** What the store keeps of a witness, where a killed process came no further; else what the witness says. */
async function answerOf(
  appending: Appending,
  asking: { witness: Witness; log: OurLog; before: string | undefined; number: number },
): Promise<{ cosignature?: Cosignature; problem?: string }> {
  const { witness, log, number } = asking
  const note = await appending.store.readNote(cosignatureNote(number, witness.key.keyId))
  const [kept] = cosignaturesIn(log.checkpoint + (note ?? ''), [witness.key])
  if (kept !== undefined) return { cosignature: kept }
  try {
    return await askWitness(appending, asking)
  } catch (error) {
    const passing = error instanceof CallsheetError && error.code.startsWith('witness')
    if (!passing) throw error
    return { problem: error.message }
  }
}

async function keep(
  { account, store, inTransaction }: Appending,
  number: number,
  { witness, atSeconds, line }: Cosignature,
): Promise<void> {
  await point('evidence:witnessing')
  // Before its row: where only this is done, nobody is asked anew for the same.
  await store.keepNote(cosignatureNote(number, witness.keyId), line)
  await point('evidence:cosigned')
  const cosigned_at = new Date(atSeconds * 1_000).toISOString()
  const row = { number, witness: witness.text, cosigned_at, line }
  await inTransaction((tx) => insertCosignature(tx, account, row))
  await point('evidence:witnessed')
}

async function lackingOf(
  { account, warehouse, witnesses }: Appending,
  { checkpoint }: OurLog,
  number: number,
): Promise<string | undefined> {
  if (witnesses === undefined) return undefined
  const rows = await readCosignatures(warehouse.db, account, number)
  const lines = rows.filter((row) => row.number === number).map(({ line }) => line)
  const { services, needed } = witnesses
  const policy = { witnesses: services.map(({ key }) => key), needed }
  const judged = judgeWitnesses(checkpoint + lines.join(''), policy)
  return judged.enough ? undefined : `head ${number} is cosigned by ${witnessText(judged, needed)}`
}
