import { readCount } from './checkpoint.ts'

/**
 * The request to a witness (c2sp.org/tlog-witness): the size that it cosigned last, and the proof from there.
 */
export function addCheckpointBody(asked: {
  old: number
  proof: readonly Uint8Array[]
  checkpoint: string
}): string {
  const hashes = asked.proof.map((hash) => `${Buffer.from(hash).toString('base64')}\n`)
  return `old ${asked.old}\n${hashes.join('')}\n${asked.checkpoint}`
}

/** The size that the witness reports as cosigned last; undefined for any other response. */
export function sizeConflict(answer: {
  status: number
  type: string
  text: string
}): number | undefined {
  const { status, type, text } = answer
  const sized = status === 409 && type.split(';', 1)[0]?.trim() === 'text/x.tlog.size'
  return sized && text.endsWith('\n') ? readCount(text.slice(0, -1)) : undefined
}
