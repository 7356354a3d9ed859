import { readCount } from './checkpoint.ts'

/** What a witness is sent (c2sp.org/tlog-witness): the size that it cosigned last, and the proof from it. */
export function addCheckpointBody(asked: {
  old: number
  proof: readonly Uint8Array[]
  checkpoint: string
}): string {
  const hashes = asked.proof.map((hash) => `${Buffer.from(hash).toString('base64')}\n`)
  return `old ${asked.old}\n${hashes.join('')}\n${asked.checkpoint}`
}

/** The size that it says that it cosigned last; undefined where its answer is none of that kind. */
export function sizeConflict(answer: {
  status: number
  type: string
  text: string
}): number | undefined {
  const { status, type, text } = answer
  const sized = status === 409 && type.split(';', 1)[0]?.trim() === 'text/x.tlog.size'
  return sized && text.endsWith('\n') ? readCount(text.slice(0, -1)) : undefined
}
