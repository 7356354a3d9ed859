import { SITES, type Site } from '../seed-data/words.ts'

export function siteItem({ city }: Site): { site_id: string; name: string } {
  return { site_id: `site-${city.slice(0, 3)}`, name: `${city} office` }
}

export function findSite(id: string): Site | undefined {
  return SITES.find((site) => siteItem(site).site_id === id)
}
