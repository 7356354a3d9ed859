import { connect, createServer } from 'node:net'
import { expect, it } from 'vitest'
import { freePort } from '../helpers/free-port.ts'
import { linesOf, logged, onlyJob } from './served.ts'
import { openWorkbench } from './workbench.ts'

it('serve waits for an unavailable database at its start, and is alive but not ready meanwhile', async () => {
  const bench = await openWorkbench()
  const database = new URL(bench.databaseUrl)
  const target = { host: database.hostname, port: Number(database.port) }
  const door = createServer((client) => {
    const inner = connect(target)
    client.pipe(inner).pipe(client)
    for (const one of [client, inner]) one.on('error', () => one.destroy())
  })
  const port = await freePort()
  try {
    bench.configure({ top: [onlyJob('users'), 'serve: {port: 0}', 'logging: {level: info}'] })
    database.port = String(port)
    const started = bench.startWith({ environment: { DATABASE: database.href } }, 'serve')
    const [{ url }, waiting] = await Promise.all([
      logged(started, 'serving'),
      logged(started, 'waiting for the database', { tries: 2 }),
    ])
    expect(waiting).toMatchObject({ code: 'database_unreachable', level: 'warn' })
    expect((await fetch(`${String(url)}/livez`)).status).toBe(200)
    const unready = await fetch(`${String(url)}/readyz`)
    expect([unready.status, await unready.text()]).toEqual([503, 'waiting for the database\n'])
    door.listen(port, '127.0.0.1')
    await logged(started, 'job ended', { status: 'done' })
    expect((await fetch(`${String(url)}/readyz`)).status).toBe(200)
    started.child.kill('SIGTERM')
    const { code, stderr } = await started.ended
    expect(code).toBe(143)
    expect(linesOf(stderr).filter(({ level }) => level === 'error')).toEqual([])
  } finally {
    door.close()
    await bench.close()
  }
})

it('serve stops immediately while it waits for a database', async () => {
  const bench = await openWorkbench()
  try {
    bench.configure({ top: [onlyJob('users'), 'serve: {port: 0}'] })
    const url = `postgresql://nobody@127.0.0.1:${await freePort()}/nothing`
    const started = bench.startWith({ environment: { DATABASE: url } }, 'serve')
    await logged(started, 'waiting for the database')
    started.child.kill('SIGTERM')
    expect((await started.ended).code).toBe(143)
  } finally {
    await bench.close()
  }
})
