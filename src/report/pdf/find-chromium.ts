import { constants } from 'node:fs'
import { access, stat } from 'node:fs/promises'
import { delimiter, isAbsolute, join } from 'node:path'
import { CallsheetError } from '../../core/errors.ts'

interface Search {
  /** The path in the configuration; null: search the system's path. */
  chromium: string | null
  environment: Readonly<Record<string, string | undefined>>
}

/** Returns the path of the configured Chromium, or of the first one in the system's path. */
export async function findChromium({ chromium, environment }: Search): Promise<string> {
  if (chromium !== null) {
    if (await isProgram(chromium)) return chromium
    throw new CallsheetError('chromium_missing', {
      tried: TRIED,
      expected: 'a program that this user can run',
      came: `there is none at ${chromium}, the path in reports.chromium`,
      todo: `correct reports.chromium, or leave it out to use a Chromium that is on PATH; ${THEN}`,
    })
  }
  // A relative folder would find another program in each working directory.
  const folders = (environment['PATH'] ?? '').split(delimiter).filter(isAbsolute)
  for (const name of NAMES)
    for (const folder of folders) {
      const path = join(folder, process.platform === 'win32' ? `${name}.exe` : name)
      if (await isProgram(path)) return path
    }
  throw new CallsheetError('chromium_missing', {
    tried: TRIED,
    expected: `one of ${NAMES.join(', ')}`,
    came: 'PATH has no Chromium',
    todo: `install Chromium or Chrome, or set reports.chromium to its path; ${THEN}`,
  })
}

async function isProgram(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK)
    return (await stat(path)).isFile()
  } catch {
    return false
  }
}

const NAMES = [
  'chromium',
  'chromium-browser',
  'google-chrome',
  'google-chrome-stable',
  'chrome',
  'microsoft-edge',
  'microsoft-edge-stable',
  'msedge',
]
const TRIED = 'Finding a Chromium that makes PDF files'
const THEN = 'then create the report again'
