import { createWriteStream } from 'node:fs'
import { finished } from 'node:stream/promises'
import { openPromise } from 'yauzl'
import { ZipFile } from 'yazl'

export type Members = Map<string, Buffer>

export async function readMembers(path: string): Promise<Members> {
  const zip = await openPromise(path, { lazyEntries: true, autoClose: false })
  const members: Members = new Map()
  for await (const entry of zip.eachEntry()) {
    const pieces: Buffer[] = []
    for await (const piece of await zip.openReadStreamPromise(entry)) pieces.push(piece as Buffer)
    members.set(entry.fileName, Buffer.concat(pieces))
  }
  zip.close()
  return members
}

export async function writeMembers(path: string, members: Iterable<readonly [string, Buffer]>) {
  const zip = new ZipFile()
  const file = createWriteStream(path)
  zip.outputStream.pipe(file)
  for (const [name, content] of members)
    if (name.endsWith('/')) zip.addEmptyDirectory(name)
    else zip.addBuffer(content, name)
  zip.end()
  await finished(file)
}
