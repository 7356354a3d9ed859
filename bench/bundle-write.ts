import { generateKeyPairSync } from 'node:crypto'
import { join } from 'node:path'
import { writeBundle } from '../src/audit/bundle/bundle-writer.ts'
import { readSigningKey } from '../src/evidence/log/signing-key.ts'
import { serveOrder } from './child.ts'
import { BENCH_NOW_MS } from './session-rows.ts'
import { type Spent, spend } from './spent.ts'

export interface BundleOrder {
  directory: string
  members: number
}

/** A bundle of so many small members, as an audit of many activities has them. */
async function write({ directory, members }: BundleOrder): Promise<Spent> {
  const { privateKey } = generateKeyPairSync('ed25519')
  const pem = privateKey.export({ format: 'pem', type: 'pkcs8' }).toString()
  const key = readSigningKey(pem, 'the bench')
  return await spend(async () => {
    const writer = writeBundle(join(directory, `${members}.zip`), BENCH_NOW_MS)
    for (let member = 0; member < members; member++)
      await writer.add(`files/${member}`, [String(member)], { compress: false })
    await writer.end(key)
    return { rows: members, pages: 0 }
  })
}

await serveOrder(write)
