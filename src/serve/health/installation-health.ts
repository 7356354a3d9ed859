import { stat, statfs } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Config } from '../../config/schema.ts'
import type { Cause } from '../../core/define/cause.ts'
import type { Clock } from '../../core/time/clock.ts'
import type { DiskFacts } from './facts.ts'
import { judgeInstallation } from './judge.ts'

/** Returns why the installation, which all accounts share, is unhealthy. */
export async function installationHealth({
  config,
  clock,
}: {
  config: Pick<Config, 'archive' | 'database' | 'health' | 'reports'>
  clock: Clock
}): Promise<Cause[]> {
  const { archive, database, reports, health } = config
  const places: Place[] = [{ setting: 'reports.directory', path: reports.directory }]
  if (archive.store === 'directory')
    places.push({ setting: 'archive.directory', path: archive.directory })
  if (database.url === null)
    places.push({ setting: 'database.directory', path: database.directory })
  const disks = await readDisks(places)
  return judgeInstallation({ settings: health, disks }, clock.now())
}

interface Place {
  setting: string
  path: string
}

/** Groups the directories by disk. */
async function readDisks(places: readonly Place[]): Promise<DiskFacts[]> {
  const found = await Promise.all(places.map(readDisk))
  const disks = Map.groupBy(
    found.filter((disk) => disk !== undefined),
    ({ device }) => device,
  )
  return [...disks.values()].map((sharing) => ({
    directories: sharing.map(({ setting }) => setting).toSorted(),
    freeBytes: Math.min(...sharing.map(({ freeBytes }) => freeBytes)),
  }))
}

/**
 * Returns the disk of a directory, which need not exist yet; undefined if it cannot be read, for example
 * without permission.
 */
async function readDisk({ setting, path }: Place) {
  for (let at = path; ; at = dirname(at)) {
    try {
      const { dev: device } = await stat(at)
      const { bavail, bsize } = await statfs(at)
      return { setting, device, freeBytes: bavail * bsize }
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || dirname(at) === at) return undefined
    }
  }
}
