import { lstat, readdir, realpath, rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { slug } from '../core/values/slug.ts'
import { wasPlaced } from '../report/placed-files.ts'
import { isStaging } from '../report/publish-files.ts'
import { lastAt } from '../report/published-reports.ts'
import { digestOf } from '../report/put-in-place.ts'
import { flushFolder } from '../store/dirty-folders.ts'
import { isNotThere, removeFile, systemCode } from './published-file.ts'
import type { Withdrawal } from './withdrawing.ts'

/**
 * Removes what a killed process left beside the published files: its staging folder, and files that were
 * placed but not recorded. A publication in progress fails, as its folder is removed. Other files with names
 * of reports are only reported.
 */
export async function removeLeftovers(run: Withdrawal): Promise<void> {
  for (const folder of run.folders)
    for (const path of await leftIn(run, folder)) {
      run.signal.throwIfAborted()
      try {
        await removeOrTell(run, folder, path)
      } catch (error) {
        const code = systemCode(error)
        if (!isNotThere(code)) run.faults.set(path, code)
      }
    }
}

/** Lists entries named like files of the account's reports that no publication has recorded. */
async function leftIn(
  { account, names, faults, warehouse }: Withdrawal,
  folder: string,
): Promise<string[]> {
  const starts = names.map((name) => `${slug(account)}-${name}-`)
  try {
    const entries = await readdir(folder, { withFileTypes: true })
    const found = entries.flatMap((entry) => {
      const staging = entry.isDirectory() && isStaging(entry.name)
      const stem = staging ? entry.name.slice(1) : entry.name
      const ours = (staging || entry.isFile()) && starts.some((start) => stem.startsWith(start))
      return ours ? [join(folder, entry.name)] : []
    })
    const known = await lastAt(warehouse.db, found)
    return found.filter((path) => !known.has(path))
  } catch (error) {
    const code = systemCode(error)
    if (!isNotThere(code)) faults.set(folder, code)
    return []
  }
}

async function removeOrTell(run: Withdrawal, folder: string, path: string): Promise<void> {
  const { warehouse, withdrawn, dryRun, settled } = run
  const staging = isStaging(basename(path))
  if (!staging) {
    const { sha256 } = await digestOf(path)
    const paths = [path, join(await realpath(folder), basename(path))]
    if (!(await wasPlaced(warehouse.db, { paths, sha256 }))) {
      withdrawn[settled ? 'settled' : 'undecided'].push({ file: path, why: STRAY })
      return
    }
  }
  const inside = staging ? (await readdir(path)).map((name) => join(path, name)) : [path]
  for (const one of inside) {
    withdrawn.bytes += (await lstat(one)).size
    withdrawn.files++
  }
  if (dryRun) return
  if (!staging) return void (await removeFile(path))
  await rm(path, { recursive: true, force: true })
  await flushFolder(folder)
}

const STRAY = 'it is named like a report, and no publication tells of it'
