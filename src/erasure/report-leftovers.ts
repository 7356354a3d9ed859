import { lstat, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { slug } from '../report/files/slug.ts'
import { claimsOn } from '../report/published-reports.ts'
import { flushFolder } from '../store/dirty-folders.ts'
import { isNotThere, systemCode } from './report-faults.ts'
import { type ReportSearch, unlinkForGood } from './report-file.ts'
import { fileNames } from './search/find-in-file.ts'

/**
 * Removes files that name the person and that no publication records: the folder in which a killed process
 * was making a report, the file that it had put in place but not recorded, and the copy with a longer name
 * beside it. They are recognized by their names, which begin with the account and a report. A process that is
 * making such a report now fails.
 */
export async function eraseLeftovers(
  looking: ReportSearch,
  reports: ReadonlySet<string>,
): Promise<void> {
  const starts = [...reports].map((report) => `${slug(looking.account)}-${report}-`)
  for (const folder of looking.folders) {
    for (const { name, staging } of await leftIn(looking, folder, starts)) {
      looking.signal.throwIfAborted()
      const path = join(folder, name)
      try {
        if (staging) await eraseStaging(looking, folder, path)
        else await eraseStray(looking, path)
      } catch (error) {
        const code = systemCode(error)
        if (!isNotThere(code)) looking.faults.set(path, code)
      }
    }
  }
}

async function leftIn(
  { faults, folders }: ReportSearch,
  folder: string,
  starts: readonly string[],
): Promise<{ name: string; staging: boolean }[]> {
  try {
    const entries = await readdir(folder, { withFileTypes: true })
    return entries.flatMap((entry) => {
      // A bundle's workbook is made in such a folder. The loop over the folders visits it later.
      if (entry.isDirectory() && entry.name.startsWith('.workbook-'))
        folders.add(join(folder, entry.name))
      const staging = entry.isDirectory() && STAGING.test(entry.name)
      const stem = staging ? entry.name.slice(1) : entry.name
      const ours = (staging || entry.isFile()) && starts.some((start) => stem.startsWith(start))
      return ours ? [{ name: entry.name, staging }] : []
    })
  } catch (error) {
    const code = systemCode(error)
    if (!isNotThere(code)) faults.set(folder, code)
    return []
  }
}

async function eraseStaging(looking: ReportSearch, folder: string, path: string): Promise<void> {
  const names = await readdir(path)
  let hit = false
  for (const name of names) hit ||= await fileNames(join(path, name), looking.needles)
  if (!hit) return
  const places = names.map((name) => join(path, name))
  const sizes = await Promise.all(places.map(async (place) => (await lstat(place)).size))
  if (!looking.dryRun) {
    await rm(path, { recursive: true, force: true })
    await flushFolder(folder)
  }
  sizes.forEach((size, at) => count(looking, places[at] ?? path, size))
}

/** Skips a recorded file: it was checked with its publication, or it is another account's. */
async function eraseStray(looking: ReportSearch, path: string): Promise<void> {
  if (looking.gone.has(path) || looking.faults.has(path)) return
  if (looking.names.get(path) === 'silent' || !(await fileNames(path, looking.needles))) return
  if ((await claimsOn(looking.warehouse.db, [path])).length > 0) return
  const { size } = await lstat(path)
  if (!looking.dryRun) await unlinkForGood(path)
  count(looking, path, size)
}

function count({ erased, gone }: ReportSearch, path: string, size: number): void {
  erased.files++
  erased.bytes += size
  erased.paths.push(path)
  gone.add(path)
}

const STAGING = /^\..+\.publishing$/
