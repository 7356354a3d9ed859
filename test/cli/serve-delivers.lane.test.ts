import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { GetObjectCommand, ListObjectsV2Command, S3Client } from '@aws-sdk/client-s3'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startHookServer } from '../serve/alerts/hook-server.ts'
import { headersOf, startMailServer } from '../serve/alerts/mail-server.ts'
import { type Bucket, openBucket } from '../store/bucket.ts'
import { linesOf, logged, onlyJob } from './served.ts'
import { openWorkbench, type Workbench } from './workbench.ts'

let bench: Workbench
let bucket: Bucket
beforeAll(async () => {
  bench = await openWorkbench()
  bucket = await openBucket()
})
afterAll(async () => {
  await bench.close()
  await bucket.close()
})

it('callsheet serve delivers a scheduled report by mail, to a webhook and to a bucket', async () => {
  const [mail, hook] = await Promise.all([startMailServer({ tls: 'none' }), startHookServer(503)])
  const { endpoint } = bucket
  const { bucket: name, accessKeyId, secretAccessKey } = bucket.options()
  const keys = `accessKeyId: ${accessKeyId}, secretAccessKey: env:KEY3`
  const job = `{schedule: '* * * * *', deliver: ${DELIVER}}`
  bench.configure({
    top: [
      onlyJob('phone-numbers').replace('users: never, ', ''),
      'serve: {port: 0}',
      'logging: {level: info}',
      `mail: {host: 127.0.0.1, port: ${mail.port}, from: a@corp.example}`,
      `archive: {files: false, s3: {bucket: ${name}, endpoint: "${endpoint}", ${keys}}}`,
      `reports: {formats: [csv], jobs: {number-inventory-report: ${job}, ${NO_OTHER}}}`,
    ],
  })
  const environment = { HOOK: `${hook.url}/reports`, KEY3: secretAccessKey }
  const started = bench.startWith({ environment }, 'serve')
  const failed = await logged(started, 'report not delivered')
  expect(failed).toMatchObject({ name: 'webhook', job: 'number-inventory-report' })
  await logged(started, 'job ended', { job: 'number-inventory-report' })
  started.child.kill('SIGTERM')
  const { stderr } = await started.ended
  expect(linesOf(stderr).filter(({ withheld }) => withheld !== undefined)).toEqual([])
  expect(stderr).not.toContain('manager@')
  expect(stderr).not.toContain(hook.url)

  const files = readdirSync(join(bench.folder, 'out'))
  expect(files.length).toBeGreaterThan(1)
  const [sent] = mail.taken
  expect(sent).toMatchObject({ to: ['manager@corp.example'] })
  const subject = headersOf(sent?.source ?? '').get('subject') ?? ''
  expect(subject).toMatch(/^Number inventory of main, [A-Z][a-z]{2} \d{1,2}: complete$/)
  const text = textOf(sent?.source ?? '')
  expect(text).toContain(`${subject}. `)
  expect(text).toMatch(/: complete\. \d+ of \d+ numbers are unassigned/)
  expect(text).toContain('Sources are in the part "Provenance".')
  for (const file of files) expect(sent?.source).toContain(file)

  const client = new S3Client({
    region: 'us-east-1',
    endpoint,
    forcePathStyle: true,
    credentials: { accessKeyId, secretAccessKey },
  })
  const listed = await client.send(new ListObjectsV2Command({ Bucket: name }))
  const stored = (listed.Contents ?? []).map(({ Key }) => Key ?? '').toSorted()
  expect(stored).toEqual(files.map((file) => `callsheet-reports/main/${file}`).toSorted())
  const first = await client.send(new GetObjectCommand({ Bucket: name, Key: stored[0] ?? '' }))
  const bytes = await first.Body?.transformToByteArray()
  expect(digest(bytes ?? new Uint8Array())).toBe(
    digest(readFileSync(join(bench.folder, 'out', stored[0]?.split('/').at(-1) ?? ''))),
  )
  client.destroy()
  await mail.close()
  await hook.close()
})

/** The decoded text part of a mail, without line breaks. */
function textOf(source: string): string {
  const [, part = ''] = /text\/plain[\s\S]*?\r?\n\r?\n([\s\S]*?)\r?\n--/.exec(source) ?? []
  const plain = part
    .replace(/=\r?\n/g, '')
    .replace(/=([0-9A-F]{2})/g, (_all, hex: string) => String.fromCharCode(parseInt(hex, 16)))
  return plain.replace(/\s+/g, ' ')
}

const DELIVER = '{mail: [manager@corp.example], webhook: {url: env:HOOK}, s3: true}'

const digest = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')

/** Turns off the reconciliation report, which would otherwise be made after each run. */
const NO_OTHER = 'reconciliation-report: {schedule: never}'
