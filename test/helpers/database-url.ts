export const TEMPLATE = 'callsheet_template'

/** The same server, another database. */
export function onDatabase(serverUrl: string, database: string): string {
  const url = new URL(serverUrl)
  url.pathname = `/${database}`
  return url.href
}
