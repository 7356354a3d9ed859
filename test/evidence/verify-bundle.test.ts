import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { systemClock } from '../../src/core/clock.ts'
import { exportAudit } from '../../src/engine/export-audit.ts'
import { sha256Hex } from '../../src/evidence/digest.ts'
import { readHead } from '../../src/evidence/head.ts'
import type { SigningKey } from '../../src/evidence/signing-key.ts'
import { verifyBundle } from '../../src/evidence/verify-bundle.ts'
import {
  ACCOUNT,
  addRun,
  addSession,
  type EvidenceStage,
  fillStage,
  newKey,
  openEvidenceStage,
  STREAMS,
} from '../helpers/evidence-stage.ts'
import { type Members, readMembers, writeMembers } from '../helpers/rewrite-zip.ts'

let folder: string
let key: SigningKey
/** Of a bundle under two heads, and one of the same period under the first head alone. */
let members: Members
let older: Members
/** The same IDs in another account. */
let others: Members
let head: string
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'callsheet-bundles-'))
  const stage = await openEvidenceStage()
  key = stage.key
  await fillStage(stage)
  await stage.append()
  older = await exported(stage, 'older')
  await addSession(stage, { runId: await addRun(stage), id: 'later' })
  head = (await stage.append()).head?.hash ?? ''
  members = await exported(stage, 'whole')
  await stage.close()
  const second = await openEvidenceStage()
  await fillStage(second)
  await second.tamper(`update svc.whiteboard_activities set _bytes = '{"x":1}' where id = 'a-2'`)
  await second.append()
  others = await exported(second, 'others')
  await second.close()
})
afterAll(() => rmSync(folder, { recursive: true }))

async function exported(stage: EvidenceStage, name: string): Promise<Members> {
  const path = join(folder, `${name}.zip`)
  const period = { from: '2026-06-01T00:00:00Z', to: '2026-07-01T00:00:00Z' }
  const scope = { account: ACCOUNT, ...period, whiteboard: undefined, user: undefined }
  const { store, key: signing } = stage
  const signal = new AbortController().signal
  const deps = { warehouse: stage.warehouse, clock: systemClock }
  const options = { scope, store, key: signing, streams: STREAMS, path, by: 'a test', signal }
  const { problems } = await exportAudit(deps, options)
  expect(problems).toEqual([])
  return await readMembers(path)
}

const FILE = sha256Hex('file of s-1 a-1')
type Change = (members: Members) => void
const edit =
  (name: string, change: (text: string) => string): Change =>
  (all) =>
    void all.set(name, Buffer.from(change(all.get(name)?.toString() ?? '')))
const lines = (change: (all: string[]) => string[]) => (text: string) =>
  change(text.trimEnd().split('\n')).join('\n') + '\n'

/** What is done to the members, and all findings that must come of it. */
const TAMPERED: readonly [string, Change, readonly (readonly [string, string | RegExp])[]][] = [
  ['nothing', () => undefined, []],
  [
    'one byte of a file flipped',
    edit(`files/${FILE}`, (text) => text.replace('f', 'g')),
    [
      ['file_changed', `files/${FILE}, of whiteboard_activities/s-1/a-1`],
      ['member_changed', `files/${FILE}`],
    ],
  ],
  [
    'a file deleted',
    (all) => void all.delete(`files/${FILE}`),
    [
      ['count_wrong', 'files'],
      ['file_missing', `files/${FILE}, of whiteboard_activities/s-1/a-1`],
      ['index_wrong', /^files.ndjson, line \d+$/],
      ['member_missing', `files/${FILE}`],
    ],
  ],
  [
    'a file added',
    (all) => void all.set(`files/${sha256Hex('new')}`, Buffer.from('new')),
    [
      ['count_wrong', 'files'],
      ['file_without_entry', `files/${sha256Hex('new')}`],
      ['member_extra', `files/${sha256Hex('new')}`],
    ],
  ],
  [
    'a member of a name that no bundle has added',
    (all) => void all.set('notes/run-me.sh', Buffer.from('echo')),
    [
      ['member_extra', 'notes/run-me.sh'],
      ['member_extra', 'notes/run-me.sh'],
    ],
  ],
  [
    'the last lines of the manifest cut off',
    edit(
      'manifest.ndjson',
      lines((all) => all.slice(0, -1)),
    ),
    [
      ['count_wrong', 'entries'],
      ['member_changed', 'manifest.ndjson'],
      ['record_without_entry', /^records\/whiteboard_sessions.ndjson, line \d+$/],
    ],
  ],
  [
    'a line dropped from the middle of the manifest',
    edit(
      'manifest.ndjson',
      lines((all) => all.toSpliced(1, 1)),
    ),
    [
      ['count_wrong', 'entries'],
      ['member_changed', 'manifest.ndjson'],
      ['record_without_entry', /^records\/whiteboard_sessions.ndjson, line \d+$/],
    ],
  ],
  [
    'two lines of the manifest swapped',
    edit(
      'manifest.ndjson',
      lines(([a = '', b = '', ...rest]) => [b, a, ...rest]),
    ),
    [
      ['entries_swapped', /^manifest.ndjson, line 2, entry 1 /],
      ['member_changed', 'manifest.ndjson'],
    ],
  ],
  [
    'an entry in the manifest changed',
    edit('manifest.ndjson', (text) => text.replace('"kind":"record"', '"kind":"file"')),
    [
      ['entry_changed', /^manifest.ndjson, line 1, entry 1 /],
      ['file_missing', /^files\/[0-9a-f]{64}, of whiteboard_sessions\//],
      ['member_changed', 'manifest.ndjson'],
      ['record_without_entry', /^records\/whiteboard_sessions.ndjson, line 1$/],
    ],
  ],
  [
    'a record changed, its entry’s content with it',
    (all) => {
      const before = all.get('records/whiteboard_sessions.ndjson')?.toString().split('\n')[0] ?? ''
      const after = before.replace('Plans', 'Plots')
      edit('records/whiteboard_sessions.ndjson', (text) => text.replace(before, after))(all)
      edit('manifest.ndjson', (text) => text.replace(sha256Hex(before), sha256Hex(after)))(all)
    },
    [
      ['commitment_wrong', /^manifest.ndjson, line \d+, entry \d+ \(whiteboard_sessions/],
      ['member_changed', 'manifest.ndjson'],
      ['member_changed', 'records/whiteboard_sessions.ndjson'],
    ],
  ],
  [
    'a record deleted',
    edit(
      'records/whiteboard_sessions.ndjson',
      lines((all) => all.slice(1)),
    ),
    [
      ['count_wrong', 'records'],
      ['member_changed', 'records/whiteboard_sessions.ndjson'],
      ['record_missing', /^the record whiteboard_sessions\//],
    ],
  ],
  [
    'the key exchanged',
    (all) => void all.set('key.pem', Buffer.from(newKey().publicKey.pem)),
    [
      ['key_exchanged', 'head 1'],
      ['key_exchanged', 'head 2'],
      ['key_exchanged', 'key.pem'],
      ['key_exchanged', 'key.pem'],
      ['member_changed', 'key.pem'],
      ['signature_wrong', 'SHA256SUMS'],
      ['signature_wrong', 'head 1'],
      ['signature_wrong', 'head 2'],
    ],
  ],
  [
    'the key exchanged and everything signed anew with it',
    (all) => signAnew(all, newKey()),
    [
      ['key_exchanged', 'key.pem'],
      ['rolled_back', /^head [0-9a-f]{64}$/],
    ],
  ],
  [
    'a record changed in another account’s bundle mixed in',
    (all) => {
      const name = 'records/whiteboard_activities.ndjson'
      all.set(name, others.get(name) ?? Buffer.alloc(0))
    },
    [
      ['member_changed', 'records/whiteboard_activities.ndjson'],
      ...Array.from({ length: 3 }, () => ['record_missing', /^the record whiteboard_act/] as const),
      ...Array.from(
        { length: 3 },
        () => ['record_without_entry', /^records\/whiteboard_activities.ndjson, line/] as const,
      ),
    ],
  ],
  [
    'a head of another bundle mixed in',
    (all) => {
      for (const name of ['heads/000001.json', 'heads/000001.sig'])
        all.set(name, others.get(name) ?? Buffer.alloc(0))
    },
    [
      ...Array.from({ length: 27 }, () => ['entry_changed', /^manifest.ndjson, line \d+/] as const),
      ['head_chain_broken', 'head 2'],
      ['key_exchanged', 'head 1'],
      ['member_changed', 'heads/000001.json'],
      ['member_changed', 'heads/000001.sig'],
      ['signature_wrong', 'head 1'],
    ],
  ],
  [
    'the newest head taken out',
    (all) => {
      for (const name of ['heads/000002.json', 'heads/000002.sig']) all.delete(name)
    },
    [
      ['head_missing', /^manifest.ndjson, line 28, entry 28 /],
      ['heads_cut', 'the newest head'],
      ['member_missing', 'heads/000002.json'],
      ['member_missing', 'heads/000002.sig'],
      ['rolled_back', /^head [0-9a-f]{64}$/],
    ],
  ],
  [
    'a bundle of an older state put in its place',
    (all) => {
      all.clear()
      for (const [name, content] of older) all.set(name, content)
    },
    [['rolled_back', /^head [0-9a-f]{64}$/]],
  ],
  [
    'another account’s bundle put in its place',
    (all) => {
      all.clear()
      for (const [name, content] of others) all.set(name, content)
    },
    [
      ['key_exchanged', 'key.pem'],
      ['rolled_back', /^head [0-9a-f]{64}$/],
    ],
  ],
  [
    'an account’s name changed in the facts',
    edit('bundle.json', (text) => text.replace(`"${ACCOUNT}"`, '"other"')),
    [
      ['member_changed', 'bundle.json'],
      ['other_account', 'head 1'],
      ['other_account', 'head 2'],
      ...Array.from({ length: 28 }, () => ['other_account', /^manifest.ndjson, line/] as const),
    ],
  ],
  [
    'the sums and their signature taken out',
    (all) => void (all.delete('SHA256SUMS'), all.delete('SHA256SUMS.sig')),
    [
      ...Array.from({ length: 23 }, () => ['member_extra', /./] as const),
      ['member_missing', 'SHA256SUMS'],
      ['member_missing', 'SHA256SUMS.sig'],
      ['signature_wrong', 'SHA256SUMS'],
    ],
  ],
]

describe('the check of a bundle', () => {
  it.each(TAMPERED)('finds and names %s', async (_what, change, expected) => {
    const changed = new Map(members)
    change(changed)
    const path = join(folder, 'changed.zip')
    await writeMembers(path, changed)
    const { findings, notJudged } = await verifyBundle(path, {
      key: key.publicKey.fingerprint,
      head,
    })
    const found = findings.map(({ code, what }) => ({ code, what })).toSorted(byCode)
    expect(found).toEqual(
      expected.map(([code, what]) => ({
        code,
        what: typeof what === 'string' ? what : (expect.stringMatching(what) as string),
      })),
    )
    expect(notJudged).toEqual([])
  })

  it('finds each single byte that is flipped in the bundle, or reads the same without it', async () => {
    const whole = readFileSync(join(folder, 'whole.zip'))
    const path = join(folder, 'flipped.zip')
    const pins = { key: key.publicKey.fingerprint, head }
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
      // Dates and rights of members are part of no digest; what the members hold must be as it was.
      else expect(await readMembers(path)).toEqual(members)
    }
    expect(seen).toBeGreaterThan(50)
  })

  it('says what it cannot tell without the fingerprint and the head', async () => {
    const changed = new Map(members)
    signAnew(changed, newKey())
    const path = join(folder, 'changed.zip')
    await writeMembers(path, changed)
    const { findings, notJudged } = await verifyBundle(path)
    expect(findings).toEqual([])
    expect(notJudged).toEqual([
      expect.stringContaining('--key FINGERPRINT'),
      expect.stringContaining('--head HASH'),
    ])
  })

  it.each([
    ['no zip', () => writeFileSync(join(folder, 'bad.zip'), 'no zip')],
    [
      'a cut one',
      () =>
        writeFileSync(
          join(folder, 'bad.zip'),
          readFileSync(join(folder, 'whole.zip')).subarray(0, -9),
        ),
    ],
    [
      'a name that comes twice',
      () =>
        writeMembers(join(folder, 'bad.zip'), [
          ['README.txt', Buffer.from('a')],
          ['README.txt', Buffer.from('b')],
        ]),
    ],
    [
      'a member that unpacks to far too much',
      () => writeMembers(join(folder, 'bad.zip'), [['README.txt', Buffer.alloc(2 ** 25)]]),
    ],
    [
      'a name that climbs out of the folder',
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
  ])('refuses %s as no bundle', async (_what, make) => {
    await make()
    await expect(verifyBundle(join(folder, 'bad.zip'))).rejects.toMatchObject({
      code: 'bundle_unreadable',
      exitCode: 2,
    })
  })
})

/** What somebody does who has all but the key: heads, sums and facts as they must be under a key of his own. */
function signAnew(all: Members, other: SigningKey): void {
  const { fingerprint, pem } = other.publicKey
  let before = '0'.repeat(64)
  for (const name of [...all.keys()].filter((one) => /^heads\/.*json$/.test(one)).toSorted()) {
    const line = JSON.stringify({
      ...readHead(all.get(name)?.toString() ?? ''),
      key: fingerprint,
      prev_head: before,
    })
    before = sha256Hex(line)
    all.set(name, Buffer.from(line))
    all.set(name.replace('json', 'sig'), other.sign(line))
  }
  all.set('key.pem', Buffer.from(pem))
  edit('bundle.json', (text) =>
    JSON.stringify({ ...(JSON.parse(text) as object), key: fingerprint, head: before }),
  )(all)
  const sums = [...all].filter(([name]) => !name.startsWith('SHA256SUMS'))
  const text = sums.map(([name, content]) => `${sha256Hex(content)}  ${name}\n`).join('')
  all.set('SHA256SUMS', Buffer.from(text))
  all.set('SHA256SUMS.sig', other.sign(text))
}

function byCode(a: { code: string; what: string }, b: { code: string; what: string }): number {
  return `${a.code} ${a.what}` < `${b.code} ${b.what}` ? -1 : 1
}
