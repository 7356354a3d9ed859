import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { connect, type Warehouse } from '../../src/warehouse/connect.ts'
import { openWorkbench, type Workbench } from './workbench.ts'

let bench: Workbench
let warehouse: Warehouse
const people: { id: string; email: string }[] = []
beforeAll(async () => {
  bench = await openWorkbench()
  bench.configure()
  await bench.run('sync', 'users')
  warehouse = connect({ url: bench.databaseUrl })
  const { rows } = await sql<{ id: string; email: string }>`
    select id, email from svc.users where status = 'active' order by id limit 4`.execute(
    warehouse.db,
  )
  people.push(...rows)
})
afterAll(async () => {
  await warehouse.close()
  await bench.close()
})
const left = async () =>
  (await sql<{ id: string }>`select id from svc.users`.execute(warehouse.db)).rows.map(
    ({ id }) => id,
  )

describe('callsheet erase', () => {
  it('requires --dry-run or --yes, and somebody to erase', async () => {
    const [person] = people
    const unasked = await bench.run('erase', '--user', person!.id)
    expect(unasked).toMatchObject({ code: 2 })
    expect(unasked.stderr).toContain('both --dry-run and --yes are missing')
    const nobody = await bench.run('erase', '--yes')
    expect(nobody).toMatchObject({ code: 2 })
    expect(nobody.stderr).toContain('no person was named')
    const both = await bench.run('erase', '--due', '--user', person!.id, '--yes')
    expect(both).toMatchObject({ code: 2 })
  })

  it('refuses an email address on the command line, and does not repeat it', async () => {
    const { code, stderr, stdout } = await bench.run('erase', '--user', people[0]!.email, '--yes')
    expect(code).toBe(2)
    expect(stderr).toContain('callsheet erase --from -')
    expect(stderr + stdout).not.toContain(people[0]!.email)
    expect(await left()).toContain(people[0]!.id)
  })

  it('previews and carries out the erasure, and prints no personal data', async () => {
    const [person] = people
    const dry = await bench.run('erase', '--user', person!.id, '--dry-run')
    expect(dry.stdout).toContain('One person: what would be erased')
    expect(dry.stdout).toMatch(/users +1 +0/)
    expect(await left()).toContain(person!.id)
    const done = await bench.run('erase', '--user', person!.id, '--yes')
    expect(done).toMatchObject({ code: 0, stderr: '' })
    expect(done.stdout).toMatch(/Request 1 \(by command\): erased/)
    expect(await left()).not.toContain(person!.id)
    for (const said of [dry, done])
      expect(said.stdout + said.stderr).not.toMatch(new RegExp(`${person!.id}|${person!.email}`))
  })

  it('reads IDs and addresses from a file, and from standard input', async () => {
    const [, second, third, fourth] = people
    writeFileSync(join(bench.folder, 'persons.txt'), `${second!.email}\n\n${third!.id}\r\n`)
    const done = await bench.run('erase', '--from', 'persons.txt', '--yes', '--json')
    const { erased } = JSON.parse(done.stdout) as { erased: { request: number }[] }
    expect(erased.map(({ request }) => request)).toEqual([2, 3])
    const { child, ended } = bench.startWith({ typing: true }, 'erase', '--from', '-', '--yes')
    child.stdin?.end(`${fourth!.email.toUpperCase()}\n`)
    expect((await ended).code).toBe(0)
    expect((await left()).filter((id) => people.some((one) => one.id === id))).toEqual([])
  })

  it('lists requests and their results', async () => {
    const { stdout, code } = await bench.run('erase', '--list')
    expect(code).toBe(0)
    expect(stdout.split('\n').filter((line) => / by command .* done /.test(line))).toHaveLength(4)
    const json = await bench.run('erase', '--list', '--json')
    const { requests } = JSON.parse(json.stdout) as { requests: object[] }
    expect(requests).toHaveLength(4)
    expect(JSON.stringify(requests)).not.toMatch(/subject|identities/)
  })

  it('keeps erased people out of the next sync until they are readmitted', async () => {
    await bench.run('sync', 'users', '--full')
    expect((await left()).filter((id) => people.some((one) => one.id === id))).toEqual([])
    const [person] = people
    const again = await bench.run('erase', '--readmit', '--user', person!.id)
    expect(again).toMatchObject({ code: 0 })
    await bench.run('sync', 'users', '--full')
    expect((await left()).filter((id) => people.some((one) => one.id === id))).toEqual([person!.id])
    expect(await bench.run('erase', '--readmit', '--user', 'nobody-known')).toMatchObject({
      code: 1,
    })
  })

  it('does not report an unknown person as erased, and suggests checking the ID', async () => {
    const [, , , person] = people
    const { rows } = await sql<{ id: string }>`
      select id from svc.users where status = 'active' and id <> ${person!.id}
      order by id desc limit 1`.execute(warehouse.db)
    const mistyped = `${rows[0]!.id}w`
    const dry = await bench.run('erase', '--user', mistyped, '--dry-run')
    const done = await bench.run('erase', '--user', mistyped, '--yes')
    for (const [who, { code, stdout, stderr }] of [
      ['One person', dry],
      ['Request 5 (by command)', done],
    ] as const) {
      expect(code).toBe(0)
      expect(stdout).toContain(`${who}: nobody found\n`)
      expect(stderr).toContain(`${who}: no data of the account names them.`)
      expect(stderr).toContain('check the ID')
      expect(stdout + stderr).not.toContain(mistyped)
    }
    expect(done.stderr).toContain('--readmit')
    expect(await left()).toContain(rows[0]!.id)
    const listed = `${person!.id}\n${mistyped}\n${mistyped}2\n`
    writeFileSync(join(bench.folder, 'persons.txt'), listed)
    const again = await bench.run('erase', '--from', 'persons.txt', '--dry-run', '--json')
    const { erased } = JSON.parse(again.stdout) as { erased: { known: boolean }[] }
    // An erased or suppressed person counts as known.
    expect(erased.map(({ known }) => known)).toEqual([true, true, false])
  })

  it('shows columns with a longer word around the address, and keeps it if --others lists it', async () => {
    const email = 'longer.w@firm.example'
    const word = `from+${email}`
    await sql`update svc.users set dept = ${`see ${word}`}
      where id = (select min(id) from svc.users)`.execute(warehouse.db)
    writeFileSync(join(bench.folder, 'person.txt'), email)
    writeFileSync(join(bench.folder, 'words.txt'), `${word}\n${email}\nnobody\n`)
    const dry = await bench.run('erase', '--from', 'person.txt', '--dry-run')
    const open = await bench.run('erase', '--from', 'person.txt', '--yes')
    expect([dry.code, open.code]).toEqual([0, 1])
    for (const { stdout } of [dry, open]) {
      expect(stdout).toContain('in 1 rows of svc.users.dept the ID or address is next to letters')
      expect(stdout).toContain('--others')
    }
    const done = await bench.run('erase', '--due', '--others', 'words.txt', '--yes')
    expect(done).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('Some words of --others'),
    })
    expect(done.stdout).toContain('Left unchanged, as you decided: in 1 rows of svc.users.dept')
    const { stdout } = await bench.run('erase', '--list')
    expect(stdout).toMatch(/ done .* svc\.users\.dept \(another's\)/)
    for (const run of [dry, open, done]) expect(run.stdout + run.stderr).not.toContain(email)
    for (const wrong of [['--readmit'], ['--from', '-', '--yes']])
      expect(await bench.run('erase', '--others', '-', ...wrong)).toMatchObject({
        code: 2,
        stderr: expect.stringContaining('--others'),
      })
  })

  it('reports a missing input file', async () => {
    const { code, stderr } = await bench.run('erase', '--from', 'none.txt', '--yes')
    expect(code).toBe(2)
    expect(stderr).toContain('there is no such file')
  })
})
