import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { logOf, witnessesOf } from '../../helpers/ask-witness.ts'
import {
  ADDED,
  addRun,
  addSession,
  type EvidenceStage,
  FILLED,
  fillStage,
  openEvidenceStage,
} from '../../helpers/evidence-stage.ts'
import {
  type Misbehaviour,
  startWitness,
  type WitnessServer,
} from '../../helpers/witness-server.ts'
import { leafOf, proof } from '../log/naive-tree.ts'

let stage: EvidenceStage
let servers: WitnessServer[]
beforeEach(async () => {
  stage = await openEvidenceStage()
  await fillStage(stage)
  servers = [
    await startWitness('w.example/1', [logOf(stage)]),
    await startWitness('w.example/2', [logOf(stage)]),
  ]
})
afterEach(async () => {
  for (const server of servers) await server.close()
  await stage.close()
})

const append = (needed = 2) => stage.append({ witnesses: witnessesOf(servers, needed) })

async function addOne(id: string): Promise<void> {
  await addSession(stage, { runId: await addRun(stage), id })
}

describe('witnesses', () => {
  it('cosign each newest checkpoint, with a proof from their last one', async () => {
    expect((await append()).problems).toEqual([])
    await addOne('later')
    expect((await append()).problems).toEqual([])
    const leaves = (await entryLines()).map(leafOf)
    const fromFirst = proof(FILLED, leaves).map((hash) => `${hash.toString('base64')}\n`)
    const [first, second] = [await noted(1), await noted(2)]
    for (const server of servers)
      expect(server.asked).toEqual([
        `old 0\n\n${first}`,
        `old ${FILLED}\n${fromFirst.join('')}\n${second}`,
      ])
    const rows = await cosignatures()
    expect(rows.map(({ size, witness }) => [size, witness])).toEqual([
      [FILLED, servers[0]?.vkey],
      [FILLED, servers[1]?.vkey],
      [FILLED + ADDED, servers[0]?.vkey],
      [FILLED + ADDED, servers[1]?.vkey],
    ])
    for (const { size, witness, line } of rows) {
      const id = witness.split('+')[1]
      expect(await stage.store.readNote(`checkpoint-0000${size}.cosignature-${id}`)).toBe(line)
      expect(line).toMatch(new RegExp(`^— ${witness.split('+')[0]} [A-Za-z0-9+/=]{104}\n$`))
    }
  })

  it('are not contacted again about a cosigned checkpoint', async () => {
    await append()
    expect((await append()).problems).toEqual([])
    expect(servers.map(({ asked }) => asked.length)).toEqual([1, 1])
  })

  it('are asked again from the size that they report if the database lost their cosignatures', async () => {
    await append()
    await addOne('later')
    await append()
    await stage.tamper('delete from callsheet.marks')
    for (const name of (await stage.store.listNotes()).filter((one) => one.includes('cosign')))
      await stage.store.keepNote(name, '')
    expect((await append()).problems).toEqual([])
    const olds = servers.map(({ asked }) => asked.map((body) => body.split('\n', 1)[0]))
    expect(olds).toEqual([
      ['old 0', `old ${FILLED}`, 'old 0', `old ${FILLED + ADDED}`],
      ['old 0', `old ${FILLED}`, 'old 0', `old ${FILLED + ADDED}`],
    ])
  })

  it('are not contacted again for cosignatures that a killed process left in the store', async () => {
    await append()
    await stage.tamper('delete from callsheet.marks')
    expect((await append()).problems).toEqual([])
    expect(servers.map(({ asked }) => asked.length)).toEqual([1, 1])
    expect(await cosignatures()).toHaveLength(2)
  })

  it.each<[Misbehaviour, string]>([
    ['HTTP 500', 'HTTP 500'],
    ['hangs up', 'check the URL in evidence.witnesses'],
    ['does not know the log', 'HTTP 404'],
    ['always conflicts', 'it answered HTTP 409 and named the size that was sent'],
    ['sends an empty response', 'no cosignature of this checkpoint by its key'],
    ['signs another checkpoint', 'no cosignature of this checkpoint by its key'],
    ['signs with another key', 'no cosignature of this checkpoint by its key'],
    ['signs under another name', 'no cosignature of this checkpoint by its key'],
    ['signs without a time', 'no cosignature of this checkpoint by its key'],
    ['signs in the future', 'its cosignature is in the future'],
  ])(
    'are reported if they misbehave, and contacted again by the next run: %s',
    async (how, came) => {
      servers[1]?.misbehave(how)
      const { problems, signed } = await append()
      expect(signed).toBe(1)
      expect(problems).toEqual([
        expect.stringContaining(came),
        expect.stringMatching(
          /entries is cosigned by 1 of 2 witnesses, 2 needed; w.example\/1 \(.+\); not w.example\/2;/,
        ),
      ])
      expect(problems[0]).toContain(servers[1]?.url)
      expect((await cosignatures()).map(({ witness }) => witness)).toEqual([servers[0]?.vkey])
      servers[1]?.misbehave(undefined)
      expect((await append()).problems).toEqual([])
      expect(await cosignatures()).toHaveLength(2)
      expect(servers[0]?.asked).toHaveLength(1)
    },
  )

  it('may be fewer than all if the policy allows this, and missing ones are still reported', async () => {
    servers[1]?.misbehave('HTTP 500')
    expect((await append(1)).problems).toEqual([expect.stringContaining('w.example/2')])
  })

  it('receive no proof from tampered tiles', async () => {
    await append()
    await addOne('later')
    await stage.append()
    await stage.tamper(`update callsheet.tree_tiles set hashes = set_byte(hashes, 0, 1)
      where level = 0 and tile = 0 and start = 0`)
    expect((await append()).problems).toEqual([
      expect.stringContaining('does not prove to the witness w.example/1'),
      expect.stringContaining('does not prove to the witness w.example/2'),
      expect.stringContaining('entries is cosigned by 0 of 2 witnesses'),
    ])
    expect(servers.map(({ asked }) => asked.length)).toEqual([1, 1])
  })
})

async function noted(number: number): Promise<string> {
  return (await stage.store.readNote(`checkpoint-0000${FILLED + ADDED * (number - 1)}`)) ?? ''
}

async function entryLines(): Promise<string[]> {
  const { rows } = await sql<{ line: string }>`
    select line from callsheet.manifest order by seq`.execute(stage.warehouse.db)
  return rows.map(({ line }) => line)
}

async function cosignatures() {
  const { rows } = await sql<{ size: number; witness: string; line: string }>`
    select size, who as witness, convert_from(body, 'UTF8') as line from callsheet.marks
    order by size, who`.execute(stage.warehouse.db)
  return rows
}
