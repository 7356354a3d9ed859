import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Browser, Page } from 'puppeteer-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { verifyBundle } from '../../src/audit/bundle/verify-bundle.ts'
import { verifyPage } from '../../src/audit/page/verify-page.ts'
import type { SigningKey } from '../../src/evidence/log/signing-key.ts'
import { OF_BUNDLES } from '../evidence/catalogue/catalogue.ts'
import { signAnew, signSums } from '../evidence/sign-anew.ts'
import { logOf, witnessesOf, witnessKey } from '../helpers/ask-witness.ts'
import {
  addRun,
  addSession,
  type EvidenceStage,
  fillStage,
  newKey,
  openEvidenceStage,
} from '../helpers/evidence-stage.ts'
import { exportStage } from '../helpers/export-stage.ts'
import { withTwoLists } from '../helpers/raw-zip.ts'
import { type Members, readMembers, writeMembers } from '../helpers/rewrite-zip.ts'
import { changeContents } from '../helpers/stated-rows.ts'
import { startWitness } from '../helpers/witness-server.ts'
import { lookAt, openBrowser } from '../serve/headless.ts'

let folder: string
let browser: Browser
let page: Page
let address: string
let key: SigningKey
let signed: string
let members: Members
let older: Members
let others: Members
let vkeys: string[]

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'callsheet-verify-page-'))
  const stage = await openEvidenceStage()
  key = stage.key
  await fillStage(stage)
  await stage.append()
  older = await exported(stage, 'older')
  await addSession(stage, { runId: await addRun(stage), id: 'later' })
  signed = (await stage.append()).checkpoint ?? ''
  members = await exported(stage, 'whole')
  const servers = [
    await startWitness('w.example/1', [logOf(stage)]),
    await startWitness('w.example/2', []),
  ]
  await stage.append({ witnesses: witnessesOf(servers, 1) })
  vkeys = servers.map(({ vkey }) => vkey)
  const policy = { witnesses: vkeys.map(witnessKey), needed: 1 }
  await exportStage(stage, join(folder, 'witnessed.zip'), { witnesses: policy })
  for (const server of servers) await server.close()
  await stage.close()
  const second = await openEvidenceStage()
  await fillStage(second)
  await changeContents(second)
  await second.append()
  others = await exported(second, 'others')
  await second.close()
  const path = join(folder, 'verify.html')
  writeFileSync(path, members.get('verify.html') ?? '')
  address = pathToFileURL(path).href
  browser = await openBrowser()
  page = await browser.newPage()
  await page.goto(address)
})
afterAll(async () => {
  await browser.close()
  rmSync(folder, { recursive: true })
})

async function exported(stage: EvidenceStage, name: string): Promise<Members> {
  const path = join(folder, `${name}.zip`)
  await exportStage(stage, path)
  return await readMembers(path)
}

interface FileField {
  uploadFile(path: string): Promise<void>
}

interface Said {
  verdict: string
  look: string
  findings: string[]
  text: string
}

/** Lets the page check a file, and returns the page's result. */
async function check(
  path: string,
  noted: Partial<Record<'key' | 'checkpoint' | 'account' | 'witnesses' | 'needed', string>> = {},
): Promise<Said> {
  for (const [id, value] of Object.entries({ ...NONE, ...noted }))
    await page.evaluate(`document.getElementById('${id}').value = '${value}'`)
  const input = (await page.$('#file')) as unknown as FileField
  // Choosing the same file again causes no event unless the field is empty.
  await page.evaluate(
    `document.getElementById('file').value = ''; document.getElementById('result').replaceChildren()`,
  )
  await input.uploadFile(path)
  await page.waitForFunction(
    `document.querySelector('#result .note') &&
      !/^Reading/.test(document.getElementById('result').innerText)`,
  )
  return (await page.evaluate(`(() => {
    const first = document.querySelector('#result .note')
    const [wrong] = [...document.querySelectorAll('#result h2')].filter(
      (one) => one.textContent === 'Findings')
    return {
      verdict: first.textContent,
      look: first.className,
      findings: wrong ? [...wrong.nextElementSibling.children].map((one) => one.textContent) : [],
      text: document.getElementById('result').innerText,
    }
  })()`)) as Said
}

const inOrder = (codes: readonly string[]) => codes.toSorted((a, b) => (a < b ? -1 : 1))
const NONE = { key: '', checkpoint: '', account: '', witnesses: '', needed: '' }
const pins = () => ({ key: key.publicKey.fingerprint, checkpoint: signed })

describe('the page that verifies a bundle', () => {
  it('is the page that the program writes', async () => {
    expect(String(members.get('verify.html'))).toBe(await verifyPage())
  })

  it('shows how many witnesses cosigned, and judges by the witnesses that the user names', async () => {
    const witnessed = join(folder, 'witnessed.zip')
    const own = await check(witnessed, pins())
    expect(own.findings).toEqual([])
    expect(own.text).toMatch(
      /1 of 2 witnesses that the bundle names, 1 needed; w\.example\/1 \(20\S+Z\)/,
    )
    expect(own.text).toMatch(/Whether witnesses that you trust saw this log.*Enter their keys\.$/m)
    const [first = '', second = ''] = vkeys
    const named = await check(witnessed, { ...pins(), witnesses: first })
    expect(named.findings).toEqual([])
    expect(named.look).toContain('good')
    expect(named.text).not.toContain('Whether witnesses')
    const both = await check(witnessed, { ...pins(), witnesses: `${first} ${second}` })
    expect(both.findings).toEqual([
      expect.stringMatching(
        /^cosignatures few: checkpoint \(expected cosignatures of 2 .*found 1 of 2 witnesses, 2 needed/,
      ),
    ])
    const one = { witnesses: `${first} ${second}`, needed: '1' }
    expect((await check(witnessed, { ...pins(), ...one })).findings).toEqual([])
    const wrong = await check(witnessed, { ...pins(), witnesses: first.replace(/.\+/, 'x+') })
    expect(wrong.verdict).toMatch(
      /^The bundle cannot be checked: this is not the verifier key of a witness: /,
    )
  })

  it('finds nothing in an intact bundle, and says what the bundle covers', async () => {
    const { verdict, look, text } = await check(join(folder, 'whole.zip'), pins())
    expect(verdict).toBe('Nothing was altered since the holder of this key signed the bundle.')
    expect(look).toContain('good')
    expect(text).toContain(key.publicKey.fingerprint)
    expect(text).toContain(signed)
    expect(text).not.toContain('Not checked')
  })

  it.each(OF_BUNDLES.flatMap(({ tampers }) => tampers))(
    'agrees with the program on %s',
    async (what, change, due) => {
      const changed = new Map(members)
      change(changed, { older, others, key })
      const path = join(folder, 'changed.zip')
      await writeMembers(path, changed)
      const { look, findings } = await check(path, pins())
      expect([what, look]).toEqual([what, due.length > 0 ? 'note bad' : 'note good'])
      const codes = findings.map((text) => text.split(':', 1)[0]?.replaceAll(' ', '_') ?? '')
      expect(inOrder(codes)).toEqual(inOrder(due.map(([code]) => code)))
    },
  )

  it('reports that the signer is unknown until the key is named', async () => {
    const changed = new Map(members)
    signAnew(changed, newKey())
    const path = join(folder, 'anew.zip')
    await writeMembers(path, changed)
    expect(await check(path)).toMatchObject({ look: 'note warning', findings: [] })
    const named = await check(path, { key: key.publicKey.fingerprint })
    expect(named.findings).toEqual([expect.stringMatching(/^key exchanged: key\.pem \(expected/)])
  })

  it('detects an omitted newer checkpoint if the user noted it', async () => {
    const path = join(folder, 'older.zip')
    const { text, look } = await check(path, { key: key.publicKey.fingerprint })
    expect(look).toBe('note good')
    expect(text).toMatch(/Whether this is a bundle of an older state.*that you saved\.$/m)
    const noted = await check(path, pins())
    expect(noted.findings).toEqual([expect.stringMatching(/^rolled back: the checkpoint /)])
  })

  it('refuses a member that unpacks to 100 times its size; reports one missing from the sums', async () => {
    const changed = new Map(members)
    changed.set(`files/${'0'.repeat(64)}`, Buffer.alloc(2 ** 26))
    const path = join(folder, 'bomb.zip')
    await writeMembers(path, changed)
    const unnamed = await check(path, pins())
    expect(unnamed.verdict).toContain('a member unpacks to more than 100 times its size')
    changed.set(`files/${'0'.repeat(64)}`, Buffer.from('small'))
    await writeMembers(path, changed)
    const { findings } = await check(path, pins())
    expect(findings).toEqual([expect.stringMatching(/^member extra: files\/0+ /)])
  })

  it('checks the signed sizes', async () => {
    const changed = new Map(members).set('README.txt', Buffer.alloc(2 ** 16, 'x'))
    signSums(changed, key)
    const path = join(folder, 'larger.zip')
    await writeMembers(path, changed)
    const { findings } = await check(path, pins())
    expect(findings).toEqual([
      expect.stringMatching(/^member changed: README\.txt \(expected at most \d+ bytes, as signed/),
    ])
  })

  it('refuses a bundle with two lists of members, as the program does', async () => {
    const path = join(folder, 'two-lists.zip')
    writeFileSync(path, withTwoLists(readFileSync(join(folder, 'whole.zip'))))
    await expect(verifyBundle(path)).rejects.toThrow('list of members')
    expect((await check(path)).verdict).toMatch(/^The bundle cannot be checked: its list of/)
  })

  it('rejects any other file', async () => {
    for (const content of ['', 'PK', 'no zip at all, '.repeat(9_000)]) {
      const path = join(folder, 'else.zip')
      writeFileSync(path, content)
      expect((await check(path)).verdict).toMatch(/^The bundle cannot be checked: /)
    }
  })

  it.each([
    [1280, 'light'],
    [390, 'dark'],
  ] as const)('has no accessibility violations at %i pixels (%s)', async (width, scheme) => {
    const seen = await lookAt(browser, address, { width, scheme })
    expect(seen).toMatchObject({ complaints: [], violations: [], beyond: 0 })
    expect(seen.judged).toBeGreaterThan(10)
  })
})
