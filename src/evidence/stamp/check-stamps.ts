import type { X509Certificate } from 'node:crypto'
import { sha256Hex } from '../log/digest.ts'
import type { Findings } from '../log/finding.ts'
import { instant, type JudgedStamp, judgeStamp } from './judge-stamp.ts'
import { type KeptStamp, partsOf, readRenewed, stampName } from './kept-stamp.ts'
import { keptCertificates } from './pem.ts'

export interface StampTrust {
  /** Those that are trusted for time stamps; if empty, it is not judged whose they are. */
  roots: readonly X509Certificate[]
  /** Undefined where it is not judged whether they hold today. */
  nowMs?: number
}

/** A stamp and, for one of a head, when the head says that it was signed. */
export type CheckedStamp = KeptStamp & { saidMs?: number | undefined }

/**
 * Checks each stamp, and that it holds today: until its own end, or until that of a later one that confirmed
 * it before. Returns what cannot be told.
 */
export async function checkStamps(
  stamps: readonly CheckedStamp[],
  trust: StampTrust,
  findings: Findings,
): Promise<string[]> {
  const sound = new Map<string, Sound>()
  for (const kept of stamps) {
    const name = stampName(kept)
    const judged = await judgeStamp(kept.token, kept.data, {
      roots: trust.roots,
      others: keptCertificates(kept.chain),
    })
    if ('wrong' in judged) findings.add('anchor_wrong', `${name}.tsr`, judged.wrong)
    else {
      sound.set(name, { kept, stamp: judged.stamp, holdsMs: judged.stamp.end.atMs })
      checkTime(findings, kept, judged.stamp)
    }
  }
  extend(sound, renewalsOf(stamps, sound, findings))
  return unknown([...sound.values()], trust)
}

interface Sound {
  kept: CheckedStamp
  stamp: JudgedStamp
  /** Until when it proves something: the end of the last of the stamps that follow it. */
  holdsMs: number
}

interface Renewal {
  by: Sound
  /** The names of the stamps that it confirmed, unchanged since. */
  names: Set<string>
}

/** No stamp is of before its head: one of the two clocks is wrong by far. */
function checkTime(findings: Findings, { saidMs, ...kept }: CheckedStamp, { atMs }: JudgedStamp) {
  if (saidMs === undefined || atMs >= saidMs - CLOCKS_APART_MS) return
  findings.add('anchor_early', `${stampName(kept)}.tsr`, {
    expected: `a time stamp after the head, which says ${instant(saidMs)}`,
    found: instant(atMs),
  })
}

/** The newest first. What it names must be there, and be what it was. */
function renewalsOf(
  stamps: readonly CheckedStamp[],
  sound: ReadonlyMap<string, Sound>,
  findings: Findings,
): Renewal[] {
  const parts = new Map(stamps.flatMap((one) => [...partsOf(one)]))
  const renewals: Renewal[] = []
  for (const by of sound.values()) {
    if (by.kept.kind === 'head') continue
    const what = `${stampName(by.kept)}.sums`
    const named = readRenewed(by.kept.data.toString())
    if (named === undefined) findings.add('anchor_wrong', what, { found: 'no sums of stamps' })
    const names = new Set<string>()
    for (const [part, expected] of named ?? []) {
      const bytes = parts.get(part)
      const found = bytes === undefined ? 'nothing of this name' : sha256Hex(bytes)
      if (found !== expected)
        findings.add('anchor_wrong', `${part}, by ${what}`, { expected, found })
      else if (part.endsWith('.tsr')) names.add(part.slice(0, -'.tsr'.length))
    }
    renewals.push({ by, names })
  }
  return renewals.toSorted((a, b) => b.by.kept.number - a.by.kept.number)
}

/** A stamp that was confirmed before its end holds as long as the one that confirmed it. */
function extend(sound: ReadonlyMap<string, Sound>, newestFirst: readonly Renewal[]): void {
  for (const { by, names } of newestFirst)
    for (const name of names) {
      const one = sound.get(name)
      const older = one?.kept.kind === 'head' || (one?.kept.number ?? 0) < by.kept.number
      if (one === undefined || !older || by.stamp.atMs > one.stamp.end.atMs) continue
      one.holdsMs = Math.max(one.holdsMs, by.holdsMs)
    }
}

function unknown(sound: readonly Sound[], { roots, nowMs = 0 }: StampTrust): string[] {
  if (sound.length === 0) return []
  const over = sound.filter(({ kept, holdsMs }) => kept.kind === 'head' && holdsMs < nowMs)
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
          `What the ${stampsOf(over)} of heads say (first: head ${kept.number}): they held until ` +
          `${instant(holdsMs)}, when ${stamp.end.of} ended or that of a renewal, and none was made in time.`,
      ),
    ...late
      .slice(0, 1)
      .map(
        ({ kept, stamp }) =>
          `Whether the heads of ${stampsOf(late)} were there before these, as they say (first: head ` +
          `${kept.number}, stamped ${instant(stamp.atMs)}): that is the word of the machine’s clock.`,
      ),
  ]
}

function stampsOf({ length }: readonly unknown[]): string {
  return length === 1 ? '1 time stamp' : `${length} time stamps`
}

/** Two clocks that are kept in time differ by less. */
const CLOCKS_APART_MS = 10 * 60_000
/** A head is stamped at once, or by the next run. */
const LATE_MS = 48 * 3_600_000
const MOST_SIGNERS = 3
