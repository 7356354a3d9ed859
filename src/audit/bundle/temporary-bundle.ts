import { randomBytes } from 'node:crypto'
import { readdir, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { sha256Hex } from '../../evidence/log/digest.ts'
import { bundleFileError } from '../../report/report-directory.ts'
import { type Holder, isGone, thisProcess } from '../../warehouse/holder.ts'

/**
 * The path of a bundle while it is written. It is unique, contains the ID of the writing process, and begins
 * with the bundle's own name, so that an erasure finds the file.
 */
export function temporaryName(path: string, holder: Holder = thisProcess()): string {
  const own = randomBytes(4).toString('hex')
  const { pid, started } = holder
  return join(dirname(path), `${stemOf(path)}.${pid}-${started}-${machineOf(holder)}-${own}${END}`)
}

/** Removes leftovers of killed exports of this bundle, if their process has certainly ended. */
export async function clearLeftBundles(path: string): Promise<void> {
  const here = thisProcess()
  const folder = dirname(path)
  try {
    for (const name of await readdir(folder)) {
      if (!name.startsWith(`${stemOf(path)}.`)) continue
      const [, pid, started = '', machine] = HOLDER.exec(name) ?? []
      if (machine !== machineOf(here) || !isGone({ ...here, pid: Number(pid), started })) continue
      await rm(join(folder, name), { force: true })
    }
  } catch (error) {
    throw bundleFileError(error, path)
  }
}

function stemOf(path: string): string {
  return basename(path, '.zip')
}

/** A short identifier of the machine, boot and container. */
function machineOf({ host, place }: Holder): string {
  return sha256Hex(`${host} ${place}`).slice(0, 8)
}

const END = '.zip.part'
const HOLDER = /\.(\d+)-(\d*)-([0-9a-f]{8})-[0-9a-f]{8}\.zip\.part$/
