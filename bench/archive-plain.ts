import { mkdirSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { Pool } from 'undici'
import { downloadPath } from './archive-rows.ts'
import { serveOrder } from './child.ts'
import { type Spent, spend } from './spent.ts'

export interface PlainOrder {
  url: string
  directory: string
  files: number
  atOnce: number
}

/** What one would write in an hour: so many at once, each whole into a file of its own, and flushed. */
async function fetchPlainly({ url, directory, files, atOnce }: PlainOrder): Promise<Spent> {
  mkdirSync(directory, { recursive: true })
  const pool = new Pool(url, { connections: atOnce })
  let next = 0
  const work = async (): Promise<void> => {
    for (let file = next++; file < files; file = next++) {
      const { statusCode, body } = await pool.request({ method: 'GET', path: downloadPath(file) })
      if (statusCode !== 200) throw new Error(`HTTP ${statusCode}`)
      const handle = await open(join(directory, String(file)), 'w')
      await handle.writeFile(new Uint8Array(await body.arrayBuffer()))
      await handle.datasync()
      await handle.close()
    }
  }
  const spent = await spend(async () => {
    await Promise.all(Array.from({ length: atOnce }, work))
    return { rows: files, pages: 0 }
  })
  await pool.close()
  return spent
}

await serveOrder(fetchPlainly)
