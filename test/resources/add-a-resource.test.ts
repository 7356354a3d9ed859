import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { FingerprintTable } from '../../src/core/fingerprint-table.ts'
import type { Batch } from '../../src/core/load.ts'
import { newReading } from '../../src/engine/slice-reading.ts'
import { planStream } from '../../src/engine/plan-stream.ts'
import { takePage } from '../../src/engine/take-page.ts'
import { recognised } from '../engine/recognised.ts'
import { smsConsents } from './sms-consents.ts'

const read = (path: string): string => readFileSync(new URL(path, import.meta.url), 'utf8')

test('the example of the page is the one that is compiled here', () => {
  const [, example] = /```ts\n(.*?)```/s.exec(read('../../docs/add-a-resource.md')) ?? []
  const compiled = read('./sms-consents.ts')
    .replaceAll("'../../src/core/", "'../core/")
    .replace("'../../src/resources/list-query.ts'", "'./list-query.ts'")
  expect(example).toBe(compiled)
})

test('the example plans one slice and turns a page into rows without a line of code of its own', () => {
  const facts = { nowMs: 0, chainRunId: 1, histories: new Map(), full: false }
  const [group] = planStream(smsConsents, facts)
  expect(group?.slices.map(({ request }) => request.slice)).toEqual(['all'])
  const records = [
    { consent_id: 'c1', status: true, used_number: 3, in_out_bound: { disclaimer: {} } },
    { status: 1 },
  ]
  const batch: Batch = { fresh: [], known: [], quarantined: [], findings: [], shares: [] }
  const reading = newReading(group!.slices[0]!)
  const table = new FingerprintTable()
  const against = { stream: smsConsents, table, beside: [], slice: reading.slice }
  const page = recognised(against, JSON.stringify({ sms_consent: records }))
  takePage({ stream: smsConsents, cuts: [], table, batch, reading, sequence: 1 }, page)
  expect(batch.fresh.map(({ values }) => values)).toEqual([
    ['c1', null, null, '3', 'true', '{"disclaimer":{}}', null, null],
  ])
  expect(batch.quarantined.map(({ reason }) => reason)).toEqual(['key field consent_id is missing'])
})
