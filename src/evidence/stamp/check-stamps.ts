import type { X509Certificate } from 'node:crypto'
import { padded } from '../log/checkpoint.ts'
import type { Findings } from '../log/finding.ts'
import { instant, type JudgedStamp, judgeStamp } from './judge-stamp.ts'
import { keptCertificates } from './pem.ts'

export interface StampTrust {
  /** Those that are trusted for time stamps; if empty, it is not judged whose they are. */
  roots: readonly X509Certificate[]
  /** Undefined where it is not judged whether they hold today. */
  nowMs?: number
}

/** A time stamp as it is kept: of the note of a checkpoint. */
export interface CheckedStamp {
  /** Of the checkpoint. */
  size: number
  /** The service's whole response. */
  token: Buffer
  /** The certificates above it in PEM; null where none were kept, and the token may hold some. */
  chain: string | null
  note: Buffer
  /** The time that the last of the entries tells that no earlier stamp covers, if it is known. */
  saidMs: number | undefined
  /** The entry that states these bytes of it; undefined where none does. */
  stated: number | undefined
}

/** Its name in a bundle, without the ending. */
export function stampName(size: number): string {
  return `anchors/${padded(size)}`
}

/**
 * Checks each stamp, and that it holds today: until its own end, or until that of a later one that covers the
 * entry that states it, and was made before its end (RFC 4998). Returns what cannot be told.
 */
export async function checkStamps(
  stamps: readonly CheckedStamp[],
  trust: StampTrust,
  findings: Findings,
): Promise<string[]> {
  const sound: Sound[] = []
  for (const kept of stamps) {
    const name = `${stampName(kept.size)}.tsr`
    const judged = await judgeStamp(kept.token, kept.note, {
      roots: trust.roots,
      others: keptCertificates(kept.chain),
    })
    if ('wrong' in judged) findings.add('anchor_wrong', name, judged.wrong)
    else {
      sound.push({ kept, stamp: judged.stamp, holdsMs: judged.stamp.end.atMs })
      checkTime(findings, kept, judged.stamp)
    }
  }
  extend(sound)
  return unknown(sound, trust)
}

interface Sound {
  kept: CheckedStamp
  stamp: JudgedStamp
  /** Until when it proves something: the end of the last of the stamps that follow it. */
  holdsMs: number
}

/** No stamp is of before its entries: one of the two clocks is wrong by far. */
function checkTime(findings: Findings, { saidMs, size }: CheckedStamp, { atMs }: JudgedStamp) {
  if (saidMs === undefined || atMs >= saidMs - CLOCKS_APART_MS) return
  findings.add('anchor_early', `${stampName(size)}.tsr`, {
    expected: `a time stamp after the entries, which say ${instant(saidMs)}`,
    found: instant(atMs),
  })
}

/** The newest first, since what confirms one may be confirmed in turn. */
function extend(sound: readonly Sound[]): void {
  const newestFirst = sound.toSorted((a, b) => b.kept.size - a.kept.size)
  // Of those after it, the one that holds longest and was made before the end: few are in question.
  for (const [at, one] of newestFirst.entries()) {
    const stated = one.kept.stated ?? Number.POSITIVE_INFINITY
    for (const by of newestFirst.slice(0, at))
      if (by.kept.size >= stated && by.stamp.atMs <= one.stamp.end.atMs)
        one.holdsMs = Math.max(one.holdsMs, by.holdsMs)
  }
}

function unknown(sound: readonly Sound[], { roots, nowMs = 0 }: StampTrust): string[] {
  if (sound.length === 0) return []
  const over = sound.filter(({ holdsMs }) => holdsMs < nowMs)
  const late = sound.filter(
    ({ kept: { saidMs = Number.MAX_SAFE_INTEGER }, stamp }) => stamp.atMs > saidMs + LATE_MS,
  )
  const signers = [...new Set(sound.map(({ stamp }) => stamp.signer))]
    .toSorted()
    .slice(0, MOST_SIGNERS)
  return [
    roots.length === 0
      ? `Whose the ${stampsOf(sound)} are, signed as by ${signers.join('; ')}: name the roots of the service.`
      : `Whether a certificate of the ${stampsOf(sound)} was revoked: their service tells.`,
    ...over
      .slice(0, 1)
      .map(
        ({ kept, stamp, holdsMs }) =>
          `What the ${stampsOf(over)} say that are over (first: of the checkpoint over ${kept.size} ` +
          `entries): they held until ${instant(holdsMs)}, when ${stamp.end.of} ended or that of a later ` +
          'stamp, and none was made in time.',
      ),
    ...late
      .slice(0, 1)
      .map(
        ({ kept, stamp }) =>
          `Whether the entries that ${stampsOf(late)} confirm were there before, as they say (first: up to ` +
          `entry ${kept.size}, stamped ${instant(stamp.atMs)}): that is the word of the machine’s clock.`,
      ),
  ]
}

function stampsOf({ length }: readonly unknown[]): string {
  return length === 1 ? '1 time stamp' : `${length} time stamps`
}

/** Two clocks that are kept in time differ by less. */
const CLOCKS_APART_MS = 10 * 60_000
/** A checkpoint is stamped at once, or by the next run. */
const LATE_MS = 48 * 3_600_000
const MOST_SIGNERS = 3
