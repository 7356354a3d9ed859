import type { X509Certificate } from 'node:crypto'
import { iso } from '../../core/time/time.ts'
import { counted } from '../../core/values/quantities.ts'
import { padded } from '../log/checkpoint.ts'
import type { Findings } from '../log/finding.ts'
import { CLOCKS_APART_MS, type JudgedStamp, judgeStamp } from './judge-stamp.ts'
import { keptCertificates } from './pem.ts'

export interface StampTrust {
  /** Certificates trusted for time stamps; if empty, the issuer of a stamp is not checked. */
  roots: readonly X509Certificate[]
  /** The time of the check; if undefined, validity today is not checked. */
  nowMs?: number
}

/** A stored time stamp of a checkpoint's note. */
export interface CheckedStamp {
  /** The size of the checkpoint. */
  size: number
  /** The service's whole response. */
  token: Buffer
  /** The signer's certificate and those above it, in PEM, as stored beside the token; null if none were. */
  chain: string | null
  note: Buffer
  /** The time in the last entry that this stamp is the first to cover, if known. */
  saidMs: number | undefined
  /** The number of the entry that states this stamp; undefined if no entry does. */
  stated: number | undefined
}

/** The name of a stamp in a bundle, without the extension. */
export function stampName(size: number): string {
  return `anchors/${padded(size)}`
}

/**
 * Adds a finding for each wrong stamp. Returns open questions as sentences, e.g. about expired stamps. A
 * stamp is valid until its own end, or until the end of a later stamp that was made before the first end and
 * covers the entry that states the earlier stamp (RFC 4998).
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
  /** The end of the stamp's validity, extended by the stamps that renew it. */
  holdsMs: number
}

/** Reports a stamp that is older than its entries, because one of the two clocks is then far off. */
function checkTime(findings: Findings, { saidMs, size }: CheckedStamp, { atMs }: JudgedStamp) {
  if (saidMs === undefined || atMs >= saidMs - CLOCKS_APART_MS) return
  findings.add('anchor_early', `${stampName(size)}.tsr`, {
    expected: `a time stamp made after the last entry, which is of ${iso(saidMs)}`,
    found: iso(atMs),
  })
}

/** Extends each stamp by later ones. Begins with the newest, because a renewing stamp may be renewed too. */
function extend(sound: readonly Sound[]): void {
  const newestFirst = sound.toSorted((a, b) => b.kept.size - a.kept.size)
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
      ? `Who made the ${stampsOf(sound)}, signed as ${signers.join('; ')}: add the service's roots.`
      : `Whether a certificate of the ${stampsOf(sound)} was revoked: ask the time-stamp service.`,
    ...over
      .slice(0, 1)
      .map(
        ({ kept, stamp, holdsMs }) =>
          `What ${stampsOf(over)} prove that expired (first: of the checkpoint over ${kept.size} entries): ` +
          `valid until ${iso(holdsMs)}, when ${stamp.end.of} or that of a later stamp expired, and no ` +
          'stamp renewed it in time.',
      ),
    ...late
      .slice(0, 1)
      .map(
        ({ kept, stamp }) =>
          `Whether the entries that ${stampsOf(late)} confirm are as old as they say (first: up to entry ` +
          `${kept.size}, stamped ${iso(stamp.atMs)}): their earlier times come from the machine's clock.`,
      ),
  ]
}

function stampsOf({ length }: readonly unknown[]): string {
  return counted(length, 'time stamp')
}

/** How late a stamp may be after its entries: a checkpoint is stamped immediately, or by the next run. */
const LATE_MS = 48 * 3_600_000
const MOST_SIGNERS = 3
