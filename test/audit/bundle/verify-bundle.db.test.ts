import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { verifyBundle } from '../../../src/audit/bundle/verify-bundle.ts'
import type { SigningKey } from '../../../src/evidence/log/signing-key.ts'
import { OF_BUNDLES } from '../../evidence/catalogue/catalogue.ts'
import { UNSEEN_IN_BUNDLE } from '../../evidence/catalogue/not-found.ts'
import { asFound } from '../../evidence/catalogue/tamper.ts'
import { enter, exchange } from '../../evidence/catalogue/writer-files.ts'
import { signAnew } from '../../evidence/sign-anew.ts'
import {
  addRun,
  addSession,
  type EvidenceStage,
  FILLED,
  fillStage,
  newKey,
  openEvidenceStage,
} from '../../helpers/evidence-stage.ts'
import { exportStage } from '../../helpers/export-stage.ts'
import { named } from '../../helpers/named-subject.ts'
import { type Members, readMembers, writeMembers } from '../../helpers/rewrite-zip.ts'
import { changeContents } from '../../helpers/stated-rows.ts'

let folder: string
let key: SigningKey
/** A bundle under the second of two checkpoints, and one of the same period under the first. */
let members: Members
let older: Members
/** A bundle from another database, with the same IDs and other contents. */
let others: Members
let noted: string
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'callsheet-bundles-'))
  const stage = await openEvidenceStage()
  key = stage.key
  await fillStage(stage)
  await stage.append()
  older = await exported(stage, 'older')
  await addSession(stage, { runId: await addRun(stage), id: 'later' })
  noted = (await stage.append()).checkpoint ?? ''
  members = await exported(stage, 'whole')
  await stage.close()
  const second = await openEvidenceStage()
  await fillStage(second)
  await changeContents(second)
  await second.append()
  others = await exported(second, 'others')
  await second.close()
})
afterAll(() => rmSync(folder, { recursive: true }))

async function exported(
  stage: EvidenceStage,
  name: string,
  told: readonly unknown[] = [],
): Promise<Members> {
  const path = join(folder, `${name}.zip`)
  const { problems } = await exportStage(stage, path)
  expect(problems).toEqual(told)
  return await readMembers(path)
}

describe('verifying a bundle', () => {
  it.each(OF_BUNDLES.flatMap(({ tampers }) => tampers))(
    'finds and names %s',
    async (_what, change, expected) => {
      const changed = new Map(members)
      change(changed, { older, others, key })
      const path = join(folder, 'changed.zip')
      await writeMembers(path, changed)
      const { findings, notJudged } = await verifyBundle(path, {
        key: key.publicKey.fingerprint,
        checkpoint: noted,
      })
      const found = findings.map(({ code, what }) => ({ code, what })).toSorted(byCode)
      expect(found).toEqual(asFound(expected))
      const unread = findings.some(({ what }) => what === 'SHA256SUMS')
      expect(notJudged).toHaveLength(unread ? 1 : 0)
    },
  )

  it.each(UNSEEN_IN_BUNDLE)(
    'finds nothing if the holder of the key could $could',
    async ({ does }) => {
      const changed = new Map(members)
      does(changed, { older, others, key })
      expect(changed).not.toEqual(members)
      const path = join(folder, 'changed.zip')
      await writeMembers(path, changed)
      const { findings } = await verifyBundle(path, {
        key: key.publicKey.fingerprint,
        checkpoint: noted,
      })
      expect(findings).toEqual([])
    },
  )

  it('finds nothing in a bundle that was unpacked and packed again with its folders', async () => {
    const folders = new Set([...members.keys()].flatMap((name) => /^.*\//.exec(name) ?? []))
    expect(folders.size).toBeGreaterThan(1)
    const path = join(folder, 'packed.zip')
    const empty = [...folders].map((name) => [name, Buffer.alloc(0)] as const)
    await writeMembers(path, [...empty, ...[...members].toReversed()])
    const { findings } = await verifyBundle(path, {
      key: key.publicKey.fingerprint,
      checkpoint: noted,
    })
    expect(findings).toEqual([])
  })

  it('finds each of many flipped bytes, unless it does not affect the content', async () => {
    const whole = readFileSync(join(folder, 'whole.zip'))
    const path = join(folder, 'flipped.zip')
    const pins = { key: key.publicKey.fingerprint, checkpoint: noted }
    let seen = 0
    for (let at = 7; at < whole.length; at += 211) {
      const flipped = Buffer.from(whole)
      flipped[at] = (flipped[at] ?? 0) ^ 0x10
      writeFileSync(path, flipped)
      const end = await verifyBundle(path, pins).then(
        ({ findingCount }) => findingCount > 0,
        (error: { code: string }) => error.code === 'bundle_unreadable',
      )
      if (end) seen++
      // No digest covers the dates and permissions of members, but their contents must be unchanged.
      else expect(await readMembers(path)).toEqual(members)
    }
    expect(seen).toBeGreaterThan(50)
  })

  it('reports a file that was replaced and logged again, and salts missing without an erasure', async () => {
    const stage = await openEvidenceStage()
    await fillStage(stage)
    await stage.append()
    await exchange(stage)
    await enter(stage, 'file')
    await stage.removeFile({ session: 's-1', id: 'a-2' })
    const signed = (await stage.append()).checkpoint ?? ''
    await stage.tamper(`update callsheet.manifest m set salt = null
      where m.kind <> 'record' and m.subject = ${named('whiteboard_activities/s-1/a-2')}`)
    await exported(stage, 'exchanged', [
      expect.stringContaining(`s-1/a-1, entry ${FILLED + 1}: file replaced`),
      ...Array.from({ length: 2 }, () =>
        expect.stringMatching(/s-1\/a-2, entry \d+: salt missing/),
      ),
    ])
    await stage.close()
    const pins = { key: stage.key.publicKey.fingerprint, checkpoint: signed }
    const { findings, notJudged } = await verifyBundle(join(folder, 'exchanged.zip'), pins)
    const what = expect.stringContaining('whiteboard_activities/s-1/a-1)') as string
    expect(findings).toMatchObject([
      { code: 'file_missing', what },
      { code: 'file_replaced', what },
      ...Array.from({ length: 2 }, () => ({
        code: 'salt_missing',
        what: expect.stringContaining('whiteboard_activities/s-1/a-2)') as string,
      })),
    ])
    expect(notJudged).toEqual([])
  })

  it('names the checks that it cannot make without a key’s fingerprint and a noted checkpoint', async () => {
    const changed = new Map(members)
    signAnew(changed, newKey())
    const path = join(folder, 'changed.zip')
    await writeMembers(path, changed)
    const { findings, notJudged } = await verifyBundle(path)
    expect(findings).toEqual([])
    expect(notJudged).toEqual([
      expect.stringContaining('--account NAME'),
      expect.stringContaining('--key FINGERPRINT'),
      expect.stringContaining('--checkpoint SIZE:ROOT'),
    ])
  })

  it.each([
    ['a file that is not a zip', () => writeFileSync(join(folder, 'bad.zip'), 'no zip')],
    [
      'a truncated file',
      () =>
        writeFileSync(
          join(folder, 'bad.zip'),
          readFileSync(join(folder, 'whole.zip')).subarray(0, -9),
        ),
    ],
    [
      'a repeated member name',
      () =>
        writeMembers(join(folder, 'bad.zip'), [
          ['README.txt', Buffer.from('a')],
          ['README.txt', Buffer.from('b')],
        ]),
    ],
    [
      'a member that unpacks to 32 MiB',
      () => writeMembers(join(folder, 'bad.zip'), [['README.txt', Buffer.alloc(2 ** 25)]]),
    ],
    [
      'a member name that leads out of the folder',
      async () => {
        await writeMembers(join(folder, 'bad.zip'), [['files/aaaaaaaa', Buffer.from('a')]])
        const bytes = readFileSync(join(folder, 'bad.zip')).toString('latin1')
        writeFileSync(
          join(folder, 'bad.zip'),
          bytes.replaceAll('files/aaaaaaaa', '../../../aaaaa'),
          'latin1',
        )
      },
    ],
  ])('reports that %s is not a bundle', async (_what, make) => {
    await Promise.resolve(make())
    await expect(verifyBundle(join(folder, 'bad.zip'))).rejects.toMatchObject({
      code: 'bundle_unreadable',
      exitCode: 2,
      facts: { todo: 'ask the sender to send the file again' },
    })
  })

  it.each([
    ['nothing', 'none.zip', 'there is no such file'],
    ['a folder', '.', 'the file is a folder, not a regular file'],
  ])('does not call a path to %s a broken bundle', async (_what, name, came) => {
    await expect(verifyBundle(join(folder, name))).rejects.toMatchObject({
      code: 'bundle_unreadable',
      exitCode: 2,
      facts: { came, todo: expect.stringContaining('check the path') as string },
    })
  })
})

function byCode(a: { code: string; what: string }, b: { code: string; what: string }): number {
  return `${a.code} ${a.what}` < `${b.code} ${b.what}` ? -1 : 1
}
