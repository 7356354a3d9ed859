import { X509Certificate } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { verifyBundle } from '../../../src/audit/bundle/verify-bundle.ts'
import type { BundleFacts } from '../../../src/audit/proof/bundle-format.ts'
import { systemClock } from '../../../src/core/time/clock.ts'
import { signCheckpoint } from '../../../src/evidence/log/checkpoint.ts'
import { sha256Hex } from '../../../src/evidence/log/digest.ts'
import { createTimestamp } from '../../../src/evidence/witness/timestamp.ts'
import { signSums } from '../../evidence/sign-anew.ts'
import {
  addRun,
  addSession,
  type EvidenceStage,
  openEvidenceStage,
} from '../../helpers/evidence-stage.ts'
import { exportStage } from '../../helpers/export-stage.ts'
import { type Members, readMembers, writeMembers } from '../../helpers/rewrite-zip.ts'
import { startTimestampServer, type TimestampServer } from '../../helpers/timestamp-server.ts'

const DAY = 86_400_000
const now = Date.now()
let folder: string
let [stage, server]: [EvidenceStage, TimestampServer] = [] as never
let whole: Members
/** The names of the anchors of the three checkpoints. */
let [one, two, three] = ['', '', '']

/** Signs three checkpoints: two with stamps that end in a month, and a third whose stamp confirms these. */
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'callsheet-stamps-'))
  ;[stage, server] = await Promise.all([openEvidenceStage(), startTimestampServer()])
  const timestamp = createTimestamp({ url: server.url, clock: systemClock })
  const month = server.authority.issue({ name: 'Ends in a month', toMs: now + 30 * DAY })
  const decade = server.authority.issue({ name: 'Ends in ten years', toMs: now + 3_650 * DAY })
  for (const [index, signer] of [month, month, decade].entries()) {
    server.stampAs({ signer })
    await addSession(stage, { runId: await addRun(stage), id: `s-${index}` })
    await stage.append({ timestamp, timestampRoots: roots() })
  }
  const path = join(folder, 'whole.zip')
  await exportStage(stage, path)
  whole = await readMembers(path)
  const stamps = [...whole.keys()].filter((name) => name.endsWith('.tsr')).toSorted()
  ;[one = '', two = '', three = ''] = stamps.map((name) => name.slice(0, -'.tsr'.length))
})
afterAll(async () => {
  await Promise.all([stage.close(), server.close()])
  rmSync(folder, { recursive: true })
})

const roots = () => [new X509Certificate(server.authority.root.certificate)]

/** Signs the sums of a bundle anew and verifies it, as of a number of days from now. */
async function verified(members: Members, afterDays = 0, more = { roots: roots() }) {
  const path = join(folder, 'changed.zip')
  signSums(members, stage.key)
  await writeMembers(path, members)
  const { findings, notJudged } = await verifyBundle(path, {
    key: stage.key.publicKey.fingerprint,
    checkpoint: (JSON.parse(bytes('bundle.json').toString()) as BundleFacts).checkpoint,
    stampTrust: { ...more, nowMs: now + afterDays * DAY },
  })
  return { found: findings.map(({ code, what }) => `${code} ${what}`), notJudged }
}

function changed(change: (members: Members) => void): Members {
  const members = new Map(whole)
  change(members)
  return members
}

const bytes = (name: string): Buffer => {
  const found = whole.get(name)
  if (found === undefined) throw new Error(`no ${name}`)
  return found
}

describe('a bundle with time stamps', () => {
  it('includes each stamp with its chain and checkpoint, and later stamps for ending ones', async () => {
    const names = [...whole.keys()].filter((name) => name.startsWith('anchors'))
    expect(names.toSorted()).toEqual(
      [one, two, three].flatMap((name) => ['note', 'pem', 'tsr'].map((end) => `${name}.${end}`)),
    )
    const told = [
      'Whether a certificate of the 3 time stamps was revoked: ask the time-stamp service.',
    ]
    for (const days of [0, 31])
      expect(await verified(whole, days)).toEqual({ found: [], notJudged: told })
  })

  it('reports that the signer is unknown without a root', async () => {
    expect((await verified(whole, 0, { roots: [] })).notJudged).toEqual([
      'Who made the 3 time stamps, signed as CN=Ends in a month; CN=Ends in ten years: add the ' +
        "service's roots.",
    ])
  })

  it('has stamps that openssl confirms', () => {
    for (const name of [one, three])
      expect(server.authority.openssl(bytes(`${name}.tsr`), bytes(`${name}.note`))).toMatch(
        /Verification: OK/,
      )
  })

  it('describes the openssl check in its steps', () => {
    expect(bytes('CHECK.txt').toString()).toContain(
      `-in ${three}.tsr -data ${three}.note -CAfile tsa-ca.pem -untrusted ${three}.pem`,
    )
  })
})

describe('verifying a bundle that the holder of its key changed', () => {
  it.each<[string, (members: Members) => void, () => string[]]>([
    [
      'a stamp of another checkpoint',
      (all) => all.set(`${three}.tsr`, bytes(`${two}.tsr`)),
      () => [`anchor_wrong ${three}.tsr`],
    ],
    [
      'a stamp that differs from its statement',
      (all) => all.set(`${one}.tsr`, server.authority.stamp(digestOf(`${one}.note`))),
      () => [`anchor_wrong ${one}.tsr`],
    ],
    [
      'a stated stamp that was removed',
      (all) => all.delete(`${two}.tsr`),
      () => [`anchor_wrong ${two}.tsr`],
    ],
    [
      'a stated chain that was replaced',
      (all) => all.set(`${one}.pem`, bytes(`${three}.pem`)),
      () => [`anchor_wrong ${one}.pem`],
    ],
    [
      'a stamp without its checkpoint',
      (all) => all.delete(`${three}.note`),
      () => [`anchor_wrong ${three}.tsr`],
    ],
    [
      'a stamp of a checkpoint that the log never had',
      (all) => {
        const note = signCheckpoint(stage.key, {
          origin: 'callsheet/main',
          size: Number(two.slice(-6)),
          root: Buffer.alloc(32, 7),
        })
        all.set(`${two}.note`, Buffer.from(note))
      },
      () => [`anchor_wrong ${two}.note`, `anchor_wrong ${two}.tsr`],
    ],
    [
      'a stamp older than the entries',
      (all) =>
        all.set(
          `${three}.tsr`,
          server.authority.stamp(digestOf(`${three}.note`), { atMs: now - DAY }),
        ),
      () => [`anchor_early ${three}.tsr`],
    ],
  ])('reports %s', async (_, change, found) => {
    expect((await verified(changed(change))).found).toEqual(found())
  })

  it('leaves open what stamps prove that ended before the later stamp was issued', async () => {
    const late = server.authority.issue({ name: 'Too late', toMs: now + 3_650 * DAY })
    const stamp = server.authority.stamp(digestOf(`${three}.note`), {
      signer: late,
      atMs: now + 31 * DAY,
    })
    const members = changed((all) => all.set(`${three}.tsr`, stamp))
    const { found, notJudged } = await verified(members, 32)
    expect(found).toEqual([])
    expect(notJudged).toContainEqual(
      expect.stringMatching(/^What 2 time stamps prove that expired \(first: .*\): valid until /),
    )
  })

  it('leaves open what ended stamps prove if no later stamp covers the entries that state them', async () => {
    const members = changed((all) => {
      for (const end of ['note', 'tsr', 'pem']) all.delete(`${three}.${end}`)
    })
    expect((await verified(members, 31)).notJudged).toContainEqual(
      expect.stringMatching(/^What 2 time stamps prove that expired /),
    )
  })

  it('leaves open how old entries are if their stamp was issued long after them', async () => {
    const stamp = server.authority.stamp(digestOf(`${three}.note`), { atMs: now + 3 * DAY })
    const members = changed((all) => all.set(`${three}.tsr`, stamp))
    expect((await verified(members, 4)).notJudged).toContainEqual(
      expect.stringMatching(
        /^Whether the entries that 1 time stamp confirm are as old as they say/,
      ),
    )
  })
})

function digestOf(name: string): Buffer {
  return Buffer.from(sha256Hex(bytes(name)), 'hex')
}
