import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { jobs } from '../src/account/catalog.ts'
import type { Warehouse } from '../src/warehouse/connect.ts'
import { runChild } from './child.ts'
import type { BenchDatabase } from './database.ts'
import { type Figure, mebibytes, seconds, type Table } from './figures.ts'
import type { PartOptions } from './part.ts'
import type { ServedAccounts, ServeOrder } from './serve-accounts.ts'

const MOST_BYTES_AN_ACCOUNT = 16 * 1024

/** The memory of a process of `callsheet serve` whose accounts are all up to date. */
export async function measureServed(
  { database, warehouse }: { database: BenchDatabase; warehouse: Warehouse },
  { quick, nodeFlags, profileDirectory }: PartOptions,
): Promise<{ figure: Figure; table: Table }> {
  const sizes = quick ? [100, 1_000] : [100, 1_000, 10_000]
  const all: (ServedAccounts & { accounts: number })[] = []
  for (const accounts of sizes) {
    await fillDone(warehouse, accounts)
    const config = writeConfig(database, accounts)
    const order: ServeOrder = { config, forMs: quick ? 10_000 : 45_000 }
    const served = await runChild<ServeOrder, ServedAccounts>('serve-accounts.ts', order, {
      nodeFlags,
      profileDirectory,
    })
    all.push({ ...served, accounts })
  }
  return { figure: figureOf(all), table: tableOf(all) }
}

function figureOf(all: readonly (ServedAccounts & { accounts: number })[]): Figure {
  const [few, many] = [all[0], all.at(-1)]
  const [from = Number.NaN, to = Number.NaN] = [few?.heldBytes, many?.heldBytes]
  const each = (to - from) / ((many?.accounts ?? 0) - (few?.accounts ?? 0))
  return {
    what: `serve: memory an account, ${few?.accounts} to ${many?.accounts.toLocaleString('en')} accounts`,
    measured: `${(each / 1024).toFixed(1)} KB`,
    beside: `${mebibytes(from)} to ${mebibytes(to)} held`,
    target: `<= ${MOST_BYTES_AN_ACCOUNT / 1024} KB`,
    met: each <= MOST_BYTES_AN_ACCOUNT,
  }
}

function tableOf(all: readonly (ServedAccounts & { accounts: number })[]): Table {
  const lines = all.map(({ accounts, works, heldBytes, peakBytes, startCpuMs, cpuMs }) => [
    accounts.toLocaleString('en'),
    works.toLocaleString('en'),
    mebibytes(heldBytes),
    mebibytes(peakBytes),
    seconds(startCpuMs),
    seconds(cpuMs),
  ])
  const header = ['accounts', 'jobs', 'held', 'peak', 'CPU to start', 'CPU in all']
  return { title: 'one process of serve, nothing due', lines: [header, ...lines] }
}

/** A complete run of each job of each account, a minute ago. */
async function fillDone(warehouse: Warehouse, accounts: number): Promise<void> {
  await warehouse.withClient(async (client) => {
    await client.query('truncate callsheet.runs cascade')
    await client.query(
      `insert into callsheet.runs (account, job, epoch, state, started_at, finished_at)
       select 'account-' || a, job, 1, 'complete', now() - interval '1 minute', now()
       from generate_series(1, $1::int) a, unnest($2::text[]) job`,
      [accounts, jobs.map(({ name }) => name)],
    )
    await client.query('vacuum analyze callsheet.runs')
  })
}

/** A file for each account, as one file would be too long. */
function writeConfig({ url, directory }: BenchDatabase, accounts: number): string {
  const folder = join(directory, `serve-${accounts}`)
  const named = join(folder, 'accounts')
  mkdirSync(named, { recursive: true })
  for (let n = 1; n <= accounts; n++) {
    const account = {
      name: `account-${n}`,
      baseUrl: `http://127.0.0.1:9/v2`,
      authUrl: 'http://127.0.0.1:9',
      accountId: `bench-${n}`,
      clientId: `bench-${n}`,
      clientSecret: 'bench',
    }
    writeFileSync(join(named, `${n}.yaml`), JSON.stringify(account))
  }
  const path = join(folder, 'config.yaml')
  const serve = { port: 0 }
  const database = { url }
  const archive = { files: false }
  const settings = { database, archive, serve, accountsDirectory: 'accounts' }
  writeFileSync(path, JSON.stringify({ ...settings, stateDirectory: folder }))
  return path
}
