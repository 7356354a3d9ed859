import type { AccountRows } from '../../core/define/desired.ts'
import { phoneNumbers } from '../../resources/phone-numbers.ts'

export interface NumberSite {
  id: string
  name: string
}

export interface Sites {
  /** Whether any of the account's numbers has a site. */
  any: boolean
  /** Returns the site with this name or ID, or why there is none. */
  find(word: string): NumberSite | { why: string }
}

/** Reads the sites of the account's numbers, since no call lists sites. */
export async function readSites({ rows }: AccountRows): Promise<Sites> {
  const found = await rows({
    stream: phoneNumbers,
    columns: ['site_id', 'site_name'],
    distinct: true,
  })
  const sites = found.flatMap(({ site_id: id = null, site_name: name = null }): NumberSite[] =>
    id === null ? [] : [{ id, name: name ?? id }],
  )
  return {
    any: sites.length > 0,
    find(word) {
      const same = sites.filter(({ id, name }) => id === word || name === word)
      const ids = new Set(same.map(({ id }) => id))
      const [first] = same
      if (first !== undefined && ids.size === 1) return first
      return {
        why:
          first === undefined
            ? `no number of the account has the site ${word}, so its ID is not known`
            : `${ids.size} sites are called ${word}: write the ID (${[...ids].join(', ')})`,
      }
    },
  }
}
