import { CallsheetError } from '../../core/errors.ts'
import { point } from '../../core/kill-point.ts'
import { cosignatureNote } from '../log/checkpoint.ts'
import { type Cosignature, cosignaturesIn } from '../log/cosignature.ts'
import type { Witness } from '../log/evidence-access.ts'
import { judgeWitnesses, witnessText } from '../log/witness-policy.ts'
import type { Appending } from '../sql/appending.ts'
import type { CheckpointRow } from '../sql/checkpoints.ts'
import { insertMark, type Mark, readMarks } from '../sql/marks.ts'
import { askWitness } from './ask-witness.ts'
import { type OurLog, ourLog } from './our-log.ts'

/**
 * Requests cosignatures of the newest checkpoint from the witnesses that have not cosigned it yet, and stores
 * them in the database and in the store. A witness that is unavailable or refuses is asked again only by the
 * next call. Returns a problem for each witness that did not cosign, and one more text if too few did.
 */
export async function askWitnesses(
  appending: Appending,
  newest: CheckpointRow,
): Promise<{ problems: string[]; tooFew?: string | undefined }> {
  const { account, warehouse, witnesses } = appending
  if (witnesses === undefined) return { problems: [] }
  const known = await cosignatures(appending)
  const given = known.filter((mark) => isOf(mark, newest))
  const due = witnesses.services.filter(({ key }) => !given.some(({ who }) => who === key.text))
  const log = ourLog(warehouse.db, account, newest)
  const answers = await Promise.all(
    due.map(async (witness) => {
      const before = known.findLast(({ who, note }) => who === witness.key.text && note !== null)
      return await answerOf(appending, { witness, log, before: before?.note ?? undefined })
    }),
  )
  const problems = answers.flatMap(({ problem }) => (problem === undefined ? [] : [problem]))
  for (const { cosignature } of answers)
    if (cosignature !== undefined) await keep(appending, newest, cosignature)
  const lacking = await lackingOf(appending, newest)
  if (lacking === undefined) return { problems }
  return { problems: [...problems, `${lacking}; the next run asks again`], tooFew: lacking }
}

/** The cosignature in the store, if a killed process left one there; otherwise the witness's response. */
async function answerOf(
  appending: Appending,
  asking: { witness: Witness; log: OurLog; before: string | undefined },
): Promise<{ cosignature?: Cosignature; problem?: string }> {
  const { witness, log } = asking
  const note = await appending.store.readNote(cosignatureNote(log.state, witness.key.keyId))
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
  { origin, size }: CheckpointRow,
  { witness, line }: Cosignature,
): Promise<void> {
  await point('evidence:witnessing')
  // The note is stored first: if the process dies then, the next call finds the cosignature there.
  await store.keepNote(cosignatureNote({ origin, size }, witness.keyId), line)
  await point('evidence:cosigned')
  const mark = { origin, size, kind: 'cosignature', who: witness.text, chain: null } as const
  await inTransaction((tx) => insertMark(tx, account, { ...mark, body: Buffer.from(line) }))
  await point('evidence:witnessed')
}

/** Returns the cosignatures of checkpoints with at least `from` entries, the oldest checkpoint first. */
async function cosignatures({ account, warehouse }: Appending, from = 0): Promise<Mark[]> {
  const marks = await readMarks(warehouse.db, account, { from })
  return marks.filter(({ kind }) => kind === 'cosignature')
}

function isOf(mark: Mark, { origin, size }: CheckpointRow): boolean {
  return mark.origin === origin && mark.size >= size
}

async function lackingOf(appending: Appending, newest: CheckpointRow): Promise<string | undefined> {
  const { witnesses } = appending
  if (witnesses === undefined) return undefined
  const marks = await cosignatures(appending, newest.size)
  const lines = marks.filter((mark) => isOf(mark, newest)).map(({ body }) => body.toString())
  const { services, needed } = witnesses
  const policy = { witnesses: services.map(({ key }) => key), needed }
  const judged = judgeWitnesses(newest.note + lines.join(''), policy)
  return judged.enough
    ? undefined
    : `the checkpoint over ${newest.size} entries is cosigned by ${witnessText(judged, needed)}`
}
