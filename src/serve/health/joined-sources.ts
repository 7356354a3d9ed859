import type { RunPage, Snapshots, StatusSources } from './status-sources.ts'

/** The sources of the accounts in one database; undefined until the database has been reached. */
export interface DatabaseSources {
  accounts: readonly string[]
  sources(): StatusSources | undefined
}

/**
 * Returns the sources of all accounts, wherever they are; undefined until a database has been reached. While
 * one of several databases does not answer, snapshots name its accounts as missing, and lists over all
 * accounts reject.
 */
export function joinSources(databases: readonly DatabaseSources[]): StatusSources | undefined {
  const [only] = databases
  if (databases.length === 1) return only?.sources()
  if (databases.every(({ sources }) => sources() === undefined)) return undefined
  const of = (account: string): StatusSources | undefined =>
    databases.find(({ accounts }) => accounts.includes(account))?.sources()
  const all = <T>(ask: (one: StatusSources) => Promise<T>): Promise<T[]> =>
    Promise.all(databases.map(async ({ sources }) => await ask(sources() ?? unreached())))
  return {
    snapshots: () => joinSnapshots(databases),
    async runs({ account, before }) {
      if (account !== undefined) return (await of(account)?.runs({ account, before })) ?? NO_RUNS
      return joinRuns(await all((one) => one.runs({ account, before })))
    },
    run: async (account, id) => await of(account)?.run(account, id),
    async reports() {
      const found = (await all((one) => one.reports())).flat()
      return found.toSorted((a, b) => Date.parse(b.publishedAt) - Date.parse(a.publishedAt))
    },
    openReport: async (account, file) => await of(account)?.openReport(account, file),
  }
}

async function joinSnapshots(databases: readonly DatabaseSources[]): Promise<Snapshots> {
  const found = await Promise.all(
    databases.map(async ({ accounts, sources }) => {
      const read = await sources()
        ?.snapshots()
        .catch(() => undefined)
      return read ?? { value: [], ageMs: 0, missing: accounts }
    }),
  )
  return {
    value: found.flatMap(({ value }) => value),
    ageMs: Math.max(...found.map(({ ageMs }) => ageMs)),
    missing: found.flatMap(({ missing }) => missing),
  }
}

/** Merges pages of runs from several databases: the newest runs, as many as the longest page has. */
function joinRuns(pages: readonly RunPage[]): RunPage {
  const most = Math.max(0, ...pages.map(({ runs }) => runs.length))
  const runs = pages
    .flatMap((page) => page.runs)
    .toSorted((a, b) => Date.parse(b.startedAt) - Date.parse(a.startedAt))
  const more = runs.length > most || pages.some((page) => page.more)
  return { runs: runs.slice(0, most), more }
}

function unreached(): never {
  throw new Error('a database was not reached yet')
}

const NO_RUNS: RunPage = { runs: [], more: false }
