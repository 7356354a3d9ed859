import { X509Certificate } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { systemClock } from '../../../src/core/time/clock.ts'
import { createTimestamp } from '../../../src/evidence/witness/timestamp.ts'
import {
  addRun,
  addSession,
  type EvidenceStage,
  openEvidenceStage,
} from '../../helpers/evidence-stage.ts'
import type { Signer } from '../../helpers/timestamp-authority.ts'
import { startTimestampServer, type TimestampServer } from '../../helpers/timestamp-server.ts'

const DAY = 86_400_000
const now = Date.now()
let [stage, server]: [EvidenceStage, TimestampServer] = [] as never
let signers: Record<'year' | 'month' | 'decade', Signer>

beforeAll(async () => {
  ;[stage, server] = await Promise.all([openEvidenceStage(), startTimestampServer()])
  const { authority } = server
  signers = {
    month: authority.issue({ name: 'Ends in a month', toMs: now + 30 * DAY }),
    year: authority.issue({ name: 'Ends in a year', toMs: now + 365 * DAY }),
    decade: authority.issue({ name: 'Ends in ten years', toMs: now + 3_650 * DAY }),
  }
})
afterAll(async () => {
  await Promise.all([stage.close(), server.close()])
})

let sessions = 0
/** Appends a session unless `more` is false, and requests a time stamp by this signer. */
async function append(
  signer: Signer,
  { atMs = undefined as number | undefined, more = true } = {},
) {
  server.stampAs({ signer, ...(atMs === undefined ? {} : { atMs }) })
  if (more) await addSession(stage, { runId: await addRun(stage), id: `s-${++sessions}` })
  return await stage.append({
    timestamp: createTimestamp({ url: server.url, clock: systemClock }),
    timestampRoots: roots(),
  })
}

const roots = () => [new X509Certificate(server.authority.root.certificate)]

async function verify(afterDays = 0, more: { roots?: X509Certificate[] } = {}) {
  const stampTrust = { roots: more.roots ?? roots(), nowMs: Date.now() + afterDays * DAY }
  const { findings, notJudged } = await stage.verify({ stampTrust })
  return { findings, told: notJudged.filter((text) => /time stamp/.test(text)) }
}

async function rows(): Promise<{ size: number; kind: string }[]> {
  return await stage.warehouse.db
    .selectFrom('callsheet.marks')
    .select(['size', 'kind'])
    .orderBy('size')
    .execute()
}

const REVOKED = (stamps: string) =>
  `Whether a certificate of the ${stamps} was revoked: ask the time-stamp service.`

describe('a time stamp of a checkpoint', () => {
  it('is stored with its chain, and is valid', async () => {
    expect(await append(signers.month)).toMatchObject({ problems: [] })
    const anchor = await stage.warehouse.db
      .selectFrom('callsheet.marks')
      .select('chain')
      .executeTakeFirstOrThrow()
    expect(anchor.chain).toBe(signers.month.certificate + server.authority.root.certificate)
    expect(await verify()).toEqual({ findings: [], told: [REVOKED('1 time stamp')] })
  })

  it('has an unknown signer without a root certificate, and is wrong with another root', async () => {
    const unnamed = await verify(0, { roots: [] })
    expect(unnamed).toEqual({
      findings: [],
      told: ["Who made the 1 time stamp, signed as CN=Ends in a month: add the service's roots."],
    })
    const other = [new X509Certificate(signers.year.certificate)]
    expect((await verify(0, { roots: other })).findings).toMatchObject([
      { code: 'anchor_wrong', what: expect.stringMatching(/^anchors\/\d{6}.tsr$/) as string },
    ])
  })

  it('is not stored if the certificate of its signer is not only for time stamps', async () => {
    const stranger = {
      ...signers.month,
      ...server.authority.issue({ usage: 'critical,serverAuth' }),
    }
    const { problems } = await append(stranger)
    expect(problems).toEqual([
      expect.stringMatching(
        /was discarded: expected a signer's certificate that is only for time stamps/,
      ),
    ])
    expect(await rows()).toHaveLength(1)
  })
})

describe('a time stamp near its end', () => {
  it('is valid only until its end, unless a later stamp confirms it', async () => {
    // The next entries state the stamp, but no stamp covers these entries yet.
    await addSession(stage, { runId: await addRun(stage), id: `s-${++sessions}` })
    expect(await stage.append()).toMatchObject({ signed: 1, problems: [] })
    expect((await verify(29)).told).toEqual([REVOKED('1 time stamp')])
    expect((await verify(31)).told).toEqual([
      REVOKED('1 time stamp'),
      expect.stringMatching(/^What 1 time stamp prove that expired \(first: .*\): valid until /),
    ])
  })

  it('is confirmed by the next stamp, which causes no further entries', async () => {
    expect(await append(signers.year)).toMatchObject({ signed: 1, problems: [] })
    expect(await append(signers.year, { more: false })).toMatchObject({ signed: 0, problems: [] })
    expect(await rows()).toHaveLength(2)
    for (const days of [29, 31, 364])
      expect(await verify(days)).toEqual({ findings: [], told: [REVOKED('2 time stamps')] })
    expect((await verify(366)).told).toHaveLength(2)
  })

  it('is reported if it is changed or deleted after it was stated', async () => {
    const [first] = await rows()
    await stage.tamper(
      `update callsheet.marks set chain = chain || ' ' where size = ${first?.size}`,
    )
    expect((await verify()).findings).toMatchObject([
      {
        code: 'stated_otherwise',
        what: `the time stamp of the checkpoint over entries up to ${first?.size}`,
      },
    ])
    await stage.tamper(`delete from callsheet.marks where size = ${first?.size}`)
    expect((await verify()).findings).toMatchObject([{ code: 'stated_missing' }])
  })
})

describe('a time stamp that disagrees with this machine’s clock', () => {
  it('is stored and reported', async () => {
    const before = (await rows()).length
    const { problems } = await append(signers.year, { atMs: Date.now() + 20 * 60_000 })
    expect(problems).toEqual([
      expect.stringMatching(/^the clock of http.* shows .*Z, and this machine's .*Z: /),
    ])
    expect(await rows()).toHaveLength(before + 1)
  })
})
