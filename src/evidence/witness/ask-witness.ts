import { CallsheetError } from '../../core/errors.ts'
import { readCheckpoint, readCount } from '../log/checkpoint.ts'
import { type Cosignature, cosignaturesIn } from '../log/cosignature.ts'
import type { Witness } from '../log/evidence-access.ts'
import type { Appending } from '../sql/appending.ts'
import type { OurLog } from './our-log.ts'

/**
 * Requests a cosignature from one witness, starting at the size that it cosigned last, as known to us or
 * reported by the witness. Returns a problem if our log does not continue the one that the witness saw. For
 * any other refusal, throws an error whose code begins with `witness`.
 */
export async function askWitness(
  appending: Appending,
  { witness, log, before }: { witness: Witness; log: OurLog; before: string | undefined },
): Promise<{ cosignature?: Cosignature; problem?: string }> {
  const { signal } = appending
  const { size, origin } = log.state
  const last = readCheckpoint(before ?? '')
  let old = last?.origin === origin && last.size <= size ? last.size : 0
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    const proof = await log.since(old)
    if (proof === undefined) return { problem: wrongTiles(witness, old) }
    const body = addCheckpointBody({ old, proof, checkpoint: log.checkpoint })
    const answer = await witness.add(body, signal)
    if (answer.status === 200)
      return { cosignature: taken(appending, { witness, log }, answer.text) }
    const told = sizeConflict(answer)
    if (told !== undefined && told <= size && told !== old) old = told
    else if (told !== undefined && told <= size)
      throw refused(witness, 'it answered HTTP 409 and named the size that was sent')
    else if (told !== undefined || answer.status === 422)
      return { problem: contradiction(witness, log, told) }
    else throw refused(witness, `it answered HTTP ${answer.status}`, answer.status)
  }
  throw refused(witness, 'it named another size each time')
}

/** The witness's valid cosignature of exactly this checkpoint. Ignores other lines of the response. */
function taken(
  { clock }: Appending,
  { witness, log }: { witness: Witness; log: OurLog },
  text: string,
): Cosignature {
  const [cosignature] = cosignaturesIn(log.checkpoint + text, [witness.key])
  if (cosignature === undefined)
    throw refused(witness, 'its answer contains no cosignature of this checkpoint by its key')
  const aheadMs = cosignature.atSeconds * 1_000 - clock.now()
  if (aheadMs > MOST_AHEAD_MS) {
    const at = new Date(cosignature.atSeconds * 1_000).toISOString()
    throw refused(witness, `the time of its cosignature is in the future: ${at}`)
  }
  return cosignature
}

/** Reports that the witness cosigned a state that our log does not continue. */
function contradiction({ key }: Witness, { state }: OurLog, told: number | undefined): string {
  const seen =
    told === undefined
      ? 'it cosigned an earlier one that this one does not continue'
      : `it cosigned one of ${told} entries, more than this database has`
  return (
    `the witness ${key.name} refuses the checkpoint of ${state.size} entries of ${state.origin}: ${seen}. ` +
    'The database was restored from an older state, or a second log was signed with the evidence key: ' +
    'run callsheet verify'
  )
}

function wrongTiles({ key }: Witness, old: number): string {
  return (
    `the stored tree does not prove to the witness ${key.name} that the log continues from ${old} entries: ` +
    'run callsheet verify to see what differs'
  )
}

/** By c2sp.org/tlog-witness, 403 means that the witness trusts no key of the log, and 404 an unknown log. */
function refused({ key, place }: Witness, came: string, status?: number): CallsheetError {
  return new CallsheetError('witness_refused', {
    tried: `Asking the witness ${key.name} (${place}) to cosign a checkpoint`,
    came,
    todo:
      status === 403 || status === 404
        ? 'send the operator of the witness the key of the log, which callsheet verify prints; the ' +
          'next run tries again'
        : 'if this continues, contact the operator of the witness; the next run tries again',
  })
}

/** A request (c2sp.org/tlog-witness): the witness's last size, the proof from that size, the checkpoint. */
function addCheckpointBody(asked: {
  old: number
  proof: readonly Uint8Array[]
  checkpoint: string
}): string {
  const hashes = asked.proof.map((one) => `${Buffer.from(one).toString('base64')}\n`)
  return `old ${asked.old}\n${hashes.join('')}\n${asked.checkpoint}`
}

/** The size that the witness cosigned last, as it reports; undefined for any other response. */
function sizeConflict(answer: { status: number; type: string; text: string }): number | undefined {
  const { status, type, text } = answer
  const sized = status === 409 && type.split(';', 1)[0]?.trim() === 'text/x.tlog.size'
  return sized && text.endsWith('\n') ? readCount(text.slice(0, -1)) : undefined
}

/** The maximum number of requests. A witness may name another size if others submit our checkpoints too. */
const MOST_TRIES = 3
const MOST_AHEAD_MS = 3_600_000
