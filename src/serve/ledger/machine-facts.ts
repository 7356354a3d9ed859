import { createHmac } from 'node:crypto'
import { knownKey } from '../../account/open-evidence.ts'
import { wantsAnyFiles } from '../../config/archive-settings.ts'
import type { Config } from '../../config/schema.ts'
import { tokenKey } from '../../config/token-key.ts'
import type { Machine, MachineFacts } from './machines.ts'

/** Returns digests of the settings that all machines must share. They reveal no key. */
export function machineFacts(config: Config): MachineFacts {
  const key = tokenKey(config)
  const { store, directory, s3 } = config.archive
  const isFolder = store === 'directory'
  const place = isFolder ? [directory] : [s3.endpoint, s3.bucket, s3.prefix]
  const keeps = wantsAnyFiles(config.archive)
  return {
    tokenKey: digest(key, 'callsheet token key'),
    evidenceKey: (keeps ? knownKey(config)?.fingerprint : undefined) ?? null,
    store: keeps ? digest(key, JSON.stringify([store, ...place])) : 'none',
    storeIsFolder: keeps && isFolder,
    policies: Object.fromEntries(
      config.accounts.map(({ name, rows, columns }) => [
        name,
        digest(key, JSON.stringify([rows, columns].map(sorted))),
      ]),
    ),
  }
}

/** Why machines cannot work together. If `severe` is false, it is only a possible reason. */
export interface MachineFault {
  severe: boolean
  text: string
  todo: string
}

export function machineFaults(
  { host: ownHost, ...own }: MachineFacts & { host: string },
  others: readonly Machine[],
): MachineFault[] {
  const unlike = (isUnlike: (other: Machine) => boolean): string[] => [
    ...new Set(others.filter(isUnlike).map(({ host }) => host)),
  ]
  const keyed = unlike(({ tokenKey: key }) => key !== own.tokenKey)
  const signed = unlike(({ evidenceKey: key }) => differ(key, own.evidenceKey))
  // Digests of stores are keyed, so they can be compared only under the same key.
  const stored = unlike(({ tokenKey: key, store }) => key === own.tokenKey && store !== own.store)
  const accounts = Object.keys(own.policies)
  const kept = unlike(
    ({ tokenKey: key, policies }) =>
      key === own.tokenKey &&
      accounts.some((name) => differ(policies[name] ?? null, own.policies[name] ?? null)),
  )
  // Processes of one host share its folders.
  const folders =
    own.storeIsFolder && others.some(({ host, storeIsFolder }) => storeIsFolder && host !== ownHost)
  return [
    ...faultOf(keyed, {
      severe: true,
      text: 'has another token key, so it cannot read the tokens that this machine stores',
      todo: 'set tokenKey to the same secret on every machine',
    }),
    ...faultOf(signed, {
      severe: true,
      text: 'has another evidence key, so it cannot continue the evidence of this machine',
      todo: 'set evidence.signingKey to the same key on every machine',
    }),
    ...faultOf(kept, {
      severe: true,
      text: 'keeps other rows or columns of the same account',
      todo: 'set accounts[].rows and accounts[].columns alike on every machine, and restart them',
    }),
    ...faultOf(stored, {
      severe: !own.storeIsFolder,
      text: 'has another archive store',
      todo: 'set archive.store and archive.s3 to the same bucket on every machine',
    }),
    ...(folders
      ? [
          {
            severe: false,
            text: 'archived files are stored in a folder, and several machines share the work',
            todo: 'set archive.store to s3, unless archive.directory is one folder that all machines share',
          },
        ]
      : []),
  ]
}

/** Returns the settings as sorted entries, so that settings in another order give the same digest. */
function sorted(settings: Readonly<Record<string, object>>): unknown {
  const inOrder = (entries: object) =>
    Object.entries(entries).toSorted(([a], [b]) => (a < b ? -1 : 1))
  return inOrder(settings).map(([name, fields]) => [name, inOrder(fields as object)])
}

function differ(one: string | null, other: string | null): boolean {
  return one !== null && other !== null && one !== other
}

function faultOf(hosts: readonly string[], { text, ...fault }: MachineFault): MachineFault[] {
  return hosts.length === 0 ? [] : [{ ...fault, text: `${hosts.join(', ')} ${text}` }]
}

function digest(key: Buffer, text: string): string {
  return createHmac('sha256', key).update(text).digest('hex').slice(0, 32)
}
