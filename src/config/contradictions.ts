import { DEFAULT_DATABASE } from './default-database.ts'
import { spell } from './explain.ts'
import type { Yaml } from './read-yaml.ts'
import type { Config } from './schema.ts'

/** Returns settings that are valid alone but wrong together, each with its place in the file. */
export function contradictions(config: Config, yaml: Yaml): string[] {
  const all = [halfKeys, unknownDatabases, unknownJobs, withoutServer, withoutBucket, withoutOwners]
  return all
    .flatMap((find) => find(config))
    .map(([path, expected]) => `${yaml.place(path)} ${spell(path)}: expected ${expected}`)
}

type Contradiction = [path: (string | number)[], expected: string]

function halfKeys({ accounts }: Config): Contradiction[] {
  return accounts.flatMap(({ videoSessions }, index): Contradiction[] => {
    const { auth, apiKey, apiSecret } = videoSessions
    if (auth !== 'jwt' || (apiKey === null) === (apiSecret === null)) return []
    return [[['accounts', index, 'videoSessions'], 'both apiKey and apiSecret, or neither']]
  })
}

function unknownDatabases({ accounts, databases }: Config): Contradiction[] {
  const names = [DEFAULT_DATABASE, ...Object.keys(databases)]
  return accounts.flatMap(({ database }, index): Contradiction[] =>
    names.includes(database)
      ? []
      : [[['accounts', index, 'database'], `one of ${names.join(', ')}`]],
  )
}

function unknownJobs({ accounts, jobs }: Config): Contradiction[] {
  const expected = `one of ${Object.keys(jobs).join(', ')}`
  return accounts.flatMap(({ jobs: own }, index) =>
    Object.keys(own)
      .filter((name) => jobs[name] === undefined)
      .map((name): Contradiction => [['accounts', index, 'jobs', name], expected]),
  )
}

function withoutServer({ alerts, mail, reports }: Config): Contradiction[] {
  if (mail.host !== null) return []
  const mailed = deliveries(reports).filter(([, { mail: to }]) => to.length > 0)
  const owned = reports.owners.some(({ mail: to }) => to.length > 0)
  const cut = deliveries(reports).filter(([, { owners }]) => owned && owners)
  const paths: Contradiction[0][] = [
    ...(alerts.mail === null ? [] : [['alerts', 'mail']]),
    ...mailed.map(([path]) => [...path, 'mail']),
    ...cut.map(([path]) => [...path, 'owners']),
  ]
  return paths.map((path) => [path, 'mail.host too, the mail server'])
}

function withoutBucket({ archive: { s3 }, reports }: Config): Contradiction[] {
  if (s3.bucket !== null && s3.accessKeyId !== null && s3.secretAccessKey !== null) return []
  return deliveries(reports)
    .filter(([, deliver]) => deliver.s3)
    .map(([path]) => [
      [...path, 's3'],
      'archive.s3.bucket, accessKeyId and secretAccessKey too, where it is sent',
    ])
}

function withoutOwners({ reports }: Config): Contradiction[] {
  if (reports.owners.length > 0) return []
  return deliveries(reports)
    .filter(([, { owners }]) => owners)
    .map(([path]) => [[...path, 'owners'], 'reports.owners too, for whom it is cut'])
}

function deliveries({ jobs }: Config['reports']) {
  return Object.entries(jobs).map(
    ([name, { deliver }]) => [['reports', 'jobs', name, 'deliver'], deliver] as const,
  )
}
