import { openStore } from '../../account/choose-store.ts'
import { knownKey } from '../../account/open-evidence.ts'
import type { AccountSettings } from '../../config/account-settings.ts'
import { wantsAnyFiles } from '../../config/archive-settings.ts'
import type { Config } from '../../config/schema.ts'
import type { Clock } from '../../core/time/clock.ts'
import { attempt, type Finding } from './findings.ts'

interface Examined {
  config: Config
  clock: Clock
}

/** Checks the store for archived files and the evidence key. Checks nothing if no files are archived. */
export async function examineArchive(
  examined: Examined,
  accounts: readonly AccountSettings[],
): Promise<Finding[]> {
  const { config } = examined
  if (!wantsAnyFiles(config.archive)) return []
  const findings: Finding[] = []
  for (const { name } of accounts)
    findings.push(...(await attempt(`${name} archive`, () => examineStore(examined, name))))
  return [...findings, ...(await attempt(KEY, () => examineKey(config)))]
}

async function examineStore(examined: Examined, account: string): Promise<Finding[]> {
  const store = await openStore(examined, account)
  try {
    await store.examine()
    return [{ check: `${account} archive`, state: 'ok', text: `can be written: ${store.place}` }]
  } finally {
    await store.close()
  }
}

/** Reports the key's fingerprint. Creates no key if it is missing. */
async function examineKey(config: Config): Promise<Finding[]> {
  const fingerprint = knownKey(config)?.fingerprint
  const text =
    fingerprint === undefined
      ? 'none yet; the first sync creates one'
      : `its fingerprint is ${fingerprint}`
  return await Promise.resolve([{ check: KEY, state: 'ok', text }])
}

const KEY = 'evidence key'
