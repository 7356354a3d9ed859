import type { Pool } from 'undici'

/** The pages of a list, one request after the other, each parsed and no more. */
export async function* tokenChain(
  pool: Pool,
  { path, items }: { path: string; items: string },
): AsyncGenerator<Record<string, unknown>[]> {
  let token = ''
  do {
    const next = token === '' ? '' : `&next_page_token=${token}`
    const { body } = await pool.request({ method: 'GET', path: `${path}${next}` })
    const page = JSON.parse(await body.text()) as Record<string, unknown>
    yield page[items] as Record<string, unknown>[]
    token = page.next_page_token as string
  } while (token !== '')
}
