import { randomBytes } from 'node:crypto'
import { readdir, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { sha256Hex } from '../../evidence/log/digest.ts'
import { bundleFileError } from '../../report/report-directory.ts'
import { type Holder, isGone, thisProcess } from '../../warehouse/holder.ts'

/**
 * The name of a bundle while it is written: unique among all exports, even of the same days, and it
 * identifies the process that writes. It begins and ends like the bundle's, so that an erasure finds it.
 */
export function temporaryName(path: string, holder: Holder = thisProcess()): string {
  const own = randomBytes(4).toString('hex')
  const { pid, started } = holder
  return join(dirname(path), `${stemOf(path)}.${pid}-${started}-${machineOf(holder)}-${own}${END}`)
}

/** Removes leftovers of killed exports of this bundle, if their process certainly no longer runs. */
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
