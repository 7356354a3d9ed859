import { spell } from './explain.ts'
import type { Yaml } from './read-yaml.ts'
import type { Config } from './schema.ts'

/**
 * Warns about each account of the service that has several names here. The service identifies an account by
 * its ID; without an ID in the configuration, the same app counts as the same account.
 */
export function sameAccountAdvice({ accounts }: Config, yaml: Yaml): string[] {
  const known = accounts.map((account) => ({ ...account, service: serviceOf(account.baseUrl) }))
  const idsByApp = new Map<string, string>()
  for (const { service, clientId, accountId } of known.toReversed())
    if (accountId !== null) idsByApp.set(`${service} ${clientId}`, accountId)
  const groups = new Map<string, number[]>()
  for (const [index, { service, clientId, accountId }] of known.entries()) {
    const id = accountId ?? idsByApp.get(`${service} ${clientId}`)
    const key = JSON.stringify([service, id ?? null, id === undefined ? clientId : null])
    groups.set(key, [...(groups.get(key) ?? []), index])
  }
  return [...groups.values()].flatMap(([first = 0, second, ...more]) => {
    if (second === undefined) return []
    const by = accounts[second]?.accountId === null ? 'clientId' : 'accountId'
    const path = ['accounts', second, by]
    const names = [first, second, ...more].map((index) => accounts[index]?.name ?? '')
    return [`${yaml.place(path)} (${spell(path)}): ${listed(names)} ${ARE_ONE}`]
  })
}

/** Returns the normalized host; the path of one service may differ by version. */
function serviceOf(baseUrl: string): string {
  return new URL(baseUrl).host.replace(/\.(?=:|$)/, '')
}

function listed(names: readonly string[]): string {
  const shown = names.length > MOST_NAMES ? names.slice(0, MOST_NAMES) : names.slice(0, -1)
  const last = names.length > MOST_NAMES ? `${names.length - MOST_NAMES} more` : names.at(-1)
  return `${shown.join(', ')} and ${last ?? ''}`
}

const ARE_ONE =
  'are one account of the service. Each of these names reads everything and plans with the whole quota, so ' +
  'that calls count twice and the service refuses some. Keep one name and remove the others'
const MOST_NAMES = 5
