import { X509Certificate } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { verifyBundle } from '../../../src/audit/bundle/verify-bundle.ts'
import { systemClock } from '../../../src/core/time/clock.ts'
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

/** Three heads: two with stamps that end in a month, and a third that renewed these. */
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
})
afterAll(async () => {
  await Promise.all([stage.close(), server.close()])
  rmSync(folder, { recursive: true })
})

const roots = () => [new X509Certificate(server.authority.root.certificate)]

/** What a verifier finds in a bundle, with its sums signed anew, so many days from now. */
async function verified(members: Members, afterDays = 0, more = { roots: roots() }) {
  const path = join(folder, 'changed.zip')
  signSums(members, stage.key)
  await writeMembers(path, members)
  const { findings, notJudged } = await verifyBundle(path, {
    key: stage.key.publicKey.fingerprint,
    head: sha256Hex(whole.get('heads/000003.json') ?? ''),
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
  it('holds each with its chain, and the renewal of those that end', async () => {
    const names = [...whole.keys()].filter((name) => /^(anchors|renewals)/.test(name))
    expect(names.toSorted()).toEqual([
      ...[1, 2, 3].flatMap((n) => [`anchors/00000${n}.pem`, `anchors/00000${n}.tsr`]),
      ...['pem', 'sums', 'tsr'].map((end) => `renewals/000001.${end}`),
    ])
    const told = ['Whether a certificate of the 4 time stamps was revoked: their service tells.']
    for (const days of [0, 31])
      expect(await verified(whole, days)).toEqual({ found: [], notJudged: told })
  })

  it('says what is not known without a root', async () => {
    expect((await verified(whole, 0, { roots: [] })).notJudged).toEqual([
      'Whose the 4 time stamps are, signed as by CN=Ends in a month; CN=Ends in ten years: name the ' +
        'roots of the service.',
    ])
  })

  it('is what openssl confirms, of heads and of the renewal', () => {
    const { authority } = server
    for (const [stamp, of] of [
      ['anchors/000001.tsr', 'heads/000001.json'],
      ['anchors/000003.tsr', 'heads/000003.json'],
      ['renewals/000001.tsr', 'renewals/000001.sums'],
    ] as const)
      expect(authority.openssl(bytes(stamp), bytes(of))).toMatch(/Verification: OK/)
    const lines = bytes('renewals/000001.sums').toString().trim().split('\n')
    expect(lines).toHaveLength(4)
    for (const line of lines) expect(line.slice(0, 64)).toBe(sha256Hex(bytes(line.slice(66))))
  })

  it('tells in its steps how', () => {
    const text = bytes('CHECK.txt').toString()
    expect(text).toContain(
      '-in anchors/000003.tsr -data heads/000003.json -CAfile tsa-ca.pem -untrusted anchors/000003.pem',
    )
    expect(text).toContain('-in renewals/000001.tsr -data renewals/000001.sums -CAfile tsa-ca.pem')
  })
})

describe('a bundle that the holder of its key changed is named by', () => {
  it.each<[string, (members: Members) => void, string[]]>([
    [
      'a stamp of another head',
      (all) => all.set('anchors/000003.tsr', bytes('anchors/000002.tsr')),
      ['anchor_wrong anchors/000003.tsr'],
    ],
    [
      'a renewed stamp that is another one now',
      (all) => all.set('anchors/000001.tsr', server.authority.stamp(digestOf('heads/000001.json'))),
      ['anchor_wrong anchors/000001.tsr, by renewals/000001.sums'],
    ],
    [
      'a renewed stamp that was taken out',
      (all) => all.delete('anchors/000002.tsr'),
      ['tsr', 'pem'].map((end) => `anchor_wrong anchors/000002.${end}, by renewals/000001.sums`),
    ],
    [
      'a renewed chain that was exchanged',
      (all) => all.set('anchors/000001.pem', bytes('anchors/000003.pem')),
      ['anchor_wrong anchors/000001.pem, by renewals/000001.sums'],
    ],
    [
      'sums of a renewal that were changed',
      (all) =>
        all.set(
          'renewals/000001.sums',
          Buffer.from(bytes('renewals/000001.sums').toString().replaceAll('000002', '000003')),
        ),
      ['anchor_wrong renewals/000001.tsr'],
    ],
    [
      'a renewal without its sums',
      (all) => all.delete('renewals/000001.sums'),
      ['anchor_wrong renewals/000001.tsr'],
    ],
    [
      'a stamp of before the head',
      (all) =>
        all.set(
          'anchors/000003.tsr',
          server.authority.stamp(digestOf('heads/000003.json'), { atMs: now - DAY }),
        ),
      ['anchor_early anchors/000003.tsr'],
    ],
  ])('%s', async (_, change, found) => {
    expect((await verified(changed(change))).found).toEqual(found)
  })

  it('a renewal that came too late, which is none', async () => {
    const late = server.authority.issue({ name: 'Too late', toMs: now + 3_650 * DAY })
    const sums = digestOf('renewals/000001.sums')
    const members = changed((all) =>
      all.set(
        'renewals/000001.tsr',
        server.authority.stamp(sums, { signer: late, atMs: now + 31 * DAY }),
      ),
    )
    const { found, notJudged } = await verified(members, 32)
    expect(found).toEqual([])
    expect(notJudged).toContainEqual(
      expect.stringMatching(/^What the 2 time stamps of heads say \(first: head 1\)/),
    )
  })

  it('a stamp that came long after the head, which proves no earlier time', async () => {
    const stamp = server.authority.stamp(digestOf('heads/000003.json'), { atMs: now + 3 * DAY })
    const members = changed((all) => all.set('anchors/000003.tsr', stamp))
    expect((await verified(members, 4)).notJudged).toContainEqual(
      expect.stringMatching(/^Whether the heads of 1 time stamp were there before/),
    )
  })
})

function digestOf(name: string): Buffer {
  return Buffer.from(sha256Hex(bytes(name)), 'hex')
}
