import type { Pool } from 'undici'
import type { Window } from './pages-server.ts'

/** The pages of a window, one request after the other, each parsed and no more. */
export async function* tokenChain(
  pool: Pool,
  { from, to }: Window,
): AsyncGenerator<Record<string, unknown>[]> {
  let token = ''
  do {
    const next = token === '' ? '' : `&next_page_token=${token}`
    const path = `/v2/videosdk/sessions?type=past&from=${from}&to=${to}&page_size=300${next}`
    const { body } = await pool.request({ method: 'GET', path })
    const page = JSON.parse(await body.text()) as {
      sessions: Record<string, unknown>[]
      next_page_token: string
    }
    yield page.sessions
    token = page.next_page_token
  } while (token !== '')
}
